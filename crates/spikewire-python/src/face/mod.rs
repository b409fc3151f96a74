//! The faces: the same verbs, run by the calling thread, on an event loop, or by a thread of ours.
//!
//! | module | what it holds |
//! |---|---|
//! | [`classes`] | what the classes of all faces have in common |
//! | [`methods`] | their methods, generated from `tools/verbs` |
//! | [`blocking`], [`signal`] | the calling thread drives the connection, and minds Ctrl-C meanwhile |
//! | [`asynchronous`], [`driver`] | an event loop turns a multiplexer |
//! | [`submit`], [`submitter`] | a thread of ours does, with a bounded number of calls in flight |
//! | [`future`] | what such calls return |
//! | [`ticket`] | what the last two complete: the future of a call, or a part of a batch |

pub mod asynchronous;
pub mod blocking;
mod classes;
mod driver;
pub mod future;
mod methods;
pub mod signal;
pub mod submit;
pub mod submitter;
mod ticket;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use self::asynchronous::Loops;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::type_error;
use crate::identity::Token;
use crate::space::Space;

/// Ends the clients that unpickled datasets brought along, and the threads of submitted calls;
/// called when the process exits.
#[pyfunction]
pub fn _at_exit(py: Python<'_>) -> PyResult<()> {
    blocking::end_submitted(py);
    classes::close_adopted::<Shared>(py)?;
    classes::close_adopted::<Loops>(py)
}

/// Why a client does not pickle.
fn not_picklable(class: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    Ok(type_error(format!(
        "{} objects hold connections and cannot be pickled; pickle datasets, which find their \
         client again, or connect anew where they are unpickled",
        class.get_type().name()?
    )))
}

/// Name and address of every node.
fn nodes(core: &Core) -> Vec<(String, String)> {
    let snapshot = core.cluster.snapshot();
    snapshot.nodes.iter().map(|node| (node.name.clone(), node.address.to_string())).collect()
}

fn hash(space: &Space, client: &Token) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&space.namespace, &space.set, client).hash(&mut hasher);
    hasher.finish()
}

fn shown(py: Python<'_>, class: &str, space: &Space) -> PyResult<String> {
    let namespace = space.namespace.into_pyobject(py)?.repr()?;
    Ok(format!("{class}({namespace}, {})", space.set_name().into_pyobject(py)?.repr()?))
}
