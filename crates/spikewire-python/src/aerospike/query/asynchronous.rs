//! A query of the asyncio API: records that have already arrived are returned without going through
//! the event loop.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::aggregate::QueryParts;
use super::batches::Batches;
use super::explain::in_executor;
use super::on_loop::QueryOnLoop;
use super::reading::Reading;
use super::step::{QueryStep, Refills, StepGoal};
use super::{QueryCall, call, no_page_size};
use crate::aerospike::columns;
use crate::aerospike::core::Core;
use crate::aerospike::record_type::annotation;

/// A scan or an index query, from `AsyncDataset.query` or `AsyncClient.query`. Nothing is sent
/// until the first record is requested.
///
/// Iterate over it once, with `async for`. Memory use stays small however many records there
/// are, because the nodes wait until records are consumed. Use one query per task. End an
/// unfinished query with `close()` or an `async with` block; garbage collection ends it, too.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncQuery {
    on_loop: Py<QueryOnLoop>,
    parts: QueryParts,
    /// What `anext` awaits, created by its first call. It counts the turns.
    next: Mutex<Option<Py<QueryStep>>>,
}

impl AsyncQuery {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let parts = QueryParts::of(&core, &call);
        let on_loop = QueryOnLoop::of(py, Reading::new(py, core, call)?)?;
        Ok(Self { on_loop, parts, next: Mutex::default() })
    }

    fn reading(&self) -> &Arc<Reading> {
        &self.on_loop.get().reading
    }

    /// An awaitable of this result.
    fn step<'py>(&self, py: Python<'py>, goal: StepGoal) -> PyResult<Bound<'py, QueryStep>> {
        QueryStep::of(self.on_loop.bind(py), goal)
    }

    fn batches<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce(&Arc<Reading>) -> PyResult<Batches>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let goal = StepGoal::Batch(Box::new(make(self.reading())?));
        call(py, "_batches", (self.step(py, goal)?,))
    }
}

query_methods!(AsyncQuery, "_soon" {
    fn __aiter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let refills = Refills::of(py, self.reading())?;
        call(py, "_records", (self.step(py, StepGoal::Records(refills))?,))
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known = self.next.lock().as_ref().map(|step| step.clone_ref(py));
        let step = if let Some(step) = known {
            step
        } else {
            let refills = Refills::of(py, self.reading())?;
            let step = self.step(py, StepGoal::Records(refills))?.unbind();
            *self.next.lock() = Some(step.clone_ref(py));
            step
        };
        call(py, "_next", (step,))
    }

    /// The next `page_size` records, with the cursor of the records after them.
    ///
    /// Raises `ValueError` if the query has no `page_size`, and the errors of iteration.
    fn page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.reading().page_size.ok_or_else(no_page_size)?;
        call(py, "_page", (self.step(py, StepGoal::Page)?,))
    }

    /// Runs a stream function of a registered module on the records: each node runs it on its
    /// own records, and their results are reduced here. Returns the final values in a list: one
    /// value if the function ends with a `reduce`, none if there are no records.
    ///
    /// `module`, `function`, `arguments`: as in `apply`; the function receives the stream first.
    /// It runs on all records of the set, or of the query's `index`; other keywords that select
    /// records are not supported and raise `ValueError`.
    ///
    /// Raises `FunctionFailed` with the function's error, `NodeUnavailable` if records moved
    /// between nodes in the meantime, `Timeout`, and the other errors of iteration. Cancelling
    /// the call also ends it on the nodes.
    #[pyo3(signature = (module, function, arguments=None))]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        module: &Bound<'py, PyAny>,
        function: &Bound<'py, PyAny>,
        arguments: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let aggregation = self.parts.aggregation(module, function, arguments)?;
        // In a thread of the executor, because it blocks.
        in_executor(py, Bound::new(py, aggregation)?.as_any())
    }

    /// How the query would be executed: whether the nodes read its filter and choose an index,
    /// and which; see `QueryPlan`. On nodes before 8.2, and for a query that names its index,
    /// says what the client asks for. Reads no records, and does not start the query.
    ///
    /// Raises the errors of iteration: `IndexNotFound` if `require_index` or `require_hint` cannot
    /// be met.
    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        in_executor(py, Bound::new(py, self.parts.explain())?.as_any())
    }

    /// Ends the query: the nodes stop sending. Requesting more records raises `QueryClosed`.
    /// Closing again has no effect. Needs no `await`.
    fn close(&self, py: Python<'_>) {
        let on_loop = self.on_loop.get();
        py.detach(|| on_loop.reading.close());
        on_loop.end_driver(py);
    }

    fn __aenter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_enter", (slf,))
    }

    #[pyo3(signature = (*_error))]
    fn __aexit__<'py>(
        slf: &Bound<'py, Self>,
        _error: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_exit", (slf,))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.on_loop)?;
        match self.next.try_lock().as_deref() {
            Some(Some(step)) => visit.call(step),
            _ => Ok(()),
        }
    }
});
