//! Arguments of operations to their bytes.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyMapping, PyString, PyTuple};

use spikewire_protocol::msgpack;
use spikewire_protocol::value::particle;

use crate::calls::{Cursor, Source};
use crate::errors::{overflow, shown, type_error, type_name};
use crate::value::{HyperLogLog, Place, element as append, encode};

/// Turns arguments into bytes, ready to be copied into a request.
pub struct Packer<'py> {
    pub cursor: Cursor<'py>,
}

/// A value as an element of a list.
pub fn element(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut out = Vec::new();
    append(&mut out, value, &Place::Argument(name))?;
    Ok(out)
}

/// An integer of 64 bits.
pub fn integer(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
    let index = match value.cast::<PyInt>() {
        Ok(int) if !value.is_instance_of::<PyBool>() => int.extract(),
        _ => Err(type_error(format!("{name} must be int, not {}", type_name(value)))),
    };
    index.map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            overflow(format!("{name}: the integer {} does not fit 64 bits signed", shown(value)))
        } else {
            error
        }
    })
}

/// Refuses what cannot be the key of a map.
pub fn check_key(name: &str, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let allowed = key.is_instance_of::<PyString>()
        || (key.is_instance_of::<PyInt>() && !key.is_instance_of::<PyBool>())
        || key.is_instance_of::<PyBytes>();
    if allowed {
        return Ok(());
    }
    Err(type_error(format!("{name}: a map key must be int, str or bytes, not {}", type_name(key))))
}

impl<'py> Source<'py> for Packer<'py> {
    type Value = Vec<u8>;
    type Number = i64;

    fn cursor(&mut self) -> &mut Cursor<'py> {
        &mut self.cursor
    }

    fn make_value(&mut self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        element(name, value)
    }

    fn make_key(&mut self, name: &str, key: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        check_key(name, key)?;
        element(name, key)
    }

    fn make_list(&mut self, name: &str, items: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        if items.is_instance_of::<PyList>() || items.is_instance_of::<PyTuple>() {
            return element(name, items);
        }
        Err(type_error(format!("{name} must be a list or tuple, not {}", type_name(items))))
    }

    fn make_map(&mut self, name: &str, pairs: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        if pairs.is_instance_of::<PyDict>() || pairs.cast::<PyMapping>().is_ok() {
            return element(name, pairs);
        }
        Err(type_error(format!("{name} must be a dict, not {}", type_name(pairs))))
    }

    fn make_bytes(&mut self, name: &str, bytes: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        let mut plain = Vec::new();
        if encode(&mut plain, bytes, &Place::Argument(name))? != particle::BLOB {
            return Err(type_error(format!("{name} must be bytes, not {}", type_name(bytes))));
        }
        let mut out = Vec::with_capacity(plain.len() + 6);
        msgpack::bytes(&mut out, particle::BLOB, &plain);
        Ok(out)
    }

    fn make_sketches(&mut self, name: &str, all: &Bound<'py, PyAny>) -> PyResult<Vec<u8>> {
        let packed = self.make_list(name, all)?;
        for (at, sketch) in all.try_iter()?.enumerate() {
            let sketch = sketch?;
            if !sketch.is_instance_of::<HyperLogLog>() {
                return Err(type_error(format!(
                    "{name}[{at}] must be a HyperLogLog, not {}",
                    type_name(&sketch)
                )));
            }
        }
        Ok(packed)
    }

    fn make_number(&mut self, name: &str, number: &Bound<'py, PyAny>) -> PyResult<i64> {
        integer(name, number)
    }
}
