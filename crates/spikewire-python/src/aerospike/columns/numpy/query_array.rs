//! An array that a query fills row by row.

use pyo3::prelude::*;
use spikewire_columns::ExtraColumns;
use spikewire_columns::RowError;
use spikewire_columns::WireValue;

use spikewire_aerospike_protocol::message::{Header, Walk};
use spikewire_aerospike_protocol::void_time;

use super::fill::Fill;
use crate::bridge::python_code::PythonCode;
use crate::columns::ArrayMemory;
use crate::columns::Layout;
use crate::columns::Library;

/// The method to name in errors.
const VERB: &str = "numpy_batches";

/// Memory for some rows and their mask.
pub struct QueryArray {
    dtype: Py<PyAny>,
    layout: Py<Layout>,
    strict: bool,
    memory: ArrayMemory,
    now: u64,
}

impl QueryArray {
    /// Memory for this many rows. `strict`: a missing value raises an error instead of being
    /// masked.
    pub fn new(
        dtype: &Bound<'_, PyAny>,
        extra: &ExtraColumns,
        strict: bool,
        rows: usize,
    ) -> PyResult<Self> {
        let py = dtype.py();
        let _code = PythonCode::enter(py);
        let numpy = Library::get(py, VERB)?;
        let (dtype, layout) = Layout::of(numpy, dtype, extra)?;
        let memory = ArrayMemory::new(py, numpy, layout.get(), rows, !strict)?;
        Ok(Self { dtype: dtype.unbind(), layout, strict, memory, now: void_time::now() })
    }

    /// The number of rows that fit.
    pub fn room(&self) -> usize {
        self.memory.rows()
    }

    /// Makes room for this many rows.
    pub fn grow(&mut self, py: Python<'_>, rows: usize) -> PyResult<()> {
        let _code = PythonCode::enter(py);
        self.memory.grow(py, Library::get(py, VERB)?, self.layout.get(), rows)
    }

    /// Writes a row with its user key.
    pub fn row(
        &mut self,
        header: &Header,
        mut walk: Walk<'_>,
        key: Option<&WireValue<'_>>,
        row: usize,
    ) -> Result<(), RowError> {
        let fill = Fill { layout: self.layout.get(), strict: self.strict, now: self.now };
        let (data, mask) = self.memory.row(row);
        fill.key_item(key, row, data, mask)?;
        fill.record(header, &mut walk, row, data, mask)
    }

    /// The rows written so far, as an array.
    pub fn finish(self, py: Python<'_>, rows: usize) -> PyResult<Bound<'_, PyAny>> {
        let _code = PythonCode::enter(py);
        let numpy = Library::get(py, VERB)?;
        self.memory.finish(self.dtype.bind(py), numpy, self.layout.get(), rows)
    }
}
