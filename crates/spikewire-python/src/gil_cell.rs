//! State that methods modify in classes that are frozen for pyo3, without its borrow flag: that
//! costs two locked instructions per access, and the shortest calls of the builder make several.

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "the interpreter lock guards what is in a cell")
)]

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::GilCell;
#[cfg(Py_GIL_DISABLED)]
pub use self::without_gil::GilCell;

#[cfg(not(Py_GIL_DISABLED))]
mod with_gil {
    use std::cell::RefCell;

    use pyo3::prelude::*;

    /// A value that one thread at a time accesses.
    #[derive(Default)]
    pub struct GilCell<T>(RefCell<T>);

    // SAFETY: the cell is only accessed by a thread that holds the GIL. Should that thread release
    // the GIL during the access, the cell is marked as borrowed for others.
    unsafe impl<T: Send> Sync for GilCell<T> {}

    impl<T> GilCell<T> {
        /// `look` must not run Python code, which might call this again. Whatever it takes out is
        /// dropped by its caller.
        #[inline]
        pub fn with<R>(&self, _py: Python<'_>, look: impl FnOnce(&mut T) -> R) -> R {
            look(&mut self.0.borrow_mut())
        }

        /// For the garbage collector, which holds the GIL. `None` while the value is being
        /// accessed.
        pub fn try_with<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
            Some(look(&*self.0.try_borrow().ok()?))
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
mod without_gil {
    use pyo3::prelude::*;
    use spikewire_sync::Mutex;

    /// A value that one thread at a time accesses.
    #[derive(Default)]
    pub struct GilCell<T>(Mutex<T>);

    impl<T> GilCell<T> {
        /// `look` must not run Python code, which might call this again. Whatever it takes out is
        /// dropped by its caller.
        #[inline]
        pub fn with<R>(&self, _py: Python<'_>, look: impl FnOnce(&mut T) -> R) -> R {
            look(&mut self.0.lock())
        }

        /// For the garbage collector. `None` while a thread that it has stopped accesses the value.
        pub fn try_with<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
            Some(look(&*self.0.try_lock()?))
        }
    }
}
