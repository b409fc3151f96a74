//! Checks whether arguments can be passed to the engine unchanged, so that no Python code has to
//! inspect each row.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::aerospike::compat::operations::OfficialOperations;
use crate::aerospike::operation::Operation;

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
    let (steps, bins) = (PyList::empty(py), PyList::empty(py));
    for one in ops.iter() {
        let Some(entries) = known.get().parse(&one) else { return Ok(None) };
        let value = entries.value.as_ref();
        let Ok(step) = Operation::new(entries.verb.bind(py), Some(entries.bin.as_any()), value)
        else {
            return Ok(None);
        };
        steps.append(Bound::new(py, step)?)?;
        bins.append(entries.bin)?;
    }
    Ok((!steps.is_empty()).then_some((steps, bins)))
}
