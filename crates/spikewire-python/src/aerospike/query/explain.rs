//! How a query would be executed: its plan.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike::Policy;
use spikewire_aerospike::query::{Explanation, QuerySpec};
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike_protocol::query::{Collection, Range};
use spikewire_aerospike_protocol::value::particle as of;

use crate::aerospike::core::Core;
use crate::aerospike::value::particle;
use crate::bridge::signal::detached;
use crate::errors::{invalid_argument, to_python};

/// How a query would be executed, from its `explain`.
#[pyclass(frozen, get_all, module = "spikewire")]
pub struct QueryPlan {
    /// How records are found: `"index"`, by a secondary index; `"scan"`, by examining every
    /// record of the set or namespace; `"nothing"`: the filter is never true, nothing is read.
    access: &'static str,
    /// Whether the nodes read the filter as text, and one of them has chosen the access.
    /// Otherwise the filter, if there is one, is compiled by the client.
    on_server: bool,
    /// The name of the index, if the client knows it.
    index: Option<String>,
    /// The indexed bin, if the client knows it.
    bin: Option<String>,
    /// What of a list or map is indexed: `"list"`, `"mapkeys"` or `"mapvalues"`.
    of: Option<&'static str>,
    /// The values looked up in the index: the least and the greatest integer, or a str, bytes or
    /// `GeoJSON`.
    values: Option<Py<PyAny>>,
    /// The filter as the nodes get it, if they get text.
    text: Option<String>,
    /// The node that has chosen.
    node: Option<String>,
    /// Why no node has chosen; `None` if one has.
    reason: Option<String>,
}

impl QueryPlan {
    fn new(py: Python<'_>, explanation: Explanation) -> PyResult<Self> {
        let Explanation {
            access,
            on_server,
            index,
            collection,
            bin,
            range,
            text,
            node,
            reason,
            ..
        } = explanation;
        let collection = collection.filter(|it| *it != Collection::Value);
        Ok(Self {
            access: access.name(),
            on_server,
            index,
            bin,
            of: collection.map(Collection::name),
            values: range.map(|range| values(py, &range)).transpose()?,
            text,
            node,
            reason: Some(reason).filter(|reason| !reason.is_empty()),
        })
    }
}

fn values(py: Python<'_>, range: &Range) -> PyResult<Py<PyAny>> {
    let value = match range {
        Range::Int(low, high) => PyTuple::new(py, [low, high])?.into_any(),
        Range::Str(text) => particle(py, of::STRING, text.as_bytes())?,
        Range::Blob(bytes) => particle(py, of::BLOB, bytes)?,
        Range::Geo(text) => {
            // Places have a count of cells in front, which is 0.
            let stored = [&[0; 3], text.as_bytes()].concat();
            particle(py, of::GEOJSON, &stored)?
        }
    };
    Ok(value.unbind())
}

#[pymethods]
impl QueryPlan {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("<QueryPlan: {}", self.access);
        if let Some(index) = &self.index {
            let _ = write!(text, " {index:?}");
        }
        if let Some(bin) = &self.bin {
            let _ = write!(text, " on {bin:?}");
        }
        if let Some(values) = &self.values {
            let _ = write!(text, ", {}", values.bind(py).repr()?);
        }
        text += match (&self.reason, self.on_server) {
            (None, _) => "; chosen by a node>",
            (Some(_), true) => "; as before>",
            (Some(_), false) => "; not chosen by a node>",
        };
        Ok(text)
    }
}

/// A request for the plan of a query; calling it sends it, on the calling thread.
#[pyclass(frozen, module = "spikewire._native")]
pub struct ExplainCall {
    core: Arc<Core>,
    spec: QuerySpec,
    policy: Policy,
    /// Set when the result is no longer wanted.
    abandoned: AtomicBool,
}

impl ExplainCall {
    pub fn new(core: Arc<Core>, spec: QuerySpec, policy: Policy) -> Self {
        Self { core, spec, policy, abandoned: AtomicBool::new(false) }
    }
}

#[pymethods]
impl ExplainCall {
    pub fn __call__(&self, py: Python<'_>) -> PyResult<QueryPlan> {
        let plan = self.spec.plan(&self.policy).map_err(invalid_argument)?;
        let outcome = detached(py, |interrupted| {
            let gives_up =
                || self.abandoned.load(Relaxed) || interrupted.is_some_and(|look| look());
            Stream::explain(self.core.streams.clone(), plan, &gives_up)
        })?;
        QueryPlan::new(py, outcome.map_err(|error| to_python(py, &error, None))?)
    }

    /// Takes note of the end of the future that its thread works for: one that is cancelled ends
    /// the wait.
    fn ended(&self, future: &Bound<'_, PyAny>) -> PyResult<()> {
        if future.call_method0("cancelled")?.extract()? {
            self.abandoned.store(true, Relaxed);
        }
        Ok(())
    }
}

/// Runs blocking work in a thread of the event loop's executor. `work` is a callable with `ended`.
pub fn in_executor<'py>(py: Python<'py>, work: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
    let future = event_loop.call_method1("run_in_executor", (py.None(), work))?;
    future.call_method1("add_done_callback", (work.getattr("ended")?,))?;
    Ok(future)
}
