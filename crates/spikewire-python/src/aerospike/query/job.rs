//! Background jobs: changes to every record of a scan or an index query, made by the nodes.

use pyo3::prelude::*;

use spikewire_aerospike::background_job::JobPlan;
use spikewire_aerospike::command::WriteOptions;
use spikewire_aerospike::query::{QueryOps, QuerySpec};
use spikewire_aerospike_protocol::message::op;

use super::plan::{self, scope};
use crate::aerospike::arguments;
use crate::aerospike::space::Space;
use crate::aerospike::task::{AdminTask, Origin};
use crate::aerospike::verbs::{Defaults, Function};
use crate::bridge::imports::import_late;
use crate::errors::invalid_argument;

/// The keywords that select the records and limit the speed.
pub struct JobOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub index: Option<Bound<'py, PyAny>>,
    pub records_per_second: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
}

/// A job that has been built but not started.
pub struct JobCall(JobPlan);

impl JobOptions<'_> {
    fn spec(&self, space: &Space) -> PyResult<QuerySpec> {
        scope(space, self.filter.as_ref(), self.index.as_ref(), |name| match name {
            "records_per_second" => &self.records_per_second,
            "timeout" => &self.timeout,
            _ => &None,
        })
    }
}

impl JobCall {
    /// Runs operations on every record.
    pub fn operate(
        defaults: &Defaults,
        space: &Space,
        operations: &Bound<'_, PyAny>,
        durable: bool,
        ttl: Option<&Bound<'_, PyAny>>,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        let operations = plan::operations(QueryOps::writing(), operations)?;
        Self::of(defaults, space, &operations, rules(durable, ttl)?, options)
    }

    /// Deletes every record.
    pub fn delete(
        defaults: &Defaults,
        space: &Space,
        durable: bool,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        Self::of(defaults, space, &QueryOps::whole(op::DELETE), rules(durable, None)?, options)
    }

    /// Resets the time to live of every record.
    pub fn touch(
        defaults: &Defaults,
        space: &Space,
        ttl: Option<&Bound<'_, PyAny>>,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        Self::of(defaults, space, &QueryOps::whole(op::TOUCH), rules(false, ttl)?, options)
    }

    fn of(
        defaults: &Defaults,
        space: &Space,
        operations: &QueryOps,
        rules: WriteOptions,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        let plan = options.spec(space)?.operate(operations, &rules, &defaults.policy);
        plan.map(Self).map_err(invalid_argument)
    }

    /// Calls a function on every record.
    pub fn apply(
        defaults: &Defaults,
        space: &Space,
        function: Function,
        options: &JobOptions<'_>,
    ) -> PyResult<Self> {
        let plan = options.spec(space)?.apply(function.0, &defaults.policy);
        plan.map(Self).map_err(invalid_argument)
    }
}

fn rules(durable: bool, ttl: Option<&Bound<'_, PyAny>>) -> PyResult<WriteOptions> {
    Ok(WriteOptions {
        durable,
        ttl: ttl.map(arguments::ttl).transpose()?.unwrap_or_default(),
        ..WriteOptions::default()
    })
}

/// Passes a job to `spikewire.aerospike.jobs`, where the function with this name starts it and returns the
/// result for the caller.
pub fn run<'py>(
    py: Python<'py>,
    origin: Origin,
    call: JobCall,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let task = AdminTask::new(origin, move |cluster| call.0.start(cluster));
    import_late(py, "spikewire.aerospike.jobs")?.getattr(name)?.call1((Bound::new(py, task)?,))
}
