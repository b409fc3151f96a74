//! Python objects that are created on first use and kept.
//!
//! Why not `pyo3::sync::PyOnceLock` and `pyo3::intern!`, which Clippy rejects: they release the
//! interpreter while they hold the cell, and every other thread waits for the one that creates the
//! value. After a fork meanwhile, the child waits forever, since that thread is not in it. Here
//! nobody waits: two threads may both create a value, and the first one is kept.

#![expect(clippy::disallowed_types, reason = "the cell is filled without creating anything")]

use pyo3::PyTypeCheck;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// A value that is created on first use.
pub struct Cached<T>(PyOnceLock<T>);

impl<T> Cached<T> {
    /// Without a value yet.
    pub const fn new() -> Self {
        Self(PyOnceLock::new())
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self, py: Python<'_>) -> Option<&T> {
        self.0.get(py)
    }

    /// Keeps a value unless there is one already, and returns the kept one.
    #[inline]
    pub fn get_or_set(&self, py: Python<'_>, value: T) -> &T {
        // Full already if another thread was faster.
        let _ = self.0.set(py, value);
        self.0.get(py).expect("full from here on")
    }

    /// The value, which `create` creates on first use.
    #[inline]
    pub fn get_or_init(&self, py: Python<'_>, create: impl FnOnce() -> T) -> &T {
        match self.0.get(py) {
            Some(value) => value,
            None => self.get_or_set(py, create()),
        }
    }

    /// The value, which `create` creates on first use. An error is not kept.
    #[inline]
    pub fn get_or_try_init<E>(
        &self,
        py: Python<'_>,
        create: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        match self.0.get(py) {
            Some(value) => Ok(value),
            None => create().map(|value| self.get_or_set(py, value)),
        }
    }
}

impl<T: PyTypeCheck> Cached<Py<T>> {
    /// The attribute `name` of a module, which is imported on first use.
    #[inline]
    pub fn import<'py>(
        &self,
        py: Python<'py>,
        module: &str,
        name: &str,
    ) -> PyResult<&Bound<'py, T>> {
        let create = || Ok(py.import(module)?.getattr(name)?.cast_into()?.unbind());
        self.get_or_try_init(py, create).map(|object| object.bind(py))
    }
}

/// A constant string, which [`intern!`] creates on first use.
pub struct Interned(&'static str, Cached<Py<PyString>>);

impl Interned {
    /// The string has this text.
    pub const fn new(text: &'static str) -> Self {
        Self(text, Cached::new())
    }

    /// The string.
    #[inline]
    pub fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.1.get_or_init(py, || PyString::intern(py, self.0).unbind()).bind(py)
    }
}

/// A constant Python string, which is created once: `intern!(py, "name")`.
macro_rules! intern {
    ($py:expr, $text:expr) => {{
        static INTERNED: $crate::bridge::cached::Interned =
            $crate::bridge::cached::Interned::new($text);
        INTERNED.get($py)
    }};
}
pub(crate) use intern;
