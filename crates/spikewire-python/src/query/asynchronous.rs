//! A query on the asyncio face: records that are there come without a trip through the event loop;
//! the waiting is done in `spikewire/query.py`, on the loop's own terms.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;

use super::aggregate::Whole;
use super::batches::{Batches, QueryBatches};
use super::page::Page;
use super::reading::Reading;
use super::{QueryCall, no_page_size};
use crate::columns;
use crate::core::Core;
use crate::record::Record;

/// A scan or an index query, from `AsyncDataset.query` or `AsyncClient.query`. Nothing is sent
/// until the first record is asked for.
///
/// Iterate over it once, with `async for`; memory stays small however many records there are,
/// because the nodes wait for whoever takes them. Use one query per task. What is left unread ends
/// with `close()`, with an `async with` block, or when nobody holds the query any more.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncQuery {
    reading: Arc<Reading>,
    whole: Whole,
}

impl AsyncQuery {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let whole = Whole::of(&core, &call);
        Ok(Self { reading: Arc::new(Reading::new(py, core, call)?), whole })
    }
}

/// A function of `spikewire/query.py`, called with the query.
fn helper<'py>(query: &Bound<'py, AsyncQuery>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    function(query.py(), name)?.call1((query,))
}

/// A function of `spikewire/query.py`, called with the query and its batches.
fn helper_with<'py>(
    query: &Bound<'py, AsyncQuery>,
    name: &str,
    batches: QueryBatches,
) -> PyResult<Bound<'py, PyAny>> {
    function(query.py(), name)?.call1((query, Bound::new(query.py(), batches)?))
}

fn function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("spikewire.query").map(Bound::unbind))?;
    module.bind(py).getattr(name)
}

#[pymethods]
impl AsyncQuery {
    fn __aiter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "_records")
    }

    /// The next `page_size` records, with the cursor of those that follow.
    ///
    /// Raises `ValueError` if the query has no `page_size`, and the errors of iterating.
    fn page<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().reading.page_size.ok_or_else(no_page_size)?;
        helper(slf, "_page")
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
        slf: &Bound<'py, Self>,
        rows: Option<&Bound<'py, PyAny>>,
        schema: Option<Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = Batches::arrow(&slf.get().reading, rows, schema, key, generation, ttl)?;
        helper_with(slf, "_batches", QueryBatches::from(batches))
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
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
        rows: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::missing)] missing: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches =
            Batches::numpy(&slf.get().reading, dtype, rows, key, generation, ttl, missing)?;
        helper_with(slf, "_batches", QueryBatches::from(batches))
    }

    /// How far the caller came, as bytes: `query(resume=cursor)` with the same arguments goes on
    /// after the last record that was taken, in this process or another one. Also after an error,
    /// and after `close()`.
    #[getter]
    fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.reading.cursor(py)
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
        py.detach(|| self.reading.close());
    }

    fn __aenter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "_enter")
    }

    #[pyo3(signature = (*_error))]
    fn __aexit__<'py>(
        slf: &Bound<'py, Self>,
        _error: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        helper(slf, "_exit")
    }

    /// The records that are ready.
    #[getter]
    fn _ready(&self) -> Ready {
        Ready { reading: self.reading.clone() }
    }

    /// Whether commands on single records come, which should not wait for many records.
    #[getter]
    fn _is_crowded(&self) -> bool {
        self.reading.is_crowded()
    }

    /// Makes records ready, of a page or a few: whether they are, have to be waited for, should
    /// leave other tasks their turn, or are not to come.
    fn _advance(&self, py: Python<'_>, page: bool) -> PyResult<&'static str> {
        let page = if page { self.reading.page_size } else { None };
        Ok(self.reading.advance(py, page, false)?.name())
    }

    /// The page that is ready.
    fn _take_page(&self, py: Python<'_>) -> PyResult<Page> {
        Page::of(py, &self.reading)
    }

    /// What to watch, and for how many seconds.
    fn _awaits(&self) -> PyResult<(i32, f64)> {
        Ok((self.reading.descriptor()?, self.reading.patience()?))
    }
}

/// Goes through the records that are ready, and ends where they do.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Ready {
    reading: Arc<Reading>,
}

#[pymethods]
impl Ready {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<Py<Record>> {
        self.reading.make_room(py);
        self.reading.pop()
    }
}
