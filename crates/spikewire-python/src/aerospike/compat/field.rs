//! Attributes that programs can change, without pyo3's borrow flag: that costs two locked
//! instructions per access, and batches access one or more attributes per row.

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "the interpreter lock guards what is in a cell")
)]

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

#[cfg(not(Py_GIL_DISABLED))]
use self::with_gil::FieldCell;
#[cfg(Py_GIL_DISABLED)]
use self::without_gil::FieldCell;

/// An attribute: an object, or nothing, which means `None`.
#[derive(Default)]
pub struct Field(FieldCell);

impl Field {
    /// An attribute with this object.
    pub fn of(value: Py<PyAny>) -> Self {
        Self(FieldCell::new(Some(value)))
    }

    /// The object.
    pub fn get<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.0.with(py, |value| value.as_ref().map(|value| value.bind(py).clone()))
    }

    /// Whether the attribute is `None`.
    pub fn is_none(&self, py: Python<'_>) -> bool {
        self.0.with(py, |value| value.is_none())
    }

    /// Replaces the object.
    pub fn set(&self, py: Python<'_>, value: Option<Py<PyAny>>) {
        let before = self.0.with(py, |known| std::mem::replace(known, value));
        // Dropping it may run the program's code, which may access this attribute.
        drop(before);
    }

    /// Visits the object for the garbage collector.
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
    pub struct FieldCell(UnsafeCell<Option<Py<PyAny>>>);

    // SAFETY: the cell is only accessed by a thread that holds the GIL.
    unsafe impl Sync for FieldCell {}

    impl FieldCell {
        pub fn new(value: Option<Py<PyAny>>) -> Self {
            Self(UnsafeCell::new(value))
        }

        /// `look` must not run Python code or release the GIL.
        pub(super) fn with<T>(
            &self,
            _py: Python<'_>,
            look: impl FnOnce(&mut Option<Py<PyAny>>) -> T,
        ) -> T {
            // SAFETY: this thread holds the GIL, and no other thread gets it until `look` returns.
            // `look` does not call this function again.
            look(unsafe { &mut *self.0.get() })
        }

        pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
            // SAFETY: the garbage collector holds the GIL and changes nothing. It does not run
            // within `with`, which allocates nothing.
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
    pub struct FieldCell(Mutex<Option<Py<PyAny>>>);

    impl FieldCell {
        pub fn new(value: Option<Py<PyAny>>) -> Self {
            Self(Mutex::new(value))
        }

        /// `look` must not run Python code.
        pub(super) fn with<T>(
            &self,
            _py: Python<'_>,
            look: impl FnOnce(&mut Option<Py<PyAny>>) -> T,
        ) -> T {
            look(&mut self.0.lock())
        }

        /// If a stopped thread is about to change the object, it is treated as referenced from
        /// elsewhere.
        pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
            match self.0.try_lock() {
                Some(value) => visit.call(&*value),
                None => Ok(()),
            }
        }
    }
}
