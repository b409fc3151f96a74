//! Structured NumPy arrays from a batch: one pass over the rows, no Python object per value.
//!
//! `layout` is the dtype as the filling needs it, `memory` what is filled, `cell` one value into
//! its bytes, `nested` lists into sub-arrays, `fill` one record, `stream` records as they arrive,
//! `strip` records of a query.

mod cell;
mod fill;
mod layout;
mod memory;
mod nested;
mod stream;
mod strip;

use pyo3::prelude::*;

use spikewire_engine::command::batch::Batch as Rows;

use self::fill::Fill;
use self::layout::Layout;
use self::memory::Memory;
pub use self::stream::{Filling, get_numpy};
use super::pandas::module;
use super::rows::{Extra, Found, Stop, look, now};
use crate::key::Key;

pub use self::strip::Strip;

/// What the caller asks for, besides the dtype.
pub struct Wanted {
    pub extra: Extra,
    /// Whether a gap raises, instead of being masked.
    pub strict: bool,
    /// Whether a failed row is masked, instead of raising.
    pub lenient: bool,
}

/// An array being filled, with its mask.
pub struct Target<'py> {
    /// What the caller gets: `data`, or a masked array of `data` and `mask`.
    whole: Bound<'py, PyAny>,
    data: Bound<'py, PyAny>,
    mask: Option<Bound<'py, PyAny>>,
}

impl<'py> Target<'py> {
    fn new(
        numpy: &Bound<'py, PyAny>,
        layout: &Layout,
        rows: usize,
        strict: bool,
    ) -> PyResult<Self> {
        let data = numpy.call_method1("zeros", (rows, layout.dtype.bind(numpy.py())))?;
        if strict {
            return Ok(Self { whole: data.clone(), data, mask: None });
        }
        // A masked view of structured data brings a mask of its own, with nothing hidden yet.
        // Filling that one in place spares what the constructor does to a mask it is handed.
        let class = numpy.getattr("ma")?.getattr("MaskedArray")?;
        let whole = data.call_method1("view", (class,))?;
        let mask = whole.getattr("mask")?;
        Ok(Self { whole, data, mask: Some(mask) })
    }

    fn memory(&self, numpy: &Bound<'py, PyAny>, layout: &Layout) -> PyResult<Memory> {
        Memory::of(numpy, layout, &self.data, self.mask.as_ref())
    }
}

/// The rows as a structured array: masked, or plain when every gap is to raise.
pub fn to_numpy<'py>(
    py: Python<'py>,
    rows: &Rows,
    keys: &[Key],
    dtype: &Bound<'py, PyAny>,
    wanted: &Wanted,
    explain: impl Fn(&Stop) -> PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = module(py, "to_numpy", "numpy", "NumPy")?;
    let layout = Layout::new(&numpy, dtype, &wanted.extra)?;
    let target = Target::new(&numpy, &layout, rows.len(), wanted.strict)?;
    let mut memory = target.memory(&numpy, &layout)?;
    let fill = Fill { layout: &layout, strict: wanted.strict, now: now() };
    if layout.key.is_some() {
        for (row, key) in keys.iter().enumerate() {
            let (data, mask) = memory.row(row);
            fill.key(key.user.bind(py), row, data, mask)?.map_err(|stop| explain(&stop))?;
        }
    }
    let filled = py.detach(|| {
        (0..rows.len()).try_for_each(|row| {
            let (data, mask) = memory.row(row);
            match look(rows, row) {
                Found::Record(header, walk) => fill.record(&header, walk, row, data, mask),
                Found::Failed if !wanted.lenient => Err(Stop::Failed(row)),
                Found::NoRecord if wanted.strict => Err(Stop::NoRecord(row)),
                Found::NoRecord | Found::Failed => {
                    fill.hide(mask);
                    Ok(())
                }
            }
        })
    });
    drop(memory);
    filled.map_err(|stop| explain(&stop))?;
    Ok(target.whole)
}
