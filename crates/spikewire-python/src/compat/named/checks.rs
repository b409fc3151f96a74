//! Whether arguments are what the engine takes as it is, so that no Python code looks at each row.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::compat::operations::OfficialOperations;
use crate::operation::Operation;

/// Whether every key is a tuple of namespace, set, user key and perhaps digest, and none one of bytes.
#[pyfunction]
#[pyo3(signature = (keys, /))]
pub fn _plain_keys(keys: &Bound<'_, PyList>) -> bool {
    let is_plain = |key: Bound<'_, PyAny>| {
        let key = key.cast::<PyTuple>().ok().filter(|key| matches!(key.len(), 3 | 4));
        let user = key.and_then(|key| key.get_item(2).ok());
        user.is_some_and(|user| !user.is_exact_instance_of::<PyBytes>())
    };
    keys.iter().all(is_plain)
}

/// Whether every row is a tuple of a key, which is not one of bytes, and a dict of bins.
#[pyfunction]
#[pyo3(signature = (rows, /))]
pub fn _plain_rows(rows: &Bound<'_, PyList>) -> bool {
    let is_plain = |row: Bound<'_, PyAny>| -> Option<bool> {
        let row = row.cast_exact::<PyTuple>().ok().filter(|row| row.len() == 2)?;
        let key = row.get_item(0).ok()?;
        let key = key.cast_exact::<PyTuple>().ok().filter(|key| key.len() == 3)?;
        let of_bytes = key.get_item(2).ok()?.is_exact_instance_of::<PyBytes>();
        let bins = row.get_item(1).ok()?;
        Some(!of_bytes && !bins.cast_exact::<PyDict>().ok()?.is_empty())
    };
    rows.iter().all(|row| is_plain(row) == Some(true))
}

/// The operations of a list of dictionaries, and their bins; `None` where one of them needs more
/// than a look. `known` says which do not.
#[pyfunction]
#[pyo3(signature = (known, ops, /))]
#[allow(clippy::type_complexity)]
pub fn _plain_steps<'py>(
    known: &Bound<'py, OfficialOperations>,
    ops: &Bound<'py, PyList>,
) -> PyResult<Option<(Bound<'py, PyList>, Bound<'py, PyList>)>> {
    let py = ops.py();
    let (made, bins) = (PyList::empty(py), PyList::empty(py));
    for one in ops.iter() {
        let Some(given) = known.get().given(&one) else { return Ok(None) };
        let value = given.value.as_ref();
        let Ok(step) = Operation::new(given.verb.bind(py), Some(given.bin.as_any()), value) else {
            return Ok(None);
        };
        made.append(Bound::new(py, step)?)?;
        bins.append(given.bin)?;
    }
    Ok((!made.is_empty()).then_some((made, bins)))
}
