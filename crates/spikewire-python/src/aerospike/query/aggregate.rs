//! Aggregations. The nodes run a stream function on their records, and their results are reduced
//! here by the same function of the same module.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::PyList;

use spikewire_aerospike::Policy;
use spikewire_aerospike::aggregation::AggregationPlan;
use spikewire_aerospike::query::QuerySpec;

use super::explain::ExplainCall;
use super::plan::QueryCall;
use crate::aerospike::core::Core;
use crate::aerospike::value::particle;
use crate::aerospike::verbs::Function;
use crate::bridge::signal::detached;
use crate::errors::{invalid_argument, to_python};

/// The parts of a query that an aggregation needs.
pub struct QueryParts {
    core: Arc<Core>,
    spec: QuerySpec,
    policy: Policy,
}

impl QueryParts {
    pub fn of(core: &Arc<Core>, call: &QueryCall) -> Self {
        Self { core: core.clone(), spec: call.spec.clone(), policy: call.policy }
    }

    /// A request for the plan.
    pub fn explain(&self) -> ExplainCall {
        ExplainCall::new(self.core.clone(), self.spec.clone(), self.policy)
    }

    /// An aggregation with this function.
    pub fn aggregation(
        &self,
        module: &Bound<'_, PyAny>,
        function: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Aggregation> {
        let function = Function::new(module, function, arguments)?.0;
        let plan = self.spec.aggregate(function, &self.policy);
        let plan = plan.map_err(invalid_argument)?;
        Ok(Aggregation { core: self.core.clone(), plan, abandoned: AtomicBool::new(false) })
    }
}

/// An aggregation that was composed; calling it runs it, on the calling thread.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Aggregation {
    core: Arc<Core>,
    plan: AggregationPlan,
    /// Set when the result is no longer wanted.
    abandoned: AtomicBool,
}

#[pymethods]
impl Aggregation {
    pub fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let outcome = detached(py, |interrupted| {
            let gives_up =
                || self.abandoned.load(Relaxed) || interrupted.is_some_and(|look| look());
            self.plan.run(&self.core.cluster, &gives_up)
        })?;
        let values = outcome.map_err(|error| to_python(py, &error, None))?;
        let mut bytes = Vec::new();
        let results = PyList::empty(py);
        for value in values {
            bytes.clear();
            let of = value.encode(&mut bytes);
            results.append(particle(py, of, &bytes)?)?;
        }
        Ok(results)
    }

    /// Takes note of the end of the future that its thread works for: one that is cancelled ends
    /// the aggregation.
    fn ended(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        if future.call_method0("cancelled")?.extract()? {
            self.abandoned.store(true, Relaxed);
        }
        Ok(())
    }
}
