//! What methods change in classes that pyo3 takes for frozen, without its flag of who borrows their
//! object: that costs two locked instructions for every look, of which the shortest calls of the
//! builder make several.

#![cfg_attr(
    not(Py_GIL_DISABLED),
    expect(unsafe_code, reason = "the interpreter lock guards what is in a cell")
)]

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::Guarded;
#[cfg(Py_GIL_DISABLED)]
pub use self::without_gil::Guarded;

#[cfg(not(Py_GIL_DISABLED))]
mod with_gil {
    use std::cell::RefCell;

    use pyo3::prelude::*;

    /// Something that one thread at a time looks at.
    #[derive(Default)]
    pub struct Guarded<T>(RefCell<T>);

    // SAFETY: the cell is only looked into by a thread that holds the interpreter lock. Should it
    // let go of that within, the cell says to others that it is borrowed.
    unsafe impl<T: Send> Sync for Guarded<T> {}

    impl<T> Guarded<T> {
        /// `look` runs no code of Python's, which might come here again: what it takes out is
        /// dropped by its caller.
        #[inline]
        pub fn with<R>(&self, _py: Python<'_>, look: impl FnOnce(&mut T) -> R) -> R {
            look(&mut self.0.borrow_mut())
        }

        /// For the garbage collector, which holds the interpreter lock: nothing, while somebody else
        /// looks.
        pub fn try_with<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
            Some(look(&*self.0.try_borrow().ok()?))
        }
    }
}

#[cfg(Py_GIL_DISABLED)]
mod without_gil {
    use pyo3::prelude::*;
    use spikewire_sync::Mutex;

    /// Something that one thread at a time looks at.
    #[derive(Default)]
    pub struct Guarded<T>(Mutex<T>);

    impl<T> Guarded<T> {
        /// `look` runs no code of Python's, which might come here again: what it takes out is
        /// dropped by its caller.
        #[inline]
        pub fn with<R>(&self, _py: Python<'_>, look: impl FnOnce(&mut T) -> R) -> R {
            look(&mut self.0.lock())
        }

        /// For the garbage collector: nothing, while a thread that it has stopped looks.
        pub fn try_with<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
            Some(look(&*self.0.try_lock()?))
        }
    }
}
