//! A query on the asyncio face: records that are there come without a trip through the event loop.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::aggregate::Whole;
use super::batches::Batches;
use super::on_loop::QueryOnLoop;
use super::reading::Reading;
use super::step::{QueryStep, Refills, Wanted};
use super::{QueryCall, call, no_page_size};
use crate::columns;
use crate::core::Core;

/// A scan or an index query, from `AsyncDataset.query` or `AsyncClient.query`. Nothing is sent
/// until the first record is asked for.
///
/// Iterate over it once, with `async for`; memory stays small however many records there are,
/// because the nodes wait until records are taken. Use one query per task. What is left unread ends
/// with `close()`, with an `async with` block, or when the query is garbage collected.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncQuery {
    on_loop: Py<QueryOnLoop>,
    whole: Whole,
    /// What `anext` awaits, from its first call: its turns are counted there.
    next: Mutex<Option<Py<QueryStep>>>,
}

impl AsyncQuery {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let whole = Whole::of(&core, &call);
        let on_loop = QueryOnLoop::of(py, Reading::new(py, core, call)?)?;
        Ok(Self { on_loop, whole, next: Mutex::default() })
    }

    fn reading(&self) -> &Arc<Reading> {
        &self.on_loop.get().reading
    }

    /// An awaitable of what is wanted.
    fn step<'py>(&self, py: Python<'py>, wanted: Wanted) -> PyResult<Bound<'py, QueryStep>> {
        QueryStep::of(self.on_loop.bind(py), wanted)
    }
}

#[pymethods]
impl AsyncQuery {
    fn __aiter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let refills = Refills::of(py, self.reading())?;
        call(py, "_records", (self.step(py, Wanted::Records(refills))?,))
    }

    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known = self.next.lock().as_ref().map(|step| step.clone_ref(py));
        let step = if let Some(step) = known {
            step
        } else {
            let refills = Refills::of(py, self.reading())?;
            let step = self.step(py, Wanted::Records(refills))?.unbind();
            *self.next.lock() = Some(step.clone_ref(py));
            step
        };
        call(py, "_next", (step,))
    }

    /// The next `page_size` records, with the cursor of those that follow.
    ///
    /// Raises `ValueError` if the query has no `page_size`, and the errors of iterating.
    fn page<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.reading().page_size.ok_or_else(no_page_size)?;
        call(py, "_page", (self.step(py, Wanted::Page)?,))
    }

    /// The records as Arrow tables of up to `rows` records (from 1 to 10,000,000; default
    /// 65,536). A table with 4 MiB of records is not made longer, so that memory stays small.
    ///
    /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`. Without a schema each table
    /// has the columns and types of its own records.
    ///
    /// Raises what `Batch.to_arrow` raises, for the row of the table, and the errors of iterating.
    /// What is in a table that could not be made comes again: see `cursor`.
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
        call(py, "_batches", (self.step(py, Wanted::Batch(Box::new(batches)))?,))
    }

    /// The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
    /// default 65,536). An array with 4 MiB of records is not made longer.
    ///
    /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
    ///
    /// Raises what `Batch.to_numpy` raises, for the row of the array, and the errors of iterating.
    /// What is in an array that could not be made comes again: see `cursor`.
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
        call(py, "_batches", (self.step(py, Wanted::Batch(Box::new(batches)))?,))
    }

    /// The first record that arrives; ends the query. With `limit=1` the nodes send no more than
    /// that.
    ///
    /// Raises `RecordNotFound` if there is none, and the errors of iterating.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first_soon", (slf,))
    }

    /// As `first`, but `None` if there is no record.
    fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first_or_none_soon", (slf,))
    }

    /// The records that were not taken yet, in a list, in the order in which they arrive. Ends
    /// the query.
    ///
    /// Raises the errors of iterating.
    fn to_list<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_list_soon", (slf,))
    }

    /// How many records there are that were not taken yet. Ends the query. Unless it names bins
    /// or operations, the nodes send no bins.
    ///
    /// Raises the errors of iterating.
    fn count<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().reading().skip_bins();
        call(slf.py(), "_count_soon", (slf,))
    }

    /// The records in one structured NumPy array. Ends the query.
    ///
    /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
    ///
    /// Raises what `numpy_batches` raises.
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

    /// The records in one `pyarrow.Table`; a bin that a record does not have is null there.
    /// Ends the query.
    ///
    /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`.
    ///
    /// Raises what `arrow_batches` raises, `TypeError` if a bin has values of different types and
    /// no schema says which it is to be, and `ImportError` without pyarrow.
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

    /// The records in one `pandas.DataFrame`, with a column of one of pandas' nullable types for
    /// each bin. Ends the query.
    ///
    /// `key`, `generation`, `ttl`: names of columns that take those. Default: none.
    ///
    /// Raises what `to_arrow` raises, and `ImportError` without pandas or pyarrow.
    #[pyo3(signature = (*, key=None, generation=None, ttl=None))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_pandas_soon", (slf, key, generation, ttl))
    }

    /// How far the caller came, as bytes: `query(resume=cursor)` with the same arguments goes on
    /// after the last record that was taken, in this process or another one. Also after an error,
    /// and after `close()`.
    #[getter]
    fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.reading().cursor(py)
    }

    /// What a stream function of a registered module makes of the records: each node runs it
    /// over its own, and what they send is reduced here. A list of what comes out in the end; of
    /// one value when the function ends with a `reduce`, or of none when there are no records.
    ///
    /// `module`, `function`, `arguments`: as in `apply`; the function gets the stream first. It is
    /// about all records of the set, or of the query's `index`; the other keywords that choose
    /// records do not apply, and `ValueError` says so.
    ///
    /// Raises `FunctionFailed` with what the function raised, `NodeUnavailable` if records moved
    /// between the nodes meanwhile, `Timeout`, and the other errors of iterating. Cancelling it
    /// ends it on the nodes, too.
    #[pyo3(signature = (module, function, arguments=None))]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        module: &Bound<'py, PyAny>,
        function: &Bound<'py, PyAny>,
        arguments: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let aggregation = self.whole.aggregation(module, function, arguments)?;
        // It blocks, so it happens off the loop.
        let event_loop = py.import("asyncio")?.call_method0("get_running_loop")?;
        let aggregation = Bound::new(py, aggregation)?;
        let future = event_loop.call_method1("run_in_executor", (py.None(), &aggregation))?;
        future.call_method1("add_done_callback", (aggregation.getattr("ended")?,))?;
        Ok(future)
    }

    /// Ends the query: the nodes stop sending. Taking more records raises `ClientClosed`.
    /// Closing twice does nothing. Needs no `await`.
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
}
