//! A query of the asyncio API: records that have already arrived are returned without going through
//! the event loop.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::aggregate::QueryParts;
use super::batches::Batches;
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
}

#[pymethods]
impl AsyncQuery {
    /// `AsyncQuery[User]` is one of records of that type, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        annotation(class, item)
    }

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

    /// The records as Arrow tables of up to `rows` records (from 1 to 10,000,000; default
    /// 65,536). A table ends at 4 MiB of records, so memory use stays small.
    ///
    /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`. Without a schema each table
    /// has the columns and types of its own records.
    ///
    /// Raises the errors of `Batch.to_arrow`, with the row of the table, and the errors of
    /// iteration. The records of a table that could not be built are returned again: see
    /// `cursor`.
    #[pyo3(signature = (rows=None, *, schema=None, key=None, generation=None, ttl=None))]
    fn arrow_batches<'py>(
        &self,
        py: Python<'py>,
        rows: Option<&Bound<'py, PyAny>>,
        schema: Option<Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = Batches::arrow(self.reading(), rows, schema, key, generation, ttl)?;
        call(py, "_batches", (self.step(py, StepGoal::Batch(Box::new(batches)))?,))
    }

    /// The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
    /// default 65,536). An array ends at 4 MiB of records.
    ///
    /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
    ///
    /// Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
    /// iteration. The records of an array that could not be built are returned again: see
    /// `cursor`.
    #[allow(clippy::too_many_arguments)] // a keyword is an argument
    #[pyo3(signature = (dtype, rows=None, *, key=None, generation=None, ttl=None, missing="mask"))]
    fn numpy_batches<'py>(
        &self,
        py: Python<'py>,
        dtype: &Bound<'py, PyAny>,
        rows: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::missing)] missing: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = Batches::numpy(self.reading(), dtype, rows, key, generation, ttl, missing)?;
        call(py, "_batches", (self.step(py, StepGoal::Batch(Box::new(batches)))?,))
    }

    /// The first record that arrives; ends the query. With `limit=1` the nodes send no further
    /// records.
    ///
    /// Raises `RecordNotFound` if there is none, and the errors of iteration.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first_soon", (slf,))
    }

    /// As `first`, but `None` if there is no record.
    fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first_or_none_soon", (slf,))
    }

    /// The remaining records, in a list, in the order in which they arrive. Ends the query.
    ///
    /// Raises the errors of iteration.
    fn to_list<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_list_soon", (slf,))
    }

    /// The number of remaining records. Ends the query. Unless it names bins or operations, the
    /// nodes send no bins.
    ///
    /// Raises the errors of iteration.
    fn count<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().reading().skip_bins();
        call(slf.py(), "_count_soon", (slf,))
    }

    /// The records in one structured NumPy array. Ends the query.
    ///
    /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
    ///
    /// Raises the errors of `numpy_batches`.
    #[pyo3(signature = (dtype, *, key=None, generation=None, ttl=None, missing="mask"))]
    fn to_numpy<'py>(
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::missing)] missing: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_numpy_soon", (slf, dtype, key, generation, ttl, missing))
    }

    /// The records in one `pyarrow.Table`; missing bins are null. Ends the query.
    ///
    /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`.
    ///
    /// Raises the errors of `arrow_batches`, `TypeError` if a bin has values of different types
    /// and no schema gives its type, and `ImportError` without pyarrow.
    #[pyo3(signature = (schema=None, *, key=None, generation=None, ttl=None))]
    fn to_arrow<'py>(
        slf: &Bound<'py, Self>,
        schema: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_arrow_soon", (slf, schema, key, generation, ttl))
    }

    /// The records in one `pandas.DataFrame`, with a column of a nullable pandas type for each
    /// bin. Ends the query.
    ///
    /// `key`, `generation`, `ttl`: names of columns for these values. Default: none.
    ///
    /// Raises the errors of `to_arrow`, and `ImportError` without pandas or pyarrow.
    #[pyo3(signature = (*, key=None, generation=None, ttl=None))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_pandas_soon", (slf, key, generation, ttl))
    }

    /// The position of the caller, as bytes: `query(resume=cursor)` with the same arguments
    /// continues after the last record consumed, in this process or another one. Available even
    /// after an error or `close()`.
    #[getter]
    fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.reading().cursor(py)
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
        let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
        let aggregation = Bound::new(py, aggregation)?;
        let future = event_loop.call_method1("run_in_executor", (py.None(), &aggregation))?;
        future.call_method1("add_done_callback", (aggregation.getattr("ended")?,))?;
        Ok(future)
    }

    /// Ends the query: the nodes stop sending. Requesting more records raises `QueryClosed`.
    /// Closing again has no effect. Needs no `await`.
    fn close(&self, py: Python<'_>) {
        let on_loop = self.on_loop.get();
        py.detach(|| on_loop.reading.close());
        on_loop.end_driver(py);
    }

    fn __repr__(&self) -> String {
        self.on_loop.get().reading.repr("AsyncQuery")
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
}
