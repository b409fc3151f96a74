//! Particles to Python objects.

#![expect(unsafe_code, reason = "Python objects are made by the C interface")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyNone, PyString, PyTuple};

use spikewire_aerospike::Error;
use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::value::{Entries, Items, ValueSink, decode, particle as kind};

use super::{GeoJSON, HyperLogLog, ordered};
use crate::errors::to_python;

/// The Python object for one particle.
pub fn particle<'py>(py: Python<'py>, of: u8, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    decode(of, bytes, &Objects { py })
}

/// Creates Python objects.
struct Objects<'py> {
    py: Python<'py>,
}

impl<'py> ValueSink for Objects<'py> {
    type Value = Bound<'py, PyAny>;
    type Error = PyErr;

    fn malformed(&self, error: Malformed) -> PyErr {
        to_python(self.py, &Error::unreadable(&error), None)
    }

    #[inline]
    fn nil(&self) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyNone::get(self.py).to_owned().into_any())
    }

    #[inline]
    fn boolean(&self, value: bool) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }

    #[inline]
    fn integer(&self, value: i64) -> PyResult<Bound<'py, PyAny>> {
        Ok(value.into_pyobject(self.py)?.into_any())
    }

    fn unsigned(&self, value: u64) -> PyResult<Bound<'py, PyAny>> {
        Ok(value.into_pyobject(self.py)?.into_any())
    }

    #[inline]
    fn float(&self, value: f64) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(self.py, value).into_any())
    }

    #[inline]
    fn text(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        Ok(text(self.py, value)?.into_any())
    }

    #[inline]
    fn blob(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBytes::new(self.py, value).into_any())
    }

    fn geojson(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let text = String::from_utf8_lossy(value).into_owned();
        Ok(Bound::new(self.py, GeoJSON { text })?.into_any())
    }

    fn hll(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(self.py, HyperLogLog { bytes: value.to_vec() })?.into_any())
    }

    #[inline]
    fn list(&self, items: &mut Items<'_, '_, Self>) -> PyResult<Bound<'py, PyAny>> {
        let list = PyList::empty(self.py);
        for item in items {
            list.append(item?)?;
        }
        Ok(list.into_any())
    }

    #[inline]
    fn map(&self, entries: &mut Entries<'_, '_, Self>) -> PyResult<Bound<'py, PyAny>> {
        let dict = match ordered::class(self.py) {
            Some(class) if entries.flags == Some(ordered::KEY_ORDERED) => {
                class.call0()?.cast_into::<PyDict>()?
            }
            _ => PyDict::new(self.py),
        };
        for entry in entries {
            let (key, value) = entry?;
            dict.set_item(hashable(key)?, value)?;
        }
        Ok(dict.into_any())
    }
}

/// Whether a particle is decoded to `int`, `str`, `float`, `bool` or `None`.
pub fn is_scalar(of: u8) -> bool {
    matches!(of, kind::INTEGER | kind::STRING | kind::NULL | kind::FLOAT | kind::BOOL)
}

/// Whether a particle is decoded to `bytes`.
pub fn is_bytes(of: u8) -> bool {
    !is_scalar(of) && !matches!(of, kind::GEOJSON | kind::HLL | kind::LIST | kind::MAP)
}

/// Text from the wire. The server does not validate UTF-8; invalid bytes become surrogate escapes.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: pointer and length are those of a live slice, and the name of the error handler is a
    // C string.
    unsafe {
        let text = ffi::PyUnicode_DecodeUTF8(
            bytes.as_ptr().cast(),
            bytes.len() as ffi::Py_ssize_t,
            c"surrogateescape".as_ptr(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked())
    }
}

/// Other clients may have written maps with lists or maps as keys. In Python these must be tuples:
/// of the items, or of pairs of key and value.
fn hashable(key: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if let Ok(list) = key.cast::<PyList>() {
        let items: Vec<_> = list.iter().map(hashable).collect::<PyResult<_>>()?;
        return Ok(PyTuple::new(key.py(), items)?.into_any());
    }
    if let Ok(map) = key.cast::<PyDict>() {
        let pairs = map.iter().map(|(key, value)| Ok((key, hashable(value)?)));
        let pairs: Vec<_> = pairs.collect::<PyResult<_>>()?;
        return Ok(PyTuple::new(key.py(), pairs)?.into_any());
    }
    Ok(key)
}
