//! A client's codec: how values of certain types and bins are stored, defined by functions of the
//! user.

use std::fmt::Display;

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyTuple, PyType};
use rustc_hash::FxHashMap;

use super::names::bin_name;
use crate::bridge::imports::import_late;
use crate::bridge::python_code::PythonCode;
use crate::errors::{about, type_error, type_name};

/// How the values of one bin are encoded and decoded.
#[derive(Debug)]
struct Form {
    encode: Py<PyAny>,
    decode: Py<PyAny>,
}

/// The contents of a `spikewire.codec.Codec`, ready for use.
#[derive(Debug)]
pub struct Codec {
    types: Vec<(Py<PyType>, Py<PyAny>)>,
    bins: FxHashMap<Box<[u8]>, Form>,
}

impl Codec {
    /// Whether the codec decodes this bin.
    pub fn reads(&self, name: &[u8]) -> bool {
        self.bins.contains_key(name)
    }

    /// From a Python `Codec`, which has checked its contents.
    pub fn new(codec: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = codec.py();
        let class = import_late(py, "spikewire.aerospike.codec")?.getattr("Codec")?;
        if !codec.is_instance(&class)? {
            return Err(type_error(format!(
                "codec must be a spikewire.codec.Codec, not {}",
                type_name(codec)
            )));
        }
        let items = |name: &str| {
            let mapping: Bound<'_, PyMapping> = codec.getattr(name)?.cast_into()?;
            mapping.items()?.iter().map(|pair| pair.extract()).collect::<PyResult<Vec<_>>>()
        };
        let mut types = Vec::new();
        for (class, encode) in items("types")? {
            let class: Bound<'_, PyAny> = class;
            let encode: Bound<'_, PyAny> = encode;
            types.push((class.cast_into::<PyType>()?.unbind(), encode.unbind()));
        }
        let mut bins = FxHashMap::default();
        for (name, form) in items("bins")? {
            let encode = form.getattr("encode")?.unbind();
            let decode = form.getattr("decode")?.unbind();
            bins.insert(bin_name(&name)?.as_bytes().into(), Form { encode, decode });
        }
        Ok(Self { types, bins })
    }

    /// The plain value for a value whose type, or a base class of it, is registered.
    pub fn plain<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        place: &dyn Display,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(encode) = self.of(value) else { return Ok(None) };
        let _code = PythonCode::enter(value.py());
        let encoded = encode.call1((value,)).map_err(|error| {
            wrapped(value.py(), error, &format!("{place}: the codec cannot encode"), value)
        })?;
        if self.of(&encoded).is_some() {
            return Err(type_error(format!(
                "{place}: the codec makes a {} of a {}, which it would have to encode again",
                type_name(&encoded),
                type_name(value)
            )));
        }
        Ok(Some(encoded))
    }

    /// The function for a value's type: that of the nearest base class.
    fn of<'py>(&self, value: &Bound<'py, PyAny>) -> Option<&Bound<'py, PyAny>> {
        if self.types.is_empty() {
            return None;
        }
        let py = value.py();
        let classes: Bound<'py, PyTuple> = value.get_type().mro();
        classes.iter().find_map(|class| {
            let known = self.types.iter().find(|(known, _)| class.is(known));
            known.map(|(_, encode)| encode.bind(py))
        })
    }

    /// The value to store in a bin; `None` for bins without a form.
    pub fn encode<'py>(
        &self,
        name: &str,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(form) = self.bins.get(name.as_bytes()) else { return Ok(None) };
        // None removes a bin, whatever its form.
        if value.is_none() {
            return Ok(None);
        }
        let py = value.py();
        let _code = PythonCode::enter(py);
        let encoded = form.encode.bind(py).call1((value,)).map_err(|error| {
            wrapped(py, error, &format!("bin {name:?}: the codec cannot encode"), value)
        })?;
        if encoded.is_none() {
            return Err(PyValueError::new_err(format!(
                "bin {name:?}: the codec makes None of a {}, which would remove the bin",
                type_name(value)
            )));
        }
        Ok(Some(encoded))
    }

    /// Decodes the value of a bin.
    pub fn decode<'py>(
        &self,
        name: &[u8],
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(form) = self.bins.get(name) else { return Ok(value) };
        if value.is_none() {
            return Ok(value);
        }
        let py = value.py();
        let _code = PythonCode::enter(py);
        form.decode.bind(py).call1((&value,)).map_err(|error| {
            let name = String::from_utf8_lossy(name);
            wrapped(py, error, &format!("bin {name:?}: the codec cannot decode"), &value)
        })
    }
}

/// Prefixes an error of a user's function with the bin and the type. The original message is kept,
/// and the original error becomes the cause.
fn wrapped(py: Python<'_>, error: PyErr, what: &str, value: &Bound<'_, PyAny>) -> PyErr {
    if !error.is_instance_of::<PyException>(py) {
        return error;
    }
    let wrapped = about(
        py,
        PyValueError::new_err(format!("{}: {}", error.get_type(py), error.value(py))),
        &format!("{what} a value of type {}", type_name(value)),
    );
    wrapped.set_cause(py, Some(error));
    wrapped
}
