//! Structured NumPy arrays from a batch: one pass over the rows, without a Python object per value.
//!
//! `library` looks up NumPy, `masked` creates masked arrays, `layout` maps bins to the fields of
//! the dtype, `memory` is what gets filled, `fill` writes one record, `stream` takes records as
//! they arrive, `strip` takes the records of a query.

mod fill;
mod query_array;
mod stream;

use pyo3::prelude::*;

use spikewire_aerospike::command::batch::{Batch as Rows, RowContents};

use self::fill::Fill;
pub use self::stream::{Filling, NewArray};
use crate::columns::{ArrayMemory, Layout, Library};
use spikewire_aerospike_protocol::void_time;

use spikewire_columns::{ExtraColumns, RowError};

use crate::aerospike::key::Key;
use crate::bridge::python_code::PythonCode;
use crate::errors::value_error;

pub use self::query_array::QueryArray;

/// What the caller asks for, besides the dtype.
pub struct ArrayOptions {
    pub extra: ExtraColumns,
    /// Whether a missing value raises an error instead of being masked.
    pub strict: bool,
    /// Whether a failed row is masked instead of raising an error.
    pub lenient: bool,
}

impl ArrayOptions {
    /// From the keywords `missing` and `errors`.
    pub fn new(extra: ExtraColumns, missing: &str, errors: &str) -> PyResult<Self> {
        let (strict, lenient) = (missing == "raise", errors == "mask");
        if strict && lenient {
            return Err(value_error(
                "errors=\"mask\" needs a masked array, and missing=\"raise\" asks for a plain one",
            ));
        }
        Ok(Self { extra, strict, lenient })
    }
}

/// The rows as a structured array: masked, or plain if missing values raise an error.
pub fn to_numpy<'py>(
    py: Python<'py>,
    rows: &Rows,
    keys: &[Key],
    dtype: &Bound<'py, PyAny>,
    options: &ArrayOptions,
    explain: impl Fn(&RowError) -> PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let _code = PythonCode::enter(py);
    let numpy = Library::get(py, "to_numpy")?;
    let (dtype, layout) = Layout::of(numpy, dtype, &options.extra)?;
    let layout = layout.get();
    let mut memory = ArrayMemory::new(py, numpy, layout, rows.len(), !options.strict)?;
    let fill = Fill { layout, strict: options.strict, now: void_time::now() };
    if layout.key.is_some() {
        for (row, key) in keys.iter().enumerate() {
            let (data, mask) = memory.row(row);
            fill.key(key.user.bind(py), row, data, mask)?.map_err(|stop| explain(&stop))?;
        }
    }
    let filled = py.detach(|| {
        (0..rows.len()).try_for_each(|row| {
            let (data, mask) = memory.row(row);
            match rows.contents(row) {
                RowContents::Record(header, mut walk) => {
                    fill.record(&header, &mut walk, row, data, mask)
                }
                RowContents::Failed if !options.lenient => Err(RowError::Failed(row)),
                RowContents::NoRecord if options.strict => Err(RowError::NoRecord(row)),
                RowContents::Late if options.strict => Err(RowError::Failed(row)),
                RowContents::NoRecord | RowContents::Failed | RowContents::Late => {
                    fill.hide(mask);
                    Ok(())
                }
            }
        })
    });
    filled.map_err(|stop| explain(&stop))?;
    memory.finish(&dtype, numpy, layout, rows.len())
}
