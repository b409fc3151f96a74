//! Bin names. They are checked when encoded; when decoded, known names are taken from a cache.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyString;

use spikewire_aerospike::command::check_bin_name;
use spikewire_aerospike_protocol::limits::BIN_NAME;

use crate::errors::{invalid_argument, repr_of, type_error, type_name, value_error};

const SLOTS: usize = 256;

struct CachedName {
    len: u8,
    bytes: [u8; BIN_NAME],
    name: Py<PyString>,
}

thread_local! {
    static NAMES: RefCell<Vec<Option<CachedName>>> =
        RefCell::new(std::iter::repeat_with(|| None).take(SLOTS).collect());
}

/// The Python string for a bin name from the wire. Bytes that are not UTF-8 become surrogate
/// escapes, so that no name is lost.
pub fn bin<'py>(py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let fresh = || crate::aerospike::value::decode::text(py, name);
    if name.len() > BIN_NAME {
        return fresh();
    }
    let hash = name
        .iter()
        .fold(name.len(), |hash, byte| (hash ^ usize::from(*byte)).wrapping_mul(0x0100_0193));
    NAMES.with(|names| {
        let Ok(mut names) = names.try_borrow_mut() else { return fresh() };
        let slot = &mut names[hash % SLOTS];
        if let Some(cached) = slot
            && cached.bytes[..usize::from(cached.len)] == *name
        {
            return Ok(cached.name.bind(py).clone());
        }
        let text = fresh()?;
        let mut bytes = [0; BIN_NAME];
        bytes[..name.len()].copy_from_slice(name);
        *slot = Some(CachedName { len: name.len() as u8, bytes, name: text.clone().unbind() });
        Ok(text)
    })
}

/// Checks a bin name.
pub fn bin_name<'a>(name: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = bin_text(name)?;
    check_bin_name(text).map_err(invalid_argument)?;
    Ok(text)
}

/// A bin name, in places where it is checked later together with its value.
pub fn bin_text<'a>(name: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let Ok(text) = name.cast::<PyString>() else {
        return Err(type_error(format!("a bin name must be str, not {}", type_name(name))));
    };
    let text = text.to_str().map_err(|_| {
        value_error(format!("the bin name {} cannot be written as UTF-8", repr_of(name)))
    })?;
    Ok(text)
}
