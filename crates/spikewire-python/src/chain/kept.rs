//! The classes of steps on one key, each with a free list of step objects: see [`super::spares`].

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "what is kept is known to nobody else")
)]

use pyo3::prelude::*;
use pyo3::types::PyType;

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::Kept;

/// A step class and its free list.
pub struct Kind {
    pub class: Py<PyType>,
    #[cfg(not(Py_GIL_DISABLED))]
    pub kept: Kept,
}

impl Kind {
    /// This class, with an empty free list.
    pub fn new(class: Bound<'_, PyType>) -> Self {
        Self {
            class: class.unbind(),
            #[cfg(not(Py_GIL_DISABLED))]
            kept: Kept::default(),
        }
    }
}

#[cfg(not(Py_GIL_DISABLED))]
mod with_gil {
    use std::ptr::NonNull;

    use pyo3::ffi;
    use pyo3::prelude::*;

    use crate::guarded::Guarded;

    /// The maximum length of a free list.
    const MOST: usize = 32;

    /// The free list of a step class. Its objects are never freed. There are only ten such classes,
    /// all of them in this package.
    #[derive(Default)]
    pub struct Kept(Guarded<Vec<Object>>);

    /// An object without references, empty, and without its reference to its class.
    struct Object(NonNull<ffi::PyObject>);

    // SAFETY: nothing else refers to the object, and it is only used while the GIL is held.
    unsafe impl Send for Object {}

    impl Kept {
        /// Takes an object from the free list, if there is one.
        pub fn take(&self, py: Python<'_>) -> Option<NonNull<ffi::PyObject>> {
            Some(self.0.with(py, Vec::pop)?.0)
        }

        /// Whether there is room for another object.
        pub fn has_room(&self, py: Python<'_>) -> bool {
            self.0.with(py, |kept| kept.len() < MOST)
        }

        /// Adds an object to the free list.
        pub fn put(&self, py: Python<'_>, step: NonNull<ffi::PyObject>) {
            self.0.with(py, |kept| kept.push(Object(step)));
        }
    }
}
