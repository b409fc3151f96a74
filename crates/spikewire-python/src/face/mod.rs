//! The two faces: the same verbs, run by the calling thread or on an event loop.

pub mod asynchronous;
pub mod blocking;
mod driver;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use crate::core::Core;
use crate::space::Space;

/// Name and address of every node.
fn nodes(core: &Core) -> PyResult<Vec<(String, String)>> {
    let snapshot = core.cluster.snapshot();
    Ok(snapshot.nodes.iter().map(|node| (node.name.clone(), node.address.to_string())).collect())
}

fn hash(space: &Space, client: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&space.namespace, &space.set, client).hash(&mut hasher);
    hasher.finish()
}

fn shown(py: Python<'_>, class: &str, space: &Space) -> PyResult<String> {
    let namespace = space.namespace.into_pyobject(py)?.repr()?;
    Ok(format!("{class}({namespace}, {})", space.set_name().into_pyobject(py)?.repr()?))
}
