//! The identity of clients and datasets.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use crate::aerospike::record_type::RecordType;
use crate::aerospike::space::Space;
pub use crate::bridge::registry::{Registry, Token, token};

/// The hash of a client's dataset.
pub fn hash(space: &Space, client: &Token) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&space.namespace, &space.set, client).hash(&mut hasher);
    hasher.finish()
}

/// The `repr` of a dataset of this class.
pub fn dataset_repr(py: Python<'_>, class: &str, space: &Space) -> PyResult<String> {
    let namespace = space.namespace.into_pyobject(py)?.repr()?;
    let set = space.set_name().into_pyobject(py)?.repr()?;
    let Some(of) = RecordType::of(space) else { return Ok(format!("{class}({namespace}, {set})")) };
    let name = of.class(py).getattr("__qualname__")?;
    Ok(format!("{class}({namespace}, {set}, {name})"))
}
