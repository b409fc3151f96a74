//! Background jobs: changes to every record of a scan or an index query, made by the nodes.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_engine::transport::stream::Job;
use spikewire_protocol::info;
use spikewire_protocol::message::{info2, op, write_op};
use spikewire_protocol::query::{Query, Task};

use super::index::IndexRange;
use crate::arguments::{self, count};
use crate::core::Core;
use crate::errors::{to_python, type_error, type_name, value_error};
use crate::face::ask;
use crate::operation::Operation;
use crate::space::Space;
use crate::verbs::{Defaults, Function};

/// The keywords that say which records, and how fast.
pub struct JobOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub index: Option<Bound<'py, PyAny>>,
    pub records_per_second: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

/// A job that was composed and not started.
pub struct JobCall {
    query: Query,
    work: Work,
    timeout: Duration,
}

enum Work {
    Operations { durable: bool, ttl: u32 },
    Function(Function),
}

impl JobCall {
    fn new(
        defaults: &Defaults,
        space: &Space,
        options: &JobOptions<'_>,
        work: Work,
    ) -> PyResult<Self> {
        let index = options.index.as_ref().map(IndexRange::of).transpose()?;
        let pace = options.records_per_second.as_ref();
        let pace = pace.map(|pace| count("records_per_second", pace, 1, 1 << 31)).transpose()?;
        let policy = arguments::policy(&defaults.policy, options.timeout.as_ref(), None)?;
        let query = Query {
            namespace: space.namespace.to_string(),
            set: space.set.clone(),
            filter: arguments::filter(options.filter.as_ref())?,
            index,
            records_per_second: pace.unwrap_or(0) as u32,
            ..Query::default()
        };
        Ok(Self { query, work, timeout: policy.timeout })
    }

    /// Operations on every record.
    pub fn operate(
        defaults: &Defaults,
        space: &Space,
        operations: &Bound<'_, PyAny>,
        durable: bool,
        ttl: Option<&Bound<'_, PyAny>>,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        let work = Work::Operations { durable, ttl: arguments::ttl(ttl)? };
        let mut call = Self::new(defaults, space, options, work)?;
        let steps: Vec<Bound<'_, PyAny>> = if let Ok(list) = operations.cast::<PyList>() {
            list.iter().collect()
        } else if let Ok(items) = operations.cast::<PyTuple>() {
            items.iter().collect()
        } else {
            return Err(type_error(format!(
                "operations must be a list or tuple of operations, not {}",
                type_name(operations)
            )));
        };
        if steps.is_empty() {
            return Err(value_error("operations must not be empty"));
        }
        for (at, step) in steps.iter().enumerate() {
            let Ok(step) = step.cast::<Operation>() else {
                return Err(type_error(format!(
                    "operations[{at}] must be an operation from spikewire.op, not {}",
                    type_name(step)
                )));
            };
            let step = step.get();
            let reads = [op::READ, op::CDT_READ, op::EXP_READ, op::BITS_READ, op::HLL_READ];
            if reads.contains(&step.code) {
                return Err(value_error(format!(
                    "operations[{at}] reads; a job only writes, as nobody takes what it reads"
                )));
            }
            let query = &mut call.query;
            write_op(&mut query.ops, step.code, step.bin.as_bytes(), step.particle, &step.value);
            query.op_count += 1;
        }
        Ok(call)
    }

    /// A function on every record.
    pub fn apply(
        defaults: &Defaults,
        space: &Space,
        function: Function,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        Self::new(defaults, space, options, Work::Function(function))
    }

    fn start(&self, core: &Core) -> spikewire_engine::Result<Job> {
        let task = match &self.work {
            Work::Operations { durable, ttl } => Task::Operations {
                info2: if *durable { info2::DURABLE_DELETE } else { 0 },
                info3: 0,
                ttl: *ttl,
            },
            Work::Function(function) => {
                let Function(function) = function;
                let (package, name) = (function.module(), function.name());
                Task::Function { package, name, arguments: function.arguments() }
            }
        };
        core.streams.start(&self.query, &task, self.timeout)
    }
}

/// A job's number, and the nodes that it runs on; `spikewire.jobs` makes more of it.
#[pyclass(frozen, module = "spikewire._native")]
pub struct JobCore {
    core: Arc<Core>,
    job: Job,
}

#[pymethods]
impl JobCore {
    /// Its number on every node.
    #[getter]
    fn id(&self) -> u64 {
        self.job.id
    }

    /// Every node's answer to an info command: code and text, code 0 when it is no error.
    /// Blocks.
    fn ask(&self, py: Python<'_>, command: &str) -> PyResult<Vec<(u8, String)>> {
        let mut said = Vec::new();
        for node in &self.job.nodes {
            let answer = ask(py, &self.core, node, command)?;
            said.push(match info::value(&answer, command) {
                Ok(text) => (0, text.to_owned()),
                Err(error) => (error.code, error.to_string()),
            });
        }
        Ok(said)
    }
}

/// Starts a job when it is called. Blocks.
#[pyclass(frozen, module = "spikewire._native")]
pub struct JobStart {
    core: Arc<Core>,
    call: JobCall,
}

#[pymethods]
impl JobStart {
    fn __call__(&self, py: Python<'_>) -> PyResult<JobCore> {
        let started = py.detach(|| self.call.start(&self.core));
        let job = started.map_err(|error| to_python(py, &error, None))?;
        Ok(JobCore { core: self.core.clone(), job })
    }
}

/// Hands a job to `spikewire.jobs`: the function of that name makes of it what the face returns.
pub fn run<'py>(
    py: Python<'py>,
    core: Arc<Core>,
    call: JobCall,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("spikewire.jobs")?.getattr(name)?.call1((Bound::new(py, JobStart { core, call })?,))
}
