//! An array that is filled row by row, by a query.

use pyo3::prelude::*;
use pyo3::types::PySlice;

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
    data: Py<PyAny>,
    mask: Option<Py<PyAny>>,
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
        let Target { data, mask } = target;
        Ok(Self { layout, data: data.unbind(), mask: mask.map(Bound::unbind), memory, now: now() })
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
        let Self { data, mask, memory, .. } = self;
        drop(memory);
        let numpy = module(py, "numpy_batches", "numpy", "NumPy")?;
        let written = PySlice::new(py, 0, rows as isize, 1);
        let data = data.bind(py).get_item(&written)?;
        let mask = mask.map(|mask| mask.bind(py).get_item(&written)).transpose()?;
        Target { data, mask }.finish(&numpy)
    }
}
