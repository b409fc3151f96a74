//! Imports of modules on first use.

use pyo3::prelude::*;
use pyo3::types::PyModule;

use super::cached::Cached;
use super::python_code::PythonCode;

/// The module with this name, imported now if it is not yet. A fork waits until it is imported
/// (`spikewire._imports`).
pub fn import_late<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    static IMPORT: Cached<Py<PyAny>> = Cached::new();
    let _code = PythonCode::enter(py);
    let import = IMPORT.import(py, "spikewire._imports", "import_late")?;
    Ok(import.call1((name,))?.cast_into()?)
}

/// The module `spikewire.typed`.
pub fn typed(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: Cached<Py<PyModule>> = Cached::new();
    let import = || import_late(py, "spikewire.typed").map(Bound::unbind);
    MODULE.get_or_try_init(py, import).map(|module| module.bind(py))
}
