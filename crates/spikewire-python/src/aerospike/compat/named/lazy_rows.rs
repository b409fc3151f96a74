//! Rows of batch writes whose items are created when they are accessed, because most programs only
//! look at the result codes.

#![expect(unsafe_code, reason = "the items of a tuple are replaced before anybody saw them")]

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
pub struct LazyRows {
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
    let Some((lazy, at)) = with_critical_section(row, || lazy_rows_of(row)) else { return Ok(()) };
    let LazyRows { records, writes, batch } = lazy.get();
    let items = records.get().written_row(py, writes.get(), batch.get(), at)?;
    with_critical_section(row, || match lazy_rows_of(row) {
        // SAFETY: in the row's critical section, and the program has not seen its items.
        Some(_) => unsafe { NamedTuple::fill(row, items) },
        None => Ok(()),
    })
}

/// The rows to which a row belongs, and its index.
fn lazy_rows_of<'py>(row: &Bound<'py, PyTuple>) -> Option<(Bound<'py, LazyRows>, usize)> {
    let lazy = row.get_item(0).ok()?.cast_into_exact().ok()?;
    Some((lazy, row.get_item(2).ok()?.extract().ok()?))
}
