//! Values that can be searched for but not stored.

use pyo3::prelude::*;
use pyo3::types::PyType;

use spikewire_aerospike_protocol::msgpack;

use crate::arguments::text;
use crate::errors::value_error;

const KINDS: [&str; 2] = ["wildcard", "infinity"];

/// An operand of list and map operations that is not a value: `op.WILDCARD` or `op.INFINITY`. It
/// cannot be stored.
#[pyclass(frozen, eq, hash, module = "spikewire._native")]
#[derive(PartialEq, Eq, Hash)]
pub struct Marker(u8);

impl Marker {
    /// Its encoding as an element of a list.
    pub fn wire(&self) -> [u8; 3] {
        [msgpack::WILDCARD, msgpack::INFINITY][usize::from(self.0)]
    }

    fn kind(&self) -> &'static str {
        KINDS[usize::from(self.0)]
    }
}

#[pymethods]
impl Marker {
    /// `kind` is "wildcard" or "infinity".
    #[new]
    fn new(kind: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kind = text("kind", kind)?;
        let number = KINDS.iter().position(|known| *known == kind);
        let unknown = || value_error(format!("unknown marker {kind:?}"));
        number.map(|number| Self(number as u8)).ok_or_else(unknown)
    }

    fn __repr__(&self) -> String {
        format!("op.{}", self.kind().to_uppercase())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<Self>(), (self.kind(),))
    }
}
