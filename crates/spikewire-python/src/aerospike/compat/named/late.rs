//! Rows of batch writes whose items are created when they are accessed, because most programs only
//! look at the result codes.

use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyTuple;

use super::NamedRecords;
use super::class::NamedTuple;
use super::writes::NamedWrites;
use crate::aerospike::batch::Batch;

/// Stands for the key of rows that nobody has looked at, whose record is their number: what makes
/// both.
#[pyclass(frozen, module = "spikewire._native")]
pub struct LateRows {
    pub records: Py<NamedRecords>,
    pub writes: Py<NamedWrites>,
    pub batch: Py<Batch>,
}

/// Gives a row of a batch of writes its items, if nobody has looked at it before.
#[pyfunction]
#[pyo3(signature = (row, /))]
pub fn _make_whole(row: &Bound<'_, PyTuple>) -> PyResult<()> {
    let py = row.py();
    // Another thread may be doing the same.
    let Some((late, at)) = with_critical_section(row, || late_of(row)) else { return Ok(()) };
    let LateRows { records, writes, batch } = late.get();
    let items = records.get().written_row(py, writes.get(), batch.get(), at)?;
    with_critical_section(row, || match late_of(row) {
        Some(_) => NamedTuple::fill(row, items),
        None => Ok(()),
    })
}

/// The rows to which a row belongs, and its index.
fn late_of<'py>(row: &Bound<'py, PyTuple>) -> Option<(Bound<'py, LateRows>, usize)> {
    let late = row.get_item(0).ok()?.cast_into_exact().ok()?;
    Some((late, row.get_item(2).ok()?.extract().ok()?))
}
