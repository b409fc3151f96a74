//! One value of a type, outside of statements and rows.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spikewire_cql::types::Type;
use spikewire_cql::value::encode;

use super::decode::{ValueDecoder, value as decoded};
use super::{HostValue, Mark};
use crate::bridge::errors::value_error;
use crate::cql::classes::Classes;

/// The bytes of a value of a type, which is the server's class name; `None` for null.
#[pyfunction]
#[pyo3(signature = (class_name, value, /))]
pub fn encode_value<'py>(
    py: Python<'py>,
    class_name: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if value.cast_exact::<Mark>().is_ok_and(|mark| *mark.get() == Mark::Unset) {
        return Err(value_error("UNSET has no bytes: it is for parameters of statements"));
    }
    let mut out = Vec::new();
    encode(&Type::of_class(class_name), &HostValue(value), &mut out)?;
    let (len, bytes) = out.split_first_chunk::<4>().unwrap_or((&[0xff; 4], &[]));
    Ok((i32::from_be_bytes(*len) >= 0).then(|| PyBytes::new(py, bytes)))
}

/// The value of a type, which is the server's class name, from its bytes; `None` for null.
#[pyfunction]
#[pyo3(signature = (class_name, bytes, /))]
pub fn decode_value<'py>(
    py: Python<'py>,
    class_name: &str,
    bytes: Option<&[u8]>,
) -> PyResult<Bound<'py, PyAny>> {
    let classes = Classes::new();
    Ok(decoded(&Type::of_class(class_name), bytes, &ValueDecoder { py, classes: &classes })?)
}
