//! An administrative command on its way to its result, and the background jobs that some start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::PyString;
use spikewire_sync::Mutex;

use spikewire_engine::admin::index::ListedIndex;
use spikewire_engine::admin::job::{AbortJob, JobProgress, RunningJob, WatchJob};
use spikewire_engine::admin::module::Module;
use spikewire_engine::admin::{self, AdminPause, Procedure};
use spikewire_engine::clock::Tick;
use spikewire_engine::cluster::Cluster;
use spikewire_engine::{Error, Result};

use crate::arguments::seconds;
use crate::core::Core;
use crate::errors::{to_python, value_error};
use crate::signal::Signal;

/// What an administrative command gives.
pub enum AdminValue {
    Nothing,
    Text(String),
    Indexes(Vec<ListedIndex>),
    Modules(Vec<Module>),
    Progress(JobProgress),
    Job(RunningJob),
}

impl From<()> for AdminValue {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}

impl From<String> for AdminValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ListedIndex>> for AdminValue {
    fn from(indexes: Vec<ListedIndex>) -> Self {
        Self::Indexes(indexes)
    }
}

impl From<Vec<Module>> for AdminValue {
    fn from(modules: Vec<Module>) -> Self {
        Self::Modules(modules)
    }
}

impl From<JobProgress> for AdminValue {
    fn from(progress: JobProgress) -> Self {
        Self::Progress(progress)
    }
}

impl From<RunningJob> for AdminValue {
    fn from(job: RunningJob) -> Self {
        Self::Job(job)
    }
}

type BoxedProcedure = Box<dyn Procedure<Output = AdminValue> + Send>;

/// Finds the cluster of a task: a client may have to connect first.
pub type Origin = Box<dyn Fn(Python<'_>) -> PyResult<Arc<Core>> + Send + Sync>;

/// Makes the procedure when the command begins.
type Maker = Box<dyn FnOnce(&Cluster) -> Result<BoxedProcedure> + Send>;

enum Stage {
    New(Maker),
    Running(BoxedProcedure),
    Over(Option<AdminValue>),
}

/// An administrative command that was checked and not begun.
#[pyclass(frozen, module = "spikewire._native")]
pub struct AdminTask {
    origin: Origin,
    stage: Mutex<Stage>,
    abandoned: AtomicBool,
}

impl AdminTask {
    /// A command on the cluster of `core`, whose procedure is made when it begins.
    pub fn on<P: Procedure<Output: Into<AdminValue>> + Send + 'static>(
        core: Arc<Core>,
        make: impl FnOnce(&Cluster) -> Result<P> + Send + 'static,
    ) -> Self {
        Self::new(Box::new(move |_| Ok(core.clone())), make)
    }

    /// A command on the cluster that `origin` finds when it begins.
    pub fn new<P: Procedure<Output: Into<AdminValue>> + Send + 'static>(
        origin: Origin,
        make: impl FnOnce(&Cluster) -> Result<P> + Send + 'static,
    ) -> Self {
        let make = |cluster: &Cluster| {
            make(cluster).map(|procedure| Box::new(procedure.map(Into::into)) as BoxedProcedure)
        };
        let stage = Mutex::new(Stage::New(Box::new(make)));
        Self { origin, stage, abandoned: AtomicBool::new(false) }
    }

    /// Goes on, without the interpreter: to the next pause, or with `whole` to the end. The time
    /// left to pause, if any.
    fn turn(&self, py: Python<'_>, whole: bool) -> PyResult<Option<Duration>> {
        let core = (self.origin)(py)?;
        let signal = Signal::default();
        let outcome = py.detach(|| {
            let minded = Signal::is_minded();
            let interrupted = || self.abandoned.load(Relaxed) || (minded && signal.look());
            self.go_on(&core.cluster, whole, &interrupted)
        });
        match signal.raised() {
            Some(error) => Err(error),
            None => outcome.map_err(|error| to_python(py, &error, None)),
        }
    }

    fn go_on(
        &self,
        cluster: &Cluster,
        whole: bool,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Duration>> {
        let mut stage = self.stage.lock();
        let mut procedure = match std::mem::replace(&mut *stage, Stage::Over(None)) {
            Stage::New(make) => make(cluster)?,
            Stage::Running(procedure) => procedure,
            Stage::Over(_) => return Err(Error::invalid("the command is over")),
        };
        let value = if whole {
            admin::run(cluster, &mut procedure, interrupted)?
        } else {
            match admin::advance(cluster, &mut procedure, interrupted) {
                AdminPause::Until(until) => {
                    *stage = Stage::Running(procedure);
                    return Ok(Some(until.since(Tick::now())));
                }
                AdminPause::Done(outcome) => outcome?,
            }
        };
        *stage = Stage::Over(Some(value));
        Ok(None)
    }
}

#[pymethods]
impl AdminTask {
    /// Runs to the end on the calling thread, pauses included; gives the result.
    fn run<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.turn(py, true)?;
        self.result(py)
    }

    /// Asks the nodes what has to be known now; blocks while they answer. The seconds to pause
    /// before the next call; `None` when there is a result.
    fn advance(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.turn(py, false)?.map(|pause| pause.as_secs_f64()))
    }

    /// The result, once.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = match &mut *self.stage.lock() {
            Stage::Over(value) => value.take(),
            _ => None,
        };
        match value.ok_or_else(|| value_error("there is no result"))? {
            AdminValue::Nothing => Ok(py.None().into_bound(py)),
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
            AdminValue::Progress(it) => {
                (it.done, it.aborted, it.percent, it.succeeded, it.failed, it.filtered)
                    .into_bound_py_any(py)
            }
            AdminValue::Job(job) => {
                let job = JobCore { core: (self.origin)(py)?, job: Arc::new(job) };
                Ok(Bound::new(py, job)?.into_any())
            }
        }
    }

    /// The result is not wanted any more: an `advance` that is still asking ends soon.
    fn abandon(&self) {
        self.abandoned.store(true, Relaxed);
    }
}

/// A job's number, and the nodes that it runs on; `spikewire.jobs` makes more of it.
#[pyclass(frozen, module = "spikewire._native")]
pub struct JobCore {
    core: Arc<Core>,
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
        AdminTask::on(self.core.clone(), |_| Ok(WatchJob::progress(job)))
    }

    /// Its end on every node; a timeout of `None` or 0 is no limit.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<AdminTask> {
        let (job, limit) = (self.job.clone(), limit(timeout)?);
        Ok(AdminTask::on(self.core.clone(), move |_| Ok(WatchJob::wait(job, limit))))
    }

    /// Ends it on every node.
    fn abort(&self) -> AdminTask {
        let job = self.job.clone();
        AdminTask::on(self.core.clone(), |_| Ok(AbortJob::new(job)))
    }
}

/// How long to wait; zero: no limit, which is what `None` says, too.
pub fn limit(timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Duration> {
    timeout.map_or(Ok(Duration::ZERO), |timeout| seconds("timeout", timeout))
}
