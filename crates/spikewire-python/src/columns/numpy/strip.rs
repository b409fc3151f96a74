//! An array that is filled row by row, by a query.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use spikewire_protocol::message::{Header, Walk};

use super::Target;
use super::fill::Fill;
use super::layout::Layout;
use super::memory::Memory;
use crate::columns::item::Item;
use crate::columns::pandas::module;
use crate::columns::rows::{Extra, Stop, now};

/// Room for some rows, and its mask.
pub struct Strip {
    layout: Layout,
    whole: Py<PyAny>,
    data: Py<PyAny>,
    mask: Option<Py<PyAny>>,
    rows: usize,
    memory: Memory,
    now: u64,
}

impl Strip {
    /// Room for so many rows. `strict`: a gap raises instead of being masked.
    pub fn new(
        dtype: &Bound<'_, PyAny>,
        extra: &Extra,
        strict: bool,
        rows: usize,
    ) -> PyResult<Self> {
        let py = dtype.py();
        let numpy = module(py, "numpy_batches", "numpy", "NumPy")?;
        let layout = Layout::new(&numpy, dtype, extra)?;
        let target = Target::new(&numpy, &layout, rows, strict)?;
        let memory = target.memory(&numpy, &layout)?;
        let Target { whole, data, mask } = target;
        let (whole, data, mask) = (whole.unbind(), data.unbind(), mask.map(Bound::unbind));
        Ok(Self { layout, whole, data, mask, rows, memory, now: now() })
    }

    /// Writes a row with its user key.
    pub fn row(
        &mut self,
        header: &Header,
        walk: Walk<'_>,
        key: Option<&Item<'_>>,
        row: usize,
    ) -> Result<(), Stop> {
        let strict = self.mask.is_none();
        let fill = Fill { layout: &self.layout, strict, now: self.now };
        let (data, mask) = self.memory.row(row);
        fill.key_item(key, row, data, mask)?;
        fill.record(header, walk, row, data, mask)
    }

    /// The rows that were written.
    pub fn finish(self, py: Python<'_>, rows: usize) -> PyResult<Bound<'_, PyAny>> {
        let Self { whole, data, mask, memory, .. } = self;
        drop(memory);
        if rows == self.rows {
            return Ok(whole.into_bound(py));
        }
        let written = PySlice::new(py, 0, rows as isize, 1);
        let data = data.bind(py).get_item(&written)?;
        let Some(mask) = mask else { return Ok(data) };
        // A slice of the whole would count its mask as shared.
        let named = PyDict::new(py);
        named.set_item("mask", mask.bind(py).get_item(&written)?)?;
        let numpy = module(py, "numpy_batches", "numpy", "NumPy")?;
        numpy.getattr("ma")?.call_method("MaskedArray", (data,), Some(&named))
    }
}
