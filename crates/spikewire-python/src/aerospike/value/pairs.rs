//! Detects dicts and lists that other code modifies while they are read: an error, as in Python
//! itself.
//!
//! The other code may be another thread, or may run as part of a value: a property, its
//! `__getitem__`, a function of the codec.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::PyDict;
use pyo3::types::iter::BoundDictIterator;

/// Key and value.
pub type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// An iterator over the pairs of a dict.
pub struct Pairs<'py> {
    dict: Bound<'py, PyDict>,
    inner: BoundDictIterator<'py>,
    len: usize,
    left: usize,
}

/// The pairs of a dict, as many as its current length says, or an error.
pub fn pairs<'py>(dict: &Bound<'py, PyDict>) -> Pairs<'py> {
    let len = dict.len();
    Pairs { dict: dict.clone(), inner: dict.iter(), len, left: len }
}

/// The error for a container that was modified.
pub fn changed(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("a {what} was changed while it was read"))
}

impl<'py> Iterator for Pairs<'py> {
    type Item = PyResult<Pair<'py>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let Self { dict, inner, len, .. } = self;
        // The iterator panics if the length has changed, so the dict must not change between the
        // check and the call.
        let next = with_critical_section(dict.as_any(), || {
            if dict.len() == *len { inner.next() } else { None }
        });
        self.left = if next.is_some() { self.left - 1 } else { 0 };
        Some(next.ok_or_else(|| changed("dict")))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Pairs<'_> {}
