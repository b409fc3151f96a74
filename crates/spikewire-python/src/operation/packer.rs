//! Arguments of operations to their bytes.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyMapping, PyString, PyTuple};

use spikewire_protocol::msgpack;
use spikewire_protocol::operation::{Given, Words};
use spikewire_protocol::value::particle;

use crate::calls::Arguments;
use crate::errors::{Raised, overflow, shown, type_error, type_name};
use crate::value::{HyperLogLog, Place, element as append, encode};

/// Turns arguments into bytes, ready to be copied into a request.
pub struct Packer<'a, 'py>(pub Arguments<'a, 'py>);

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

/// A list or tuple, as a list.
fn list(name: &str, items: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if items.is_instance_of::<PyList>() || items.is_instance_of::<PyTuple>() {
        return element(name, items);
    }
    Err(type_error(format!("{name} must be a list or tuple, not {}", type_name(items))))
}

impl Given for Packer<'_, '_> {
    type Value = Vec<u8>;
    type Number = i64;
    type Error = Raised;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.0.is_absent(at)
    }

    fn value(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        Ok(element(name, &self.0.get(at)?)?)
    }

    fn key(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        let key = self.0.get(at)?;
        check_key(name, &key)?;
        Ok(element(name, &key)?)
    }

    fn list(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        Ok(list(name, &self.0.get(at)?)?)
    }

    fn map(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        let pairs = self.0.get(at)?;
        if pairs.is_instance_of::<PyDict>() || pairs.cast::<PyMapping>().is_ok() {
            return Ok(element(name, &pairs)?);
        }
        Err(type_error(format!("{name} must be a dict, not {}", type_name(&pairs))).into())
    }

    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        let (bytes, mut plain) = (self.0.get(at)?, Vec::new());
        if encode(&mut plain, &bytes, &Place::Argument(name))? != particle::BLOB {
            let why = format!("{name} must be bytes, not {}", type_name(&bytes));
            return Err(type_error(why).into());
        }
        let mut out = Vec::with_capacity(plain.len() + 6);
        msgpack::bytes(&mut out, particle::BLOB, &plain);
        Ok(out)
    }

    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Vec<u8>, Raised> {
        let all = self.0.get(at)?;
        let packed = list(name, &all)?;
        for (at, sketch) in all.try_iter()?.enumerate() {
            let sketch = sketch?;
            if !sketch.is_instance_of::<HyperLogLog>() {
                let other = type_name(&sketch);
                let why = format!("{name}[{at}] must be a HyperLogLog, not {other}");
                return Err(type_error(why).into());
            }
        }
        Ok(packed)
    }

    fn number(&mut self, at: usize, name: &'static str) -> Result<i64, Raised> {
        Ok(integer(name, &self.0.get(at)?)?)
    }

    fn bits(&mut self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Raised> {
        Ok(self.0.bits(at, name, bounds)?)
    }

    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, Raised> {
        Ok(self.0.flag(at, name)?)
    }

    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, Raised> {
        Ok(self.0.word(at, name, known)?)
    }

    fn is_empty(&self, list: &Vec<u8>) -> bool {
        *list == [0x90]
    }
}
