//! The classes of steps on one key, and the steps of each that are kept: see [`super::spares`].

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "what is kept is known to nobody else")
)]

use pyo3::prelude::*;
use pyo3::types::PyType;

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::Kept;

/// A class of steps, and those of it that are kept.
pub struct Kind {
    pub class: Py<PyType>,
    #[cfg(not(Py_GIL_DISABLED))]
    pub kept: Kept,
}

impl Kind {
    /// Of this class, without any.
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

    /// So many of a class are kept.
    const MOST: usize = 32;

    /// Steps of a class that are to be filled again. They are never given back: their class is one
    /// of the package, of which there are ten.
    #[derive(Default)]
    pub struct Kept(Guarded<Vec<Object>>);

    /// An object that nobody refers to, empty, and without the reference to its class.
    struct Object(NonNull<ffi::PyObject>);

    // SAFETY: nobody else knows of the object, and it is only used under the interpreter lock.
    unsafe impl Send for Object {}

    impl Kept {
        /// Takes one, if there is one.
        pub fn take(&self, py: Python<'_>) -> Option<NonNull<ffi::PyObject>> {
            Some(self.0.with(py, Vec::pop)?.0)
        }

        /// Whether one more is kept.
        pub fn has_room(&self, py: Python<'_>) -> bool {
            self.0.with(py, |kept| kept.len() < MOST)
        }

        /// Keeps one.
        pub fn put(&self, py: Python<'_>, step: NonNull<ffi::PyObject>) {
            self.0.with(py, |kept| kept.push(Object(step)));
        }
    }
}
