//! The two sessions and the submitting verbs, and what their methods do.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::bridge::errors::{Raise as _, type_error, type_name, value_error};
use crate::bridge::lifecycle::Lifecycle;
use crate::bridge::signal::detached_apart;
use crate::cql::classes::Classes;
use crate::cql::job::Goal;
use crate::cql::many::{HowMany, Many, Sends};
use crate::cql::options;
use crate::cql::runner::{Blocking, Loops, Request, Runner, Shared, Submitting};
use crate::cql::statement::{ReadStatement as _, Statement, options as statement_options};
use crate::cql::value::library;

pub(super) fn shared(
    points: &Bound<'_, PyAny>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Arc<Shared>> {
    let opening = options::read(points, keywords)?;
    let classes = Arc::new(Classes::new());
    let points = opening.options.contact_points.iter().map(ToString::to_string);
    let lifecycle = Lifecycle::new(false, points.collect::<Vec<_>>().join(","));
    Ok(Arc::new(Shared { opening, lifecycle, classes }))
}

/// The shared part of a session, or `None` if the object is not a session.
pub fn shared_of(session: &Bound<'_, PyAny>) -> Option<Arc<Shared>> {
    if let Ok(session) = session.cast::<SessionCore>() {
        return Some(session.get().runner.shared().clone());
    }
    Some(session.cast::<AsyncSessionCore>().ok()?.get().runner.shared().clone())
}

/// Runs a statement.
#[inline]
pub(super) fn run<'py>(
    runner: &impl Runner,
    py: Python<'py>,
    goal: Goal,
    statement: &Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyAny>>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let core = runner.core(py)?;
    let statement = Statement::read(statement)?;
    let options = statement_options(&core, keywords)?;
    runner.run(py, &core, Request { goal, statement, parameters, options })
}

/// Address, datacenter, rack, release and state of each node.
pub(super) fn nodes<'py>(shared: &Shared, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
    let core = shared.core(py)?;
    let snapshot = core.session.cluster().snapshot();
    let all = PyList::empty(py);
    let class = library::node(py)?;
    for node in &snapshot.nodes {
        let address = node.address.to_string();
        let about = (address, &node.datacenter, &node.rack, &node.release, node.is_up());
        all.append(class.call1(about)?)?;
    }
    Ok(all)
}

/// Checks the arguments of `query`, so that mistakes are reported immediately.
pub(super) fn check(
    runner: &impl Runner,
    py: Python<'_>,
    statement: &Bound<'_, PyAny>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let core = runner.core(py)?;
    statement_options(&core, keywords)?;
    match Statement::read(statement)? {
        Statement::Batch(_) => Err(type_error("a batch has no rows to go through: execute it")),
        _ => Ok(()),
    }
}

/// How rows of `execute_many` are sent.
pub(super) type ManyOptions = HowMany;

pub(super) fn many(
    runner: &impl Sends,
    py: Python<'_>,
    statement: &Bound<'_, PyAny>,
    how: ManyOptions,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Many> {
    let core = runner.core(py)?;
    let options = statement_options(&core, keywords)?;
    let sender = runner.sender(py, &core)?;
    Many::new(core, sender, Statement::read(statement)?, options, how)
}

pub(super) fn register(
    shared: &Shared,
    py: Python<'_>,
    name: &str,
    class: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let keyspace = shared.core(py)?.session.keyspace();
    if !class.is_callable() {
        let kind = type_name(class);
        let message = format!("a type is made as instances of a class, not of {kind}");
        return Err(type_error(message));
    }
    let former = shared.classes.add(name, keyspace.as_deref(), class.clone().unbind());
    former.map(drop).map_err(value_error)
}

pub(super) fn not_picklable(name: &str) -> PyErr {
    type_error(format!("{name} cannot be pickled: open a session in the other process"))
}

pub(super) fn session_repr(shared: &Shared, name: &str) -> String {
    let points = shared.opening.options.contact_points.iter();
    let points: Vec<String> = points.map(ToString::to_string).collect();
    format!("<{name} {}, {}>", points.join(","), shared.lifecycle)
}

/// The addresses of the nodes with replicas for a token of a keyspace.
pub(super) fn replicas(
    shared: &Shared,
    py: Python<'_>,
    keyspace: &str,
    token: i64,
) -> PyResult<Vec<String>> {
    let core = shared.core(py)?;
    let snapshot = core.session.cluster().snapshot();
    let nodes = snapshot.replicas(keyspace, token).unwrap_or_default();
    Ok(nodes.iter().map(|at| snapshot.nodes[*at as usize].to_string()).collect())
}

/// The schema as JSON; `is_anew`: read from now on, also if no change is known. Blocks.
pub(super) fn schema(shared: &Shared, py: Python<'_>, is_anew: bool) -> PyResult<String> {
    let core = shared.core(py)?;
    let read = move || {
        let cluster = core.session.cluster();
        let schema = if is_anew { cluster.schema_anew() } else { cluster.schema() };
        schema.map(|schema| schema.to_json())
    };
    detached_apart(py, read, drop)?.map_err(|error| error.raise(py))
}

/// A blocking session; `spikewire.cql.Session` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native.cql")]
pub struct SessionCore {
    pub(super) runner: Blocking,
}

/// The verbs of a session, each returning a `concurrent.futures.Future` at once. From `Session.submit`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct SessionSubmit {
    pub(super) runner: Submitting,
}

/// An asyncio session; `spikewire.cql.AsyncSession` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct AsyncSessionCore {
    pub(super) runner: Loops,
}
