//! What a batch has in place of a row whose reply did not come in time.

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::bridge::cached::Cached;

/// A row of a batch whose reply did not come by the call's `deadline`.
///
/// The record may exist or not. There is one such object, which is false: `Late()` returns
/// it. `isinstance(row, Late)` tells it from a record and from `None`, and `Batch.late` has the
/// numbers of these rows.
#[pyclass(frozen, module = "spikewire")]
pub struct Late;

#[pymethods]
impl Late {
    #[new]
    fn new(py: Python<'_>) -> PyResult<Py<Self>> {
        Ok(one(py)?.clone_ref(py))
    }

    #[expect(clippy::unused_self, reason = "a method of Python's")]
    fn __bool__(&self) -> bool {
        false
    }

    #[expect(clippy::unused_self, reason = "a method of Python's")]
    fn __repr__(&self) -> &'static str {
        "Late()"
    }

    fn __reduce__(slf: Bound<'_, Self>) -> (Bound<'_, PyType>, ()) {
        (slf.get_type(), ())
    }
}

/// The one object.
pub fn late(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(one(py)?.bind(py).clone().into_any())
}

fn one(py: Python<'_>) -> PyResult<&Py<Late>> {
    static ONE: Cached<Py<Late>> = Cached::new();
    ONE.get_or_try_init(py, || Py::new(py, Late))
}
