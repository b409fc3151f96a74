//! Instances of Python classes, without a call of the class, and tuples that the garbage collector
//! has nothing to look for in: a batch makes very many of them.

#![expect(unsafe_code, reason = "objects are made, and told of, by the C interface")]

use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyString, PyTuple, PyType};

use crate::errors::type_error;

/// A class whose instances are made without its `__init__`.
pub struct Class(Py<PyType>);

impl Class {
    /// Of this class.
    pub fn new(class: &Bound<'_, PyType>) -> Self {
        Self(class.clone().unbind())
    }

    /// A new instance: what `__new__` returns when it is given nothing else.
    pub fn instance<'py>(
        &self,
        py: Python<'py>,
        nothing: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: it is a live class, whose slot for this takes the class, a tuple and either a
        // dict or null, and returns a new object or sets an exception.
        unsafe {
            let class = self.0.as_ptr().cast::<ffi::PyTypeObject>();
            let Some(new) = (*class).tp_new else {
                return Err(type_error("the class of rows has no instances"));
            };
            Bound::from_owned_ptr_or_err(py, new(class, nothing.as_ptr(), ptr::null_mut()))
        }
    }
}

/// Has the garbage collector pass over a new tuple of text, integers and bytes, as it does by itself
/// once it has looked at one.
pub fn untrack(tuple: &Bound<'_, PyTuple>) {
    let is_atomic = |item: Borrowed<'_, '_, PyAny>| {
        item.is_exact_instance_of::<PyString>()
            || item.is_exact_instance_of::<PyInt>()
            || item.is_exact_instance_of::<PyByteArray>()
            || item.is_exact_instance_of::<PyBytes>()
            || item.is_none()
    };
    if tuple.iter_borrowed().all(is_atomic) {
        // SAFETY: it is a live tuple, whose items lead to no other object.
        unsafe { ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast()) };
    }
}
