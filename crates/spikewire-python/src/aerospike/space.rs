//! Names, user keys and digests from Python objects.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};

use spikewire_aerospike_protocol::key::{Digest, UserKey};

use crate::arguments::text;
use crate::errors::{invalid_argument, overflow, repr_of, type_error, type_name, value_error};

pub use spikewire_aerospike::command::SetRef as Space;

thread_local! {
    /// The names that were checked last, because key tuples name the same set again and again.
    static LATEST: RefCell<Option<Arc<Space>>> = const { RefCell::new(None) };
}

/// Checks names. `None` is the null set.
pub fn of(namespace: &str, set: Option<&str>) -> PyResult<Arc<Space>> {
    let set = set.unwrap_or_default();
    LATEST.with_borrow_mut(|latest| {
        if let Some(space) = latest
            && *space.namespace == *namespace
            && space.set == set
        {
            return Ok(space.clone());
        }
        let space = Space::new(namespace, set).map_err(invalid_argument)?;
        *latest = Some(space.clone());
        Ok(space)
    })
}

/// Checks names given as Python objects. `None` is the null set.
pub fn named(namespace: &Bound<'_, PyAny>, set: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Space>> {
    let set = set.map(|set| text("set", set)).transpose()?;
    of(text("namespace", namespace)?, set)
}

/// A user key as sent along with a request; `None` if only the digest is known.
pub fn stored_key(key: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if key.is_none() {
        return Ok(None);
    }
    with_user_key(key, |user, _| user.stored()).map(Some)
}

/// Parses a 20-byte digest.
pub fn parse_digest(value: &Bound<'_, PyAny>) -> PyResult<Digest> {
    let bytes: Vec<u8> = if let Ok(bytes) = value.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        bytes.to_vec()
    } else {
        return Err(type_error(format!("a digest must be bytes, not {}", type_name(value))));
    };
    let len = bytes.len();
    let bytes: [u8; 20] =
        bytes.try_into().map_err(|_| value_error(format!("a digest has 20 bytes, not {len}")))?;
    Ok(Digest(bytes))
}

/// Passes a Python user key on as the protocol's type, and as an object that can be kept: for
/// objects that may change later, such as a `bytearray`, that is the int or bytes they now stand
/// for.
#[inline]
pub fn with_user_key<'py, R>(
    key: &Bound<'py, PyAny>,
    look: impl FnOnce(UserKey<'_>, &Bound<'py, PyAny>) -> R,
) -> PyResult<R> {
    if key.is_exact_instance_of::<PyInt>() {
        return Ok(look(UserKey::Int(int(key, key)?), key));
    }
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_str().map_err(|_| {
            value_error("the key is a str that cannot be written as UTF-8 (lone surrogates)")
        })?;
        return Ok(look(UserKey::Str(text), key));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(look(UserKey::Bytes(bytes.as_bytes()), key));
    }
    let copy = if let Ok(bytes) = key.cast::<PyByteArray>() {
        Some(PyBytes::new(key.py(), &bytes.to_vec()))
    } else if key.is_instance_of::<PyMemoryView>() {
        Some(key.call_method0("tobytes")?.cast_into::<PyBytes>()?)
    } else {
        None
    };
    if let Some(copy) = copy {
        return Ok(look(UserKey::Bytes(copy.as_bytes()), copy.as_any()));
    }
    // Anything with `__index__` is an integer (NumPy scalars, enums), but a bool is not a key.
    if !key.is_instance_of::<PyBool>() && !key.is_instance_of::<PyFloat>() {
        let index = if key.is_instance_of::<PyInt>() {
            Some(key.clone())
        } else {
            key.call_method0("__index__").ok()
        };
        if let Some(index) = index {
            return Ok(look(UserKey::Int(int(&index, key)?), &index));
        }
    }
    Err(no_key(key))
}

/// The error for a value that cannot be a key, with what to write instead of it.
#[cold]
fn no_key(key: &Bound<'_, PyAny>) -> PyErr {
    let value = repr_of(key);
    let advice = if let Ok(parts) = key.cast::<PyTuple>() {
        let names = if (3..=4).contains(&parts.len()) {
            ", or pass this tuple to the client's verb of the same name, as client.get(key)"
        } else {
            ""
        };
        format!(
            "; to use its parts as one key, join them into a str, such as \":\".join(map(str, \
             key)){names}"
        )
    } else if key.is_instance_of::<PyList>() {
        "; for several keys there are get_many, put_many and the other verbs of many records"
            .to_owned()
    } else if key.is_instance_of::<PyFloat>() || key.is_instance_of::<PyBool>() {
        "; use int(key) or str(key)".to_owned()
    } else {
        String::new()
    };
    type_error(format!("a key must be int, str or bytes, not {} ({value}){advice}", type_name(key)))
}

/// The integer value of a key.
fn int(index: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<i64> {
    index.extract().map_err(|_| {
        overflow(format!("the key {} does not fit an integer of 64 bits signed", repr_of(key)))
    })
}
