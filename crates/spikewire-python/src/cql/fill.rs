//! Tuples and lists whose items are made where they are to stand, by the C interface: a result has
//! very many of them.

#![expect(unsafe_code, reason = "items are put into tuples and lists without a copy of them")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::errors::Raised;

type Made<'py, T> = Result<Bound<'py, T>, Raised>;

/// A tuple of `len` items; `make` gets the index of each.
#[inline]
pub fn tuple<'py>(
    py: Python<'py>,
    len: usize,
    mut make: impl FnMut(usize) -> Made<'py, PyAny>,
) -> Made<'py, PyTuple> {
    // SAFETY: the object is a new tuple, or there is none and an exception.
    let tuple: Bound<'py, PyTuple> = unsafe {
        let new = ffi::PyTuple_New(len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked()
    };
    for at in 0..len {
        let item = make(at)?;
        // SAFETY: the tuple is new, has `len` places, and nothing stands in this one.
        unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), at as ffi::Py_ssize_t, item.into_ptr()) };
    }
    Ok(tuple)
}

/// A list of `len` items.
#[inline]
pub fn list<'py, T>(
    py: Python<'py>,
    len: usize,
    mut make: impl FnMut() -> Made<'py, T>,
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the object is a new list, or there is none and an exception.
    let list: Bound<'py, PyList> = unsafe {
        let new = ffi::PyList_New(len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked()
    };
    for at in 0..len {
        let item = make()?;
        // SAFETY: the list is new, has `len` places, and nothing stands in this one.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t, item.into_ptr()) };
    }
    Ok(list)
}

/// Whether the caller has the only reference to an object. Without a GIL that cannot be said, and it
/// is `false`.
#[inline]
pub fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: it is a live object.
    cfg!(not(Py_GIL_DISABLED)) && unsafe { ffi::Py_REFCNT(object.as_ptr()) } == 1
}

/// Makes the items of a tuple anew that only the caller has, as `zip` does; `false` if it has not.
/// After an error some items are new.
#[inline]
pub fn again<'py>(
    tuple: &Bound<'py, PyTuple>,
    mut make: impl FnMut(usize) -> Made<'py, PyAny>,
) -> Result<bool, Raised> {
    if !is_ours(tuple.as_any()) {
        return Ok(false);
    }
    let (py, raw) = (tuple.py(), tuple.as_ptr());
    for at in 0..tuple.len() {
        let item = make(at)?;
        // SAFETY: the place is one of the tuple. What stood there was owned by the tuple, and is
        // dropped when the new item stands there.
        let former = unsafe {
            let at = at as ffi::Py_ssize_t;
            let former = ffi::PyTuple_GET_ITEM(raw, at);
            ffi::PyTuple_SET_ITEM(raw, at, item.into_ptr());
            Bound::from_owned_ptr_or_opt(py, former)
        };
        drop(former);
    }
    // SAFETY: it is a live tuple, which the interpreter may have found to hold nothing that the
    // garbage collector would have to look at, and which keeps its hash from Python 3.14 on.
    unsafe {
        if ffi::PyObject_GC_IsTracked(raw) == 0 {
            ffi::PyObject_GC_Track(raw.cast());
        }
        #[cfg(Py_3_14)]
        {
            (*raw.cast::<ffi::PyTupleObject>()).ob_hash = -1;
        }
    }
    Ok(true)
}
