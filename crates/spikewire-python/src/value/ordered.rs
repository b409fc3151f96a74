//! Maps ordered by key, as instances of a class registered by the program.
//!
//! Without such a class (as long as nobody needs to tell them apart) they are plain dicts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString, PyType};

use super::{changed, pairs};
use crate::errors::type_error;

/// The flag of such a map on the wire.
pub const KEY_ORDERED: u8 = 1;

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Names the class, a subclass of dict, of maps in the order of their keys; the first one counts,
/// for the process.
#[pyfunction]
pub fn _ordered_maps(class: Bound<'_, PyType>) -> PyResult<()> {
    if !class.is_subclass_of::<PyDict>()? {
        return Err(type_error("the class of ordered maps must be a subclass of dict".to_owned()));
    }
    let _ = CLASS.set(class.py(), class.unbind());
    Ok(())
}

/// The class for maps ordered by key, if the program has registered one.
pub fn class(py: Python<'_>) -> Option<&Bound<'_, PyType>> {
    CLASS.get(py).map(|class| class.bind(py))
}

/// Whether a dict is written as a map ordered by key.
pub fn is_ordered(dict: &Bound<'_, PyDict>) -> bool {
    class(dict.py()).is_some_and(|class| dict.is_instance(class).unwrap_or(false))
}

/// The order of keys on servers: numbers, text, bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Int(i64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    /// Not a valid key, which is reported when it is encoded.
    Other,
}

fn rank(key: &Bound<'_, PyAny>) -> Rank {
    if let Ok(text) = key.cast::<PyString>() {
        return text.to_str().map_or(Rank::Other, |text| Rank::Text(text.as_bytes().to_vec()));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Rank::Bytes(bytes.as_bytes().to_vec());
    }
    key.cast::<PyInt>().ok().and_then(|int| int.extract().ok()).map_or(Rank::Other, Rank::Int)
}

/// The pairs of a dict, ordered by key.
pub fn sorted<'py>(
    dict: &Bound<'py, PyDict>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let len = dict.len();
    let mut found = pairs(dict).collect::<PyResult<Vec<_>>>()?;
    if found.len() != len {
        return Err(changed("dict"));
    }
    found.sort_by_cached_key(|(key, _)| rank(key));
    Ok(found)
}
