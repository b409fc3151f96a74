//! Maps ordered by key, as instances of a class registered by the program.
//!
//! Without such a class (as long as nobody needs to tell them apart) they are plain dicts.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::bridge::cached::Cached;
use crate::errors::type_error;

/// The flag of such a map on the wire.
pub const KEY_ORDERED: u8 = 1;

static CLASS: Cached<Py<PyType>> = Cached::new();

/// Names the class, a subclass of dict, of maps in the order of their keys; the first one counts,
/// for the process.
#[pyfunction]
pub fn _ordered_maps(class: Bound<'_, PyType>) -> PyResult<()> {
    if !class.is_subclass_of::<PyDict>()? {
        return Err(type_error("the class of ordered maps must be a subclass of dict".to_owned()));
    }
    CLASS.get_or_set(class.py(), class.unbind());
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
