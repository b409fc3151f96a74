//! Running an administrative command, and the background jobs that some commands start.

use std::sync::Arc;
use std::time::Duration;

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use spikewire_sync::Mutex;

use spikewire_aerospike::admin::job::{AbortJob, RunningJob, WatchJob};
use spikewire_aerospike::admin::role::Role;
use spikewire_aerospike::admin::user::User;
use spikewire_aerospike::admin::{self, AdminValue, Procedure};
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::{Error, Result};

use crate::aerospike::arguments::seconds;
use crate::aerospike::core::Core;
use crate::bridge::signal::detached;
use crate::errors::{to_python, value_error};
use crate::stages::Stages;

pub type BoxedProcedure = Box<dyn Procedure<Output = AdminValue> + Send>;

/// The client on which administrative commands run.
pub trait AdminOrigin: Send + Sync {
    /// The client's core; connects if necessary.
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>>;

    /// Timing of the stages of calls, if enabled.
    fn stages(&self) -> &Stages;

    /// Starts a command on the running event loop and returns a future of its result.
    fn administer<'py>(&self, _py: Python<'py>, _run: AdminRun) -> PyResult<Bound<'py, PyAny>> {
        Err(value_error("a blocking client has no event loop"))
    }
}

/// The client of a command, shared.
pub type Origin = Arc<dyn AdminOrigin>;

/// A command started on an event loop, and the slot for its value.
pub struct AdminRun {
    pub procedure: BoxedProcedure,
    pub slot: Arc<AdminSlot>,
}

/// The value of a finished command, until it is taken.
#[derive(Default)]
pub struct AdminSlot(Mutex<Option<AdminValue>>);

impl AdminSlot {
    pub fn keep(&self, value: AdminValue) {
        *self.0.lock() = Some(value);
    }
}

/// Creates the procedure when the command starts.
type Maker = Box<dyn FnOnce(&Cluster) -> Result<BoxedProcedure> + Send>;

/// An administrative command that was checked and not begun.
#[pyclass(frozen, module = "spikewire._native")]
pub struct AdminTask {
    origin: Origin,
    /// Taken when the command starts.
    make: Mutex<Option<Maker>>,
    slot: Arc<AdminSlot>,
}

impl AdminTask {
    /// A command on the cluster of `origin`, which is looked up when the command starts.
    pub fn new<P: Procedure<Output: Into<AdminValue>> + Send + 'static>(
        origin: Origin,
        make: impl FnOnce(&Cluster) -> Result<P> + Send + 'static,
    ) -> Self {
        let make = |cluster: &Cluster| {
            make(cluster).map(|procedure| Box::new(procedure.map(Into::into)) as BoxedProcedure)
        };
        Self { origin, make: Mutex::new(Some(Box::new(make))), slot: Arc::default() }
    }

    /// A command that needs nothing of the cluster, unless its arguments are invalid.
    pub fn of<P: Procedure<Output: Into<AdminValue>> + Send + 'static>(
        py: Python<'_>,
        origin: &Origin,
        procedure: Result<P>,
    ) -> PyResult<Self> {
        let procedure = procedure.map_err(|error| to_python(py, &error, None))?;
        Ok(Self::new(origin.clone(), |_| Ok(procedure)))
    }

    fn take(&self) -> Result<Maker> {
        self.make.lock().take().ok_or_else(|| Error::invalid("the command was begun before"))
    }
}

#[pymethods]
impl AdminTask {
    /// Runs to the end on the calling thread, pauses included; gives the result.
    fn run<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let core = self.origin.core(py)?;
        let outcome = detached(py, |interrupted| {
            let mut procedure = self.take()?(&core.cluster)?;
            let gives_up = || interrupted.is_some_and(|look| look());
            admin::run(&core.cluster, &mut procedure, &gives_up)
        })?;
        self.slot.keep(outcome.map_err(|error| to_python(py, &error, None))?);
        self.result(py)
    }

    /// Begins it on the running event loop; a future of its end, when there is a result.
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let core = self.origin.core(py)?;
        let procedure = self.take().and_then(|make| make(&core.cluster));
        let procedure = procedure.map_err(|error| to_python(py, &error, None))?;
        self.origin.administer(py, AdminRun { procedure, slot: self.slot.clone() })
    }

    /// The result, once.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.slot.0.lock().take();
        match value.ok_or_else(|| value_error("there is no result"))? {
            AdminValue::Nothing(()) => Ok(py.None().into_bound(py)),
            AdminValue::Text(text) => Ok(PyString::new(py, &text).into_any()),
            AdminValue::Indexes(all) => {
                let all = all.into_iter().map(|it| {
                    (it.name, it.namespace, it.set, it.bin, it.kind, it.collection, it.ready)
                });
                all.collect::<Vec<_>>().into_bound_py_any(py)
            }
            AdminValue::Modules(all) => {
                let all: Vec<_> = all.into_iter().map(|it| (it.name, it.hash)).collect();
                all.into_bound_py_any(py)
            }
            AdminValue::User(user) => user_fields(py, user),
            AdminValue::Users(all) => listed(py, all, user_fields),
            AdminValue::Role(role) => role_fields(py, role),
            AdminValue::Roles(all) => listed(py, all, role_fields),
            AdminValue::Progress(it) => {
                (it.done, it.aborted, it.percent, it.succeeded, it.failed, it.filtered)
                    .into_bound_py_any(py)
            }
            AdminValue::Job(job) => {
                let job = JobCore { origin: self.origin.clone(), job: Arc::new(job) };
                Ok(Bound::new(py, job)?.into_any())
            }
        }
    }
}

fn listed<'py, T>(
    py: Python<'py>,
    all: Vec<T>,
    fields: impl Fn(Python<'py>, T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let all: PyResult<Vec<_>> = all.into_iter().map(|one| fields(py, one)).collect();
    all?.into_bound_py_any(py)
}

fn user_fields(py: Python<'_>, user: User) -> PyResult<Bound<'_, PyAny>> {
    let User { name, roles, read_info, write_info, connections } = user;
    let (roles, read_info) = (PyTuple::new(py, roles)?, PyTuple::new(py, read_info)?);
    (name, roles, read_info, PyTuple::new(py, write_info)?, connections).into_bound_py_any(py)
}

fn role_fields(py: Python<'_>, role: Role) -> PyResult<Bound<'_, PyAny>> {
    let Role { name, privileges, allow, read_quota, write_quota } = role;
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let privileges: Vec<_> = privileges
        .into_iter()
        .map(|it| (it.kind.to_string(), some(it.namespace), some(it.set)))
        .collect();
    (name, privileges, PyTuple::new(py, allow)?, read_quota, write_quota).into_bound_py_any(py)
}

/// A job's number, and the nodes that it runs on; `spikewire.jobs` makes more of it.
#[pyclass(frozen, module = "spikewire._native")]
pub struct JobCore {
    origin: Origin,
    job: Arc<RunningJob>,
}

#[pymethods]
impl JobCore {
    /// Its number on every node.
    #[getter]
    fn id(&self) -> u64 {
        self.job.id
    }

    /// How far it is.
    fn progress(&self) -> AdminTask {
        let job = self.job.clone();
        AdminTask::new(self.origin.clone(), |_| Ok(WatchJob::progress(job)))
    }

    /// Its end on every node; a timeout of `None` or 0 is no limit.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<AdminTask> {
        let (job, limit) = (self.job.clone(), timeout.map_or(Ok(Duration::ZERO), limit)?);
        Ok(AdminTask::new(self.origin.clone(), move |_| Ok(WatchJob::wait(job, limit))))
    }

    /// Ends it on every node.
    fn abort(&self) -> AdminTask {
        let job = self.job.clone();
        AdminTask::new(self.origin.clone(), |_| Ok(AbortJob::new(job)))
    }
}

/// How long to wait. Zero means no limit.
pub fn limit(timeout: &Bound<'_, PyAny>) -> PyResult<Duration> {
    seconds("timeout", timeout)
}
