//! Named tuples, created as `tuple.__new__` does but without an intermediate tuple of their items,
//! because a batch has very many of them.

#![expect(unsafe_code, reason = "an object of a Python class is made without calling it")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::errors::type_error;

/// A named tuple class with `N` fields.
pub struct NamedTuple<const N: usize>(Py<PyType>);

impl<const N: usize> NamedTuple<N> {
    /// Checks that instances have the memory layout of tuples.
    pub fn new(class: &Bound<'_, PyType>) -> PyResult<Self> {
        let py = class.py();
        let size = |of: &Bound<'_, PyType>, name| of.getattr(name)?.extract::<usize>();
        let tuple = py.get_type::<PyTuple>();
        let fits = class.is_subclass(&tuple)?
            && size(class, "__basicsize__")? == size(&tuple, "__basicsize__")?
            && size(class, "__itemsize__")? == size(&tuple, "__itemsize__")?
            && class.getattr("_fields")?.len()? == N;
        if !fits {
            return Err(type_error(format!("{class} is not a named tuple class with {N} fields")));
        }
        Ok(Self(class.clone().unbind()))
    }

    /// An instance with these items.
    #[inline]
    pub fn make<'py>(
        &self,
        py: Python<'py>,
        items: [Bound<'py, PyAny>; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the class is a live subclass of `tuple` with the layout of a tuple, so this is
        // what `tuple.__new__` calls for it. The new object has `N` empty slots, and nothing else
        // runs until each has its item. From Python 3.14 on, tuples cache their hash.
        unsafe {
            let class = self.0.as_ptr().cast::<ffi::PyTypeObject>();
            let instance = ffi::PyType_GenericAlloc(class, N as ffi::Py_ssize_t);
            let instance = Bound::from_owned_ptr_or_err(py, instance)?;
            for (at, item) in items.into_iter().enumerate() {
                ffi::PyTuple_SET_ITEM(instance.as_ptr(), at as ffi::Py_ssize_t, item.into_ptr());
            }
            #[cfg(Py_3_14)]
            {
                (*instance.as_ptr().cast::<ffi::PyTupleObject>()).ob_hash = -1;
            }
            Ok(instance)
        }
    }

    /// Replaces the items of an instance, whose hash nobody has asked for.
    ///
    /// # Safety
    ///
    /// No other thread may replace them meanwhile: the caller has the instance's critical section.
    pub unsafe fn fill<'py>(
        instance: &Bound<'py, PyTuple>,
        items: [Bound<'py, PyAny>; N],
    ) -> PyResult<()> {
        let mut before = Vec::with_capacity(N);
        for (at, item) in items.into_iter().enumerate() {
            before.push(instance.get_item(at)?);
            // SAFETY: this is a live tuple that has this slot. The previous item is kept alive by
            // `before`, and the slot's own reference to it ends here.
            unsafe {
                let at = at as ffi::Py_ssize_t;
                let held = ffi::PyTuple_GET_ITEM(instance.as_ptr(), at);
                ffi::PyTuple_SET_ITEM(instance.as_ptr(), at, item.into_ptr());
                ffi::Py_DECREF(held);
            }
        }
        Ok(())
    }
}
