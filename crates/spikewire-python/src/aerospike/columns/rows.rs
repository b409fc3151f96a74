//! Access to the rows of a batch, common to all kinds of columns.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use spikewire_columns::{ExtraColumns, RowError, WireValue};

use crate::aerospike::key::Key;
use crate::columns::column_error;
use crate::errors::{repr_of, type_error, type_name, value_error};

/// Passes a user key as a value, or `None` if only the digest is known.
pub fn with_key<T>(
    user: &Bound<'_, PyAny>,
    take: impl FnOnce(Option<WireValue<'_>>) -> T,
) -> PyResult<T> {
    Ok(if let Ok(text) = user.cast::<PyString>() {
        take(Some(WireValue::Text(text.to_str()?.as_bytes())))
    } else if let Ok(bytes) = user.cast::<PyBytes>() {
        take(Some(WireValue::Bytes(bytes.as_bytes())))
    } else if user.is_instance_of::<PyInt>() {
        take(Some(WireValue::Int(user.extract()?)))
    } else if user.is_none() {
        take(None)
    } else {
        // Other bytes-like objects are valid user keys as well.
        take(Some(WireValue::Bytes(&user.extract::<Vec<u8>>()?)))
    })
}

/// The exception for a row. `failure` creates the error of a row without a record.
pub fn row_error(
    py: Python<'_>,
    error: &RowError,
    keys: &[Key],
    failure: impl FnOnce(usize) -> PyErr,
) -> PyErr {
    let place = |row: usize, column: &str| {
        let user = keys[row].user.bind(py);
        let key = if user.is_none() { String::new() } else { format!(" (key {})", repr_of(user)) };
        let column = if column.is_empty() { String::new() } else { format!(", {column:?}") };
        format!("row {row}{key}{column}")
    };
    match error {
        RowError::Failed(row) | RowError::NoRecord(row) => failure(*row),
        RowError::NoValue(row, column) => {
            value_error(format!("{}: there is no value", place(*row, column)))
        }
        RowError::Bad(row, column, error) => {
            column_error(error.clone().within(&place(*row, column)))
        }
    }
}

/// The keywords `key`, `generation` and `ttl`: columns that do not come from bins.
pub fn extra_columns(
    key: Option<&Bound<'_, PyAny>>,
    generation: Option<&Bound<'_, PyAny>>,
    ttl: Option<&Bound<'_, PyAny>>,
) -> PyResult<ExtraColumns> {
    let name = |what: &str, value: Option<&Bound<'_, PyAny>>| -> PyResult<Option<String>> {
        let Some(value) = value else { return Ok(None) };
        match value.cast::<PyString>() {
            Ok(name) => Ok(Some(name.to_str()?.to_owned())),
            Err(_) => Err(type_error(format!(
                "{what} must be the name of a column, not {}",
                type_name(value)
            ))),
        }
    };
    ExtraColumns::new(name("key", key)?, name("generation", generation)?, name("ttl", ttl)?)
        .map_err(value_error)
}
