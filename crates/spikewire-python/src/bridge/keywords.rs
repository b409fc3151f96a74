//! Helpers for keyword arguments.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::bridge::errors::{type_error, type_name, utf8};

/// `None`, or what `read` makes of the value.
pub fn optional<'py, T>(
    name: &str,
    value: &Bound<'py, PyAny>,
    read: impl FnOnce(&str, &Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { read(name, value).map(Some) }
}

pub fn text<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match value.cast::<PyString>() {
        Ok(text) => utf8(name, text),
        Err(_) => Err(type_error(format!("{name} must be str, not {}", type_name(value)))),
    }
}

pub fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value
        .extract()
        .map_err(|_| type_error(format!("{name} must be True or False, not {}", type_name(value))))
}
