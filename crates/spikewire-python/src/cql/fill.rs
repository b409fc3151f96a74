//! Creates the items of tuples and lists in place, using the C API, because a result has very many
//! of them.

#![expect(unsafe_code, reason = "items are put into tuples and lists without a copy of them")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::errors::BoxedPyErr;

type ItemResult<'py, T> = Result<Bound<'py, T>, BoxedPyErr>;

/// A tuple with `len` items. `make` is called with the index of each.
#[inline]
pub fn tuple<'py>(
    py: Python<'py>,
    len: usize,
    mut make: impl FnMut(usize) -> ItemResult<'py, PyAny>,
) -> ItemResult<'py, PyTuple> {
    // SAFETY: the object is a new tuple, or null with an exception set.
    let tuple: Bound<'py, PyTuple> = unsafe {
        let new = ffi::PyTuple_New(len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked()
    };
    for at in 0..len {
        let item = make(at)?;
        // SAFETY: the tuple is new, has `len` slots, and this one is empty.
        unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), at as ffi::Py_ssize_t, item.into_ptr()) };
    }
    Ok(tuple)
}

/// A list with `len` items.
#[inline]
pub fn list<'py, T>(
    py: Python<'py>,
    len: usize,
    mut make: impl FnMut() -> ItemResult<'py, T>,
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the object is a new list, or null with an exception set.
    let list: Bound<'py, PyList> = unsafe {
        let new = ffi::PyList_New(len as ffi::Py_ssize_t);
        Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked()
    };
    for at in 0..len {
        let item = make()?;
        // SAFETY: the list is new, has `len` slots, and this one is empty.
        unsafe { ffi::PyList_SET_ITEM(list.as_ptr(), at as ffi::Py_ssize_t, item.into_ptr()) };
    }
    Ok(list)
}

/// Whether the caller has the only reference to an object. Without a GIL that cannot be determined,
/// and the result is `false`.
#[inline]
pub fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: this is a live object.
    cfg!(not(Py_GIL_DISABLED)) && unsafe { ffi::Py_REFCNT(object.as_ptr()) } == 1
}

/// Replaces the items of a tuple to which only the caller refers, as `zip` does. Returns `false` if
/// there are other references. After an error, some items have been replaced.
#[inline]
pub fn again<'py>(
    tuple: &Bound<'py, PyTuple>,
    mut make: impl FnMut(usize) -> ItemResult<'py, PyAny>,
) -> Result<bool, BoxedPyErr> {
    if !is_ours(tuple.as_any()) {
        return Ok(false);
    }
    let (py, raw) = (tuple.py(), tuple.as_ptr());
    for at in 0..tuple.len() {
        let item = make(at)?;
        // SAFETY: the tuple has this slot. The previous item was owned by the tuple; it is dropped
        // once the new item is in place.
        let former = unsafe {
            let at = at as ffi::Py_ssize_t;
            let former = ffi::PyTuple_GET_ITEM(raw, at);
            ffi::PyTuple_SET_ITEM(raw, at, item.into_ptr());
            Bound::from_owned_ptr_or_opt(py, former)
        };
        drop(former);
    }
    // SAFETY: this is a live tuple. The interpreter may have untracked it because it contained
    // nothing for the garbage collector, and from Python 3.14 on it caches its hash.
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
