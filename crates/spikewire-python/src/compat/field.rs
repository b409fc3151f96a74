//! Attributes that programs change, without pyo3's flag of who borrows their object: that costs
//! two locked instructions for every look, of which batches have one or more for each row.

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "the interpreter lock guards what is in a cell")
)]

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

#[cfg(not(Py_GIL_DISABLED))]
use self::with_gil::Guarded;
#[cfg(Py_GIL_DISABLED)]
use self::without_gil::Guarded;

/// An attribute: an object, or nothing, which is `None`.
#[derive(Default)]
pub struct Field(Guarded);

impl Field {
    /// With this object.
    pub fn of(value: Py<PyAny>) -> Self {
        Self(Guarded::new(Some(value)))
    }

    /// The object.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.with(py, |value| value.as_ref().map(|value| value.bind(py).clone()))
    }

    /// Whether there is nothing.
    pub fn is_none(&self, py: Python<'_>) -> bool {
        self.0.with(py, |value| value.is_none())
    }

    /// Puts something else in.
    pub fn set(&self, py: Python<'_>, value: Option<Py<PyAny>>) {
        let before = self.0.with(py, |known| std::mem::replace(known, value));
        // It may run code of the program's as it goes, which may look here.
        drop(before);
    }

    /// Shows the garbage collector the object.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.traverse(visit)
    }
}

impl<'py> IntoPyObject<'py> for &Field {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(self.get(py).unwrap_or_else(|| py.None().into_bound(py)))
    }
}

#[cfg(not(Py_GIL_DISABLED))]
mod with_gil {
    use std::cell::UnsafeCell;

    use pyo3::prelude::*;
    use pyo3::{PyTraverseError, PyVisit};

    #[derive(Default)]
    pub struct Guarded(UnsafeCell<Option<Py<PyAny>>>);

    // SAFETY: the cell is only looked into by a thread that holds the interpreter lock.
    unsafe impl Sync for Guarded {}

    impl Guarded {
        pub fn new(value: Option<Py<PyAny>>) -> Self {
            Self(UnsafeCell::new(value))
        }

        /// `look` neither runs code of Python's nor lets go of the interpreter lock.
        pub(super) fn with<T>(
            &self,
            _py: Python<'_>,
            look: impl FnOnce(&mut Option<Py<PyAny>>) -> T,
        ) -> T {
            // SAFETY: this thread holds the interpreter lock, and nobody else gets it until `look`
            // is done, which does not come here again.
            look(unsafe { &mut *self.0.get() })
        }

        pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
            // SAFETY: the garbage collector holds the interpreter lock and changes nothing; it
            // does not run within `with`, which allocates nothing.
            visit.call(unsafe { &*self.0.get() })
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
mod without_gil {
    use pyo3::prelude::*;
    use pyo3::{PyTraverseError, PyVisit};
    use spikewire_sync::Mutex;

    #[derive(Default)]
    pub struct Guarded(Mutex<Option<Py<PyAny>>>);

    impl Guarded {
        pub fn new(value: Option<Py<PyAny>>) -> Self {
            Self(Mutex::new(value))
        }

        /// `look` runs no code of Python's.
        pub(super) fn with<T>(
            &self,
            _py: Python<'_>,
            look: impl FnOnce(&mut Option<Py<PyAny>>) -> T,
        ) -> T {
            look(&mut self.0.lock())
        }

        /// What a stopped thread is about to change counts as held from elsewhere.
        pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
            match self.0.try_lock() {
                Some(value) => visit.call(&*value),
                None => Ok(()),
            }
        }
    }
}
