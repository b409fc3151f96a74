//! Wrappers for values for which Python has no type of its own.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};

use crate::bridge::imports::import_late;
use crate::errors::{type_error, type_name, utf8};

/// A GeoJSON value: a point, polygon or circle as JSON text.
#[pyclass(frozen, eq, hash, module = "spikewire")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct GeoJSON {
    pub text: String,
}

#[pymethods]
impl GeoJSON {
    #[new]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = if let Ok(text) = text.cast::<PyString>() {
            utf8("the text", text)?.to_owned()
        } else {
            // A mapping is encoded as JSON.
            let json = import_late(text.py(), "json")?;
            json.call_method1("dumps", (text,))?.extract()?
        };
        Ok(Self { text })
    }

    /// The JSON text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// The JSON text as Python objects.
    fn to_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import_late(py, "json")?.call_method1("loads", (&self.text,))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("GeoJSON({})", PyString::new(py, &self.text).repr()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<Self>(), (self.text.clone(),))
    }
}

/// A HyperLogLog sketch in the server's opaque format.
#[pyclass(frozen, eq, hash, module = "spikewire")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct HyperLogLog {
    pub bytes: Vec<u8>,
}

#[pymethods]
impl HyperLogLog {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        match data.cast::<PyBytes>() {
            Ok(data) => Ok(Self { bytes: data.as_bytes().to_vec() }),
            Err(_) => Err(type_error(format!(
                "a HyperLogLog sketch is made from bytes, not {}",
                type_name(data)
            ))),
        }
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn __len__(&self) -> usize {
        self.bytes.len()
    }

    fn __repr__(&self) -> String {
        format!("HyperLogLog(<{} bytes>)", self.bytes.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (Bound<'py, PyBytes>,)) {
        (py.get_type::<Self>(), (PyBytes::new(py, &self.bytes),))
    }
}
