//! The parts of NumPy in use, looked up once.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::masked::Masked;
use super::module;
use crate::bridge::cached::{Cached, intern};

/// Objects of the module `numpy`.
pub struct Library {
    /// The class `dtype`.
    pub dtype: Py<PyType>,
    masked: Masked,
    pub make_mask_descr: Py<PyAny>,
    zeros: Py<PyAny>,
    byte: Py<PyAny>,
    /// Cached layouts, by dtype and the names of the columns that are not bins.
    pub layouts: Py<PyDict>,
}

impl Library {
    /// NumPy, or an error that says that `verb` needs it.
    pub fn get(py: Python<'_>, verb: &str) -> PyResult<&'static Self> {
        static LIBRARY: Cached<Library> = Cached::new();
        LIBRARY.get_or_try_init(py, || {
            let numpy = module(py, verb, "numpy", "NumPy")?;
            Ok(Self {
                dtype: numpy.getattr("dtype")?.cast_into::<PyType>()?.unbind(),
                masked: Masked::new(&numpy)?,
                make_mask_descr: numpy.getattr("ma")?.getattr("make_mask_descr")?.unbind(),
                zeros: numpy.getattr("zeros")?.unbind(),
                byte: numpy.call_method1("dtype", ("u1",))?.unbind(),
                layouts: PyDict::new(py).unbind(),
            })
        })
    }

    /// A zeroed array of bytes with this many rows of this size.
    pub fn bytes<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        size: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = rows.checked_mul(size).filter(|count| isize::try_from(*count).is_ok());
        let Some(count) = count else {
            return Err(PyMemoryError::new_err(format!("{rows} rows of {size} bytes each")));
        };
        self.zeros.bind(py).call1((count, &self.byte))
    }

    /// Such bytes as an array with this many rows of a dtype. With flags, a masked array.
    pub fn array<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        rows: usize,
        mask: Option<(&Bound<'py, PyAny>, &Bound<'py, PyAny>)>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let view = intern!(data.py(), "view");
        let Some((mask, mask_dtype)) = mask else { return data.call_method1(view, (dtype,)) };
        self.masked.array(data, dtype, rows, &mask.call_method1(view, (mask_dtype,))?)
    }
}
