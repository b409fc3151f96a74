//! Columns of keys: NumPy arrays, Arrow arrays, series.

use crate::columns::column_error;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySet, PyString, PyTuple};

use crate::aerospike::value::is_array;
use crate::columns::source::arrow::Arrays;
use crate::errors::{about, type_error, value_error};
use spikewire_columns::source::{Cell, cells, check};

/// The keys of a column as a list of plain Python values. `None` if `items` is not a column.
pub fn keys<'py>(items: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = items.py();
    let plain = items.is_instance_of::<PyList>()
        || items.is_instance_of::<PyTuple>()
        || items.is_instance_of::<PyDict>()
        || items.is_instance_of::<PySet>();
    if plain {
        return Ok(None);
    }
    if is_array(items)? {
        return Ok(items.call_method0("tolist")?.cast_into().ok());
    }
    let Some(mut arrays) = Arrays::import(items)? else { return Ok(None) };
    if arrays.kind().is_nested() {
        return Err(type_error(format!(
            "keys must be a single column, not a table or a column of type {}",
            arrays.kind()
        )));
    }
    check(&arrays.kind()).map_err(|error| column_error(error.within("keys")))?;
    let list = PyList::empty(py);
    while let Some(array) = py.detach(|| arrays.next())? {
        let column = cells(&array).map_err(column_error)?;
        for row in 0..array.len() {
            let key = column.cell(row).map_err(column_error).and_then(|cell| user(py, &cell));
            let at = list.len();
            list.append(key.map_err(|error| about(py, error, &format!("row {at}")))?)?;
        }
    }
    Ok(Some(list))
}

/// A key as a Python object.
pub fn user<'py>(py: Python<'py>, cell: &Cell<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        Cell::Int(int) => int.into_pyobject(py)?.into_any(),
        Cell::Text(text) => PyString::new(py, text).into_any(),
        Cell::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Cell::Null => return Err(value_error("a key must not be null")),
        _ => return Err(type_error("a key must be an integer, text or bytes")),
    })
}
