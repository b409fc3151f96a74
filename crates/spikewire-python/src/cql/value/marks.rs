//! Values for which no Python object exists.

#![expect(clippy::trivially_copy_pass_by_ref, clippy::unused_self, reason = "Python's signatures")]
#![expect(clippy::disallowed_types, reason = "PyO3's: filled when the module is initialised")]

use pyo3::prelude::*;

/// A value without a Python object of its own: `UNSET` and `EMPTY` of `spikewire.cql`.
#[pyclass(frozen, eq, hash, module = "spikewire.cql")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A column keeps what it holds.
    #[pyo3(name = "UNSET")]
    Unset,
    /// A value of no bytes, which some types have beside their usual ones.
    #[pyo3(name = "EMPTY")]
    Empty,
}

#[pymethods]
impl Mark {
    fn __repr__(&self) -> &'static str {
        match self {
            Self::Unset => "UNSET",
            Self::Empty => "EMPTY",
        }
    }

    fn __bool__(&self) -> bool {
        false
    }

    fn __reduce__(&self) -> &'static str {
        self.__repr__()
    }
}
