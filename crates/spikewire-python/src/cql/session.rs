//! The two sessions, and the verbs that they share.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::faces::{Blocking, Loops, Request, Runner, Shared, Submitting};
use super::job::Goal;
use super::options;
use super::statement::{Statement, options as statement_options};
use crate::bridge::lifecycle::Lifecycle;
use crate::bridge::loops::LoopTable;

fn shared(points: &Bound<'_, PyAny>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<Shared>> {
    let opening = options::read(points, given)?;
    Ok(Arc::new(Shared { opening, lifecycle: Lifecycle::new(false) }))
}

/// Runs a statement.
#[inline]
fn run<'py>(
    runner: &impl Runner,
    py: Python<'py>,
    goal: Goal,
    statement: &Bound<'py, PyAny>,
    parameters: Option<&Bound<'py, PyAny>>,
    given: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let core = runner.core(py)?;
    let statement = Statement::read(statement)?;
    let options = statement_options(&core, given)?;
    runner.run(py, &core, Request { goal, statement, parameters, options })
}

/// Address, datacenter, rack, release and state of each node.
fn nodes<'py>(shared: &Shared, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
    let core = shared.core(py)?;
    let snapshot = core.session.cluster().snapshot();
    let all = PyList::empty(py);
    for node in &snapshot.nodes {
        let entry = PyDict::new(py);
        entry.set_item("address", node.address.to_string())?;
        entry.set_item("datacenter", &node.datacenter)?;
        entry.set_item("rack", &node.rack)?;
        entry.set_item("release", &node.release)?;
        entry.set_item("up", node.is_up())?;
        all.append(entry)?;
    }
    Ok(all)
}

/// The addresses of the nodes that hold a token of a keyspace.
fn replicas(shared: &Shared, py: Python<'_>, keyspace: &str, token: i64) -> PyResult<Vec<String>> {
    let core = shared.core(py)?;
    let snapshot = core.session.cluster().snapshot();
    let found = snapshot.replicas(keyspace, token).unwrap_or_default();
    Ok(found.iter().map(|at| snapshot.nodes[*at as usize].to_string()).collect())
}

/// A blocking session; `spikewire.cql.Session` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct SessionCore {
    face: Blocking,
}

#[pymethods]
impl SessionCore {
    #[new]
    #[pyo3(signature = (contact_points, /, **options))]
    fn new(
        contact_points: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Ok(Self { face: Blocking(shared(contact_points, options)?) })
    }

    /// Finds the cluster; blocks.
    fn _start(&self, py: Python<'_>) -> PyResult<()> {
        self.face.0.open(py)
    }

    #[getter]
    fn is_open(&self) -> bool {
        self.face.0.lifecycle.is_open()
    }

    /// The version of the native protocol that is spoken: 4 or 5.
    #[getter]
    fn protocol_version(&self, py: Python<'_>) -> PyResult<u8> {
        Ok(self.face.0.core(py)?.session.version().number())
    }

    #[getter]
    fn keyspace(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.face.0.core(py)?.session.keyspace().map(|name| name.to_string()))
    }

    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        nodes(&self.face.0, py)
    }

    fn replicas(&self, py: Python<'_>, keyspace: &str, token: i64) -> PyResult<Vec<String>> {
        replicas(&self.face.0, py, keyspace, token)
    }

    fn _end(&self, py: Python<'_>) {
        self.face.0.close(py);
    }

    #[getter]
    fn _submit(&self) -> SessionSubmit {
        SessionSubmit { face: Submitting(self.face.0.clone()) }
    }

    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn execute<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::All, statement, parameters, options)
    }

    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn page<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Page, statement, parameters, options)
    }

    #[pyo3(signature = (statement, /, **options))]
    fn prepare<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Prepared, statement, None, options)
    }
}

/// The verbs of a session, each returning a `concurrent.futures.Future` at once. From `Session.submit`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct SessionSubmit {
    face: Submitting,
}

#[pymethods]
impl SessionSubmit {
    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn execute<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::All, statement, parameters, options)
    }

    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn page<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Page, statement, parameters, options)
    }

    #[pyo3(signature = (statement, /, **options))]
    fn prepare<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Prepared, statement, None, options)
    }
}

/// An asyncio session; `spikewire.cql.AsyncSession` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct AsyncSessionCore {
    face: Loops,
}

#[pymethods]
impl AsyncSessionCore {
    #[new]
    #[pyo3(signature = (contact_points, /, **options))]
    fn new(
        contact_points: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let shared = shared(contact_points, options)?;
        Ok(Self { face: Loops { loops: LoopTable::default(), shared } })
    }

    /// Finds the cluster; blocks.
    fn _start(&self, py: Python<'_>) -> PyResult<()> {
        self.face.shared.open(py)
    }

    #[getter]
    fn is_open(&self) -> bool {
        self.face.shared.lifecycle.is_open()
    }

    /// The version of the native protocol that is spoken: 4 or 5.
    #[getter]
    fn protocol_version(&self, py: Python<'_>) -> PyResult<u8> {
        Ok(self.face.shared.core(py)?.session.version().number())
    }

    #[getter]
    fn keyspace(&self, py: Python<'_>) -> PyResult<Option<String>> {
        Ok(self.face.shared.core(py)?.session.keyspace().map(|name| name.to_string()))
    }

    #[getter]
    fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        nodes(&self.face.shared, py)
    }

    fn replicas(&self, py: Python<'_>, keyspace: &str, token: i64) -> PyResult<Vec<String>> {
        replicas(&self.face.shared, py, keyspace, token)
    }

    fn _end(&self, py: Python<'_>) -> PyResult<()> {
        self.face.loops.end(py)?;
        self.face.shared.close(py);
        Ok(())
    }

    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn execute<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::All, statement, parameters, options)
    }

    #[pyo3(signature = (statement, parameters=None, /, **options))]
    fn page<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Page, statement, parameters, options)
    }

    #[pyo3(signature = (statement, /, **options))]
    fn prepare<'py>(
        &self,
        py: Python<'py>,
        statement: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        run(&self.face, py, Goal::Prepared, statement, None, options)
    }
}
