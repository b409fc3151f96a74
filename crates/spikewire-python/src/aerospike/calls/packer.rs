//! Encodes the arguments of operations.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyMapping, PyString, PyTuple};

use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::operation::{ValueArguments, ValueForm};
use spikewire_aerospike_protocol::value::particle;

use super::CallArguments;
use crate::aerospike::value::{HyperLogLog, Place, element as append, encode, is_map_key, plain};
use crate::errors::{RequestError, overflow, repr_of, type_error, type_name};

/// A value as an element of a list.
pub fn element(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut out = Vec::new();
    append(&mut out, value, &Place::Argument(name))?;
    Ok(out)
}

/// A 64-bit integer.
pub fn integer(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let index = match value.cast::<PyInt>() {
        Ok(int) if !value.is_instance_of::<PyBool>() => int.extract(),
        _ => Err(type_error(format!("{name} must be int, not {}", type_name(value)))),
    };
    index.map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            overflow(format!("{name}: the integer {} does not fit 64 bits signed", repr_of(value)))
        } else {
            error
        }
    })
}

/// Rejects values that cannot be the key of a map.
pub fn check_key(name: &str, key: &Bound<'_, PyAny>) -> PyResult<()> {
    if is_map_key(key) {
        return Ok(());
    }
    if let Some(plain) = plain(key, &Place::Argument(name))? {
        return check_key(name, &plain);
    }
    Err(type_error(format!("{name}: a map key must be int, str or bytes, not {}", type_name(key))))
}

/// A list or tuple, as a list.
fn list(name: &str, items: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if items.is_instance_of::<PyList>() || items.is_instance_of::<PyTuple>() {
        return element(name, items);
    }
    Err(type_error(format!("{name} must be a list or tuple, not {}", type_name(items))))
}

fn map(name: &str, pairs: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if pairs.is_instance_of::<PyDict>() || pairs.cast::<PyMapping>().is_ok() {
        return element(name, pairs);
    }
    Err(type_error(format!("{name} must be a dict, not {}", type_name(pairs))))
}

fn bytes(name: &str, bytes: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut plain = Vec::new();
    if encode(&mut plain, bytes, &Place::Argument(name))? != particle::BLOB {
        return Err(type_error(format!("{name} must be bytes, not {}", type_name(bytes))));
    }
    let mut out = Vec::with_capacity(plain.len() + 6);
    msgpack::bytes(&mut out, particle::BLOB, &plain);
    Ok(out)
}

fn sketches(name: &str, all: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let packed = list(name, all)?;
    for (at, sketch) in all.try_iter()?.enumerate() {
        let sketch = sketch?;
        if !sketch.is_instance_of::<HyperLogLog>() {
            let other = type_name(&sketch);
            return Err(type_error(format!("{name}[{at}] must be a HyperLogLog, not {other}")));
        }
    }
    Ok(packed)
}

fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if !value.is_instance_of::<PyString>() {
        return Err(type_error(format!("{name} must be str, not {}", type_name(value))));
    }
    element(name, value)
}

fn texts(name: &str, all: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let packed = list(name, all)?;
    for (at, value) in all.try_iter()?.enumerate() {
        let value = value?;
        if !value.is_instance_of::<PyString>() {
            let other = type_name(&value);
            return Err(type_error(format!("{name}[{at}] must be str, not {other}")));
        }
    }
    Ok(packed)
}

impl ValueArguments for CallArguments<'_, '_> {
    fn packed(
        &self,
        at: usize,
        name: &'static str,
        form: ValueForm,
    ) -> Result<Vec<u8>, RequestError> {
        let value = self.get(at)?;
        Ok(match form {
            ValueForm::Any => element(name, &value)?,
            ValueForm::Key => {
                check_key(name, &value)?;
                element(name, &value)?
            }
            ValueForm::List => list(name, &value)?,
            ValueForm::Map => map(name, &value)?,
            ValueForm::Bytes => bytes(name, &value)?,
            ValueForm::Sketches => sketches(name, &value)?,
            ValueForm::Text => text(name, &value)?,
            ValueForm::Texts => texts(name, &value)?,
        })
    }

    fn integer(&self, at: usize, name: &'static str) -> Result<i64, RequestError> {
        Ok(integer(name, &self.get(at)?)?)
    }
}
