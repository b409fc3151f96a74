//! The faces: the same verbs, run by the calling thread, on an event loop, or by a thread of ours.
//!
//! | module | what it holds |
//! |---|---|
//! | [`classes`] | what the classes of all faces have in common |
//! | [`methods`] | their methods, generated from `tools/verbs` |
//! | [`blocking`], [`signal`] | the calling thread drives the connection, and minds Ctrl-C meanwhile |
//! | [`asynchronous`], [`driver`] | an event loop turns a multiplexer |
//! | [`submit`], [`submitter`], [`window`] | a thread of ours does, with a bounded number of calls in flight |
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
mod window;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use spikewire_engine::cluster::Node;
use spikewire_engine::{Error, Kind};
use spikewire_protocol::info as protocol;
use spikewire_protocol::result_code::ResultCode;

use self::asynchronous::Loops;
use self::signal::Signal;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::{self, type_error, value_error};
use crate::identity::Token;
use crate::space::{Space, text};

/// How often a waiting thread that minds signals looks whether one came.
const GLANCE: Duration = Duration::from_millis(50);

/// Parks this thread for `span`, or less.
fn park(span: Duration, most: Option<Duration>) {
    match span.min(most.unwrap_or(Duration::MAX)) {
        Duration::MAX => thread::park(),
        span => thread::park_timeout(span),
    }
}

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

/// A node's answer to an info command; without a name, that of any node.
fn info(
    py: Python<'_>,
    core: &Core,
    command: &Bound<'_, PyAny>,
    name: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let command = text("command", command)?;
    let name = name.map(|name| text("node", name)).transpose()?;
    if command.contains('\n') {
        return Err(value_error("an info command must not contain a line break"));
    }
    let nodes = core.cluster.snapshot().nodes.clone();
    let Some(node) = nodes.iter().find(|node| name.is_none_or(|name| node.name == name)) else {
        let known: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        return Err(value_error(format!(
            "no node {:?} in the cluster; there are: {}",
            name.unwrap_or_default(),
            known.join(", ")
        )));
    };
    let answer = ask(py, core, node, command)?;
    protocol::value(&answer, command).map(str::to_owned).map_err(|error| {
        let code = ResultCode(error.code);
        let error = Error::new(Kind::Server(code), error.to_string()).on(node.to_string());
        errors::to_python(py, &error, None)
    })
}

/// A node's answer to an info command. Blocks, until a signal handler raises at most.
pub fn ask(py: Python<'_>, core: &Core, node: &Node, command: &str) -> PyResult<String> {
    let signal = Signal::default();
    let answer = py.detach(|| {
        let minded = Signal::is_minded();
        core.cluster.info_unless(node, &[command], &|| minded && signal.look())
    });
    match signal.raised() {
        Some(error) => Err(error),
        None => answer.map_err(|error| errors::to_python(py, &error, None)),
    }
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
