//! The two sessions and the submitting verbs, with the methods that they share.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::classes::Classes;
use super::job::Goal;
use super::many::{Many, Sends};
use super::options;
use super::runner::{Blocking, Loops, Request, Runner, Shared, Submitting};
use super::statement::{ReadStatement as _, Statement, options as statement_options};
use super::value::library;
use crate::bridge::errors::type_error;
use crate::bridge::lifecycle::Lifecycle;
use crate::bridge::loops::LoopTable;

fn shared(
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
fn run<'py>(
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
fn nodes<'py>(shared: &Shared, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
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
fn check(
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

/// How rows of `execute_many` are sent: concurrency, whether results are wanted, whether errors are
/// returned among the results.
type ManyOptions = (usize, bool, bool);

fn many(
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

fn register(shared: &Shared, py: Python<'_>, name: &str, class: &Bound<'_, PyAny>) -> PyResult<()> {
    let keyspace = shared.core(py)?.session.keyspace();
    shared.classes.register(name, keyspace.as_deref(), class)
}

fn not_picklable(name: &str) -> PyErr {
    type_error(format!("{name} cannot be pickled: open a session in the other process"))
}

fn session_repr(shared: &Shared, name: &str) -> String {
    let points = shared.opening.options.contact_points.iter();
    let points: Vec<String> = points.map(ToString::to_string).collect();
    format!("<{name} {}, {}>", points.join(","), shared.lifecycle)
}

/// The addresses of the nodes with replicas for a token of a keyspace.
fn replicas(shared: &Shared, py: Python<'_>, keyspace: &str, token: i64) -> PyResult<Vec<String>> {
    let core = shared.core(py)?;
    let snapshot = core.session.cluster().snapshot();
    let nodes = snapshot.replicas(keyspace, token).unwrap_or_default();
    Ok(nodes.iter().map(|at| snapshot.nodes[*at as usize].to_string()).collect())
}

/// The methods of a class: its own, and the verbs.
macro_rules! verbs {
    ($class:ident { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// Executes a statement: text, a prepared or bound one, or a batch.
            ///
            /// ``parameters`` are values by position (tuple, list) or by name (mapping,
            /// dataclass, row), as many as there are markers. Text with parameters is prepared
            /// on first use: its markers are ``?`` or ``%s``, ``:name`` or ``%(name)s``. Values are never interpolated into
            /// the text, and take the types of their columns. All rows are fetched, page by
            /// page. ``options`` are those of ``ExecuteOptions``.
            ///
            /// Raises an error of ``spikewire.cql.errors`` if the server rejects the statement
            /// or does not answer, ``TypeError``, ``ValueError`` or ``OverflowError`` for values
            /// that do not fit.
            #[pyo3(signature = (statement, parameters=None, /, **options))]
            fn execute<'py>(
                &self,
                py: Python<'py>,
                statement: &Bound<'py, PyAny>,
                parameters: Option<&Bound<'py, PyAny>>,
                options: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                run(&self.runner, py, Goal::All, statement, parameters, options)
            }

            /// One page of a statement's rows, up to ``page_size``: the page that starts at the
            /// option ``paging_state``, or the first one. ``rows.paging_state`` is the start of
            /// the next page. An empty page is not necessarily the last. Otherwise as
            /// ``execute``.
            #[pyo3(signature = (statement, parameters=None, /, **options))]
            fn page<'py>(
                &self,
                py: Python<'py>,
                statement: &Bound<'py, PyAny>,
                parameters: Option<&Bound<'py, PyAny>>,
                options: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                run(&self.runner, py, Goal::Page, statement, parameters, options)
            }

            /// Prepares a statement, unless the session has it already and the schema has not
            /// changed since. Its markers are ``?`` and ``:name``. ``options`` are those of
            /// ``PrepareOptions``.
            #[pyo3(signature = (statement, /, **options))]
            fn prepare<'py>(
                &self,
                py: Python<'py>,
                statement: &Bound<'py, PyAny>,
                options: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                run(&self.runner, py, Goal::Prepared, statement, None, options)
            }
        }
    };
}

/// The methods of a session: its own, the verbs, and those that return information.
macro_rules! session {
    ($class:ident { $($own:tt)* }) => {
        verbs!($class {
            $($own)*

            /// Finds the cluster; blocks. Says whether the session was not open before.
            fn _start(&self, py: Python<'_>) -> PyResult<bool> {
                self.runner.shared().open(py)
            }

            /// Whether statements can be sent.
            #[getter]
            fn is_open(&self) -> bool {
                self.runner.shared().lifecycle.is_open()
            }

            /// The version of the native protocol in use: 4 or 5.
            #[getter]
            fn protocol_version(&self, py: Python<'_>) -> PyResult<u8> {
                Ok(self.runner.shared().core(py)?.session.version().number())
            }

            /// The keyspace of tables named without one: that of the last ``USE``, or of the
            /// options.
            #[getter]
            fn keyspace(&self, py: Python<'_>) -> PyResult<Option<String>> {
                Ok(self.runner.shared().core(py)?.session.keyspace().map(|name| name.to_string()))
            }

            /// The nodes of the cluster, as currently known.
            #[getter]
            fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
                nodes(self.runner.shared(), py)
            }

            /// The addresses of the nodes that hold a token of a keyspace.
            fn replicas(&self, py: Python<'_>, keyspace: &str, token: i64) -> PyResult<Vec<String>> {
                replicas(self.runner.shared(), py, keyspace, token)
            }

            #[pyo3(signature = (statement, /, **options))]
            fn _prepared<'py>(
                &self,
                py: Python<'py>,
                statement: &Bound<'py, PyAny>,
                options: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                run(&self.runner, py, Goal::Markers, statement, None, options)
            }

            #[pyo3(signature = (statement, /, **options))]
            fn _check(
                &self,
                py: Python<'_>,
                statement: &Bound<'_, PyAny>,
                options: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<()> {
                check(&self.runner, py, statement, options)
            }

            #[pyo3(signature = (statement, how, /, **options))]
            fn _many(
                &self,
                py: Python<'_>,
                statement: &Bound<'_, PyAny>,
                how: ManyOptions,
                options: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<Many> {
                many(&self.runner, py, statement, how, options)
            }

            /// Returns values of a user-defined type as instances of a class, which is called
            /// with the fields by name: a dataclass, a named tuple. Unregistered types are
            /// returned as `Row`.
            ///
            /// `name` is `"keyspace.type"`, or a type in the session's keyspace. Instances of
            /// any class with attributes for the fields are accepted as parameters, registered
            /// or not. Raises `ValueError` for an invalid type name, `TypeError` if the argument
            /// is not a class.
            #[pyo3(signature = (name, class, /))]
            fn register_type(
                &self,
                py: Python<'_>,
                name: &str,
                class: &Bound<'_, PyAny>,
            ) -> PyResult<()> {
                register(self.runner.shared(), py, name, class)
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                Ok(session_repr(slf.get().runner.shared(), &slf.get_type().name()?.to_string()))
            }

            fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<()> {
                Err(not_picklable(&slf.get_type().name()?.to_string()))
            }
        });
    };
}

/// A blocking session; `spikewire.cql.Session` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native.cql")]
pub struct SessionCore {
    runner: Blocking,
}

session!(SessionCore {
    #[new]
    #[pyo3(signature = (contact_points, **options))]
    fn new(
        contact_points: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Ok(Self { runner: Blocking(shared(contact_points, options)?) })
    }

    fn _end(&self, py: Python<'_>) {
        self.runner.shared().close(py);
    }

    #[getter]
    fn _submit(&self) -> SessionSubmit {
        SessionSubmit { runner: Submitting(self.runner.shared().clone()) }
    }
});

/// The verbs of a session, each returning a `concurrent.futures.Future` at once. From `Session.submit`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct SessionSubmit {
    runner: Submitting,
}

verbs!(SessionSubmit {});

/// An asyncio session; `spikewire.cql.AsyncSession` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct AsyncSessionCore {
    runner: Loops,
}

session!(AsyncSessionCore {
    #[new]
    #[pyo3(signature = (contact_points, **options))]
    fn new(
        contact_points: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let shared = shared(contact_points, options)?;
        Ok(Self { runner: Loops { loops: LoopTable::default(), shared } })
    }

    fn _end(&self, py: Python<'_>) -> PyResult<()> {
        self.runner.loops.end(py)?;
        self.runner.shared().close(py);
        Ok(())
    }
});
