//! Background jobs: changes to every record of a scan or an index query, made by the nodes.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_engine::admin::Procedure as _;
use spikewire_engine::admin::job::StartJob;
use spikewire_protocol::message::{info2, op, write_op};
use spikewire_protocol::query::{Query, Task};

use super::index::IndexRange;
use crate::admin::task::{AdminTask, AdminValue};
use crate::arguments::{self, count};
use crate::core::Core;
use crate::errors::{refused, type_error, type_name, value_error};
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
            filter: arguments::filter(options.filter.as_ref())?.map(|bytes| bytes.to_vec()),
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
        let work = Work::Operations { durable, ttl: arguments::ttl(ttl)?.slot().map_err(refused)? };
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

    fn task(&self) -> Task<'_> {
        match &self.work {
            Work::Operations { durable, ttl } => Task::Operations {
                info2: if *durable { info2::DURABLE_DELETE } else { 0 },
                info3: 0,
                ttl: *ttl,
            },
            Work::Function(Function(function)) => {
                let (package, name) = (function.module(), function.name());
                Task::Function { package, name, arguments: function.arguments() }
            }
        }
    }
}

/// Hands a job to `spikewire.jobs`: the function of that name makes of it what the face returns.
pub fn run<'py>(
    py: Python<'py>,
    core: Arc<Core>,
    call: JobCall,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let task = AdminTask::on(core, move |cluster| {
        let start = StartJob::new(cluster.members()?, &call.query, &call.task(), call.timeout)?;
        Ok(start.map(AdminValue::Job))
    });
    py.import("spikewire.jobs")?.getattr(name)?.call1((Bound::new(py, task)?,))
}
