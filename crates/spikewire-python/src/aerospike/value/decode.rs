//! Particles to Python objects.

#![expect(unsafe_code, reason = "Python objects are made by the C interface")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyList, PyNone, PyString, PyTuple};

use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::value::{
    geojson_text, particle as kind, read_bool, read_float, read_int,
};
use spikewire_aerospike_protocol::{Malformed, limits};

use super::{GeoJSON, HyperLogLog, ordered};
use crate::errors::to_python;

/// The Python object for one particle.
pub fn particle<'py>(py: Python<'py>, of: u8, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    Ok(match of {
        kind::INTEGER => read_int(bytes).map_err(malformed)?.into_pyobject(py)?.into_any(),
        kind::STRING => text(py, bytes)?.into_any(),
        kind::NULL => PyNone::get(py).to_owned().into_any(),
        kind::FLOAT => PyFloat::new(py, read_float(bytes).map_err(malformed)?).into_any(),
        kind::BOOL => PyBool::new(py, read_bool(bytes).map_err(malformed)?).to_owned().into_any(),
        kind::GEOJSON => geojson(py, geojson_text(bytes).map_err(malformed)?)?,
        kind::HLL => Bound::new(py, HyperLogLog { bytes: bytes.to_vec() })?.into_any(),
        kind::LIST | kind::MAP => {
            let mut reader = Reader::new(bytes);
            let value = nested(py, &mut reader, limits::NESTING)?;
            if !reader.is_at_end() {
                return Err(malformed(Malformed::new("list or map", "bytes after its end")));
            }
            value
        }
        // Blobs, and types for which Python has nothing more suitable.
        _ => PyBytes::new(py, bytes).into_any(),
    })
}

/// Whether a particle is decoded to `int`, `str`, `float`, `bool` or `None`.
pub fn is_scalar(of: u8) -> bool {
    matches!(of, kind::INTEGER | kind::STRING | kind::NULL | kind::FLOAT | kind::BOOL)
}

/// Whether a particle is decoded to `bytes`.
pub fn is_bytes(of: u8) -> bool {
    !matches!(
        of,
        kind::INTEGER
            | kind::STRING
            | kind::NULL
            | kind::FLOAT
            | kind::BOOL
            | kind::GEOJSON
            | kind::HLL
            | kind::LIST
            | kind::MAP
    )
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

fn geojson<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Ok(Bound::new(py, GeoJSON { text })?.into_any())
}

fn nested<'py>(
    py: Python<'py>,
    reader: &mut Reader<'_>,
    depth: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if depth == 0 {
        return Err(malformed(Malformed::new("list or map", "nested too deep")));
    }
    Ok(match reader.next().map_err(malformed)? {
        Token::Nil => PyNone::get(py).to_owned().into_any(),
        Token::Bool(flag) => PyBool::new(py, flag).to_owned().into_any(),
        Token::Int(int) => int.into_pyobject(py)?.into_any(),
        Token::UInt(int) => int.into_pyobject(py)?.into_any(),
        Token::Float(float) => PyFloat::new(py, float).into_any(),
        Token::Bytes(kind::STRING, bytes) => text(py, bytes)?.into_any(),
        Token::Bytes(kind::GEOJSON, bytes) => geojson(py, bytes)?,
        Token::Bytes(kind::HLL, bytes) => {
            Bound::new(py, HyperLogLog { bytes: bytes.to_vec() })?.into_any()
        }
        Token::Bytes(_, bytes) | Token::Ext(_, bytes) => PyBytes::new(py, bytes).into_any(),
        Token::Array(count) => {
            let list = PyList::empty(py);
            for at in 0..count {
                if at == 0 && reader.skip_flags() {
                    continue;
                }
                list.append(nested(py, reader, depth - 1)?)?;
            }
            list.into_any()
        }
        Token::Map(count) => {
            let flags = if count == 0 { None } else { reader.flags() };
            let dict = match ordered::class(py) {
                Some(class) if flags == Some(ordered::KEY_ORDERED) => {
                    class.call0()?.cast_into::<PyDict>()?
                }
                _ => PyDict::new(py),
            };
            if flags.is_some() {
                reader.next().map_err(malformed)?;
            }
            for _ in u32::from(flags.is_some())..count {
                let key = hashable(nested(py, reader, depth - 1)?)?;
                dict.set_item(key, nested(py, reader, depth - 1)?)?;
            }
            dict.into_any()
        }
    })
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

fn malformed(error: Malformed) -> PyErr {
    let message = format!("the server sent a value this client cannot read: {error}");
    Python::attach(|py| to_python(py, &Error::new(Kind::Malformed, message), None))
}
