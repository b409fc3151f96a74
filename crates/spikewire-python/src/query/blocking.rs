//! A query on the blocking face: the thread that takes records reads them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::aggregate::Whole;
use super::page::Page;
use super::reading::{Reading, Step};
use super::{QueryCall, no_page_size};
use crate::core::Core;
use crate::record::Record;

/// A scan or an index query, from `Dataset.query` or `Client.query`. Nothing is sent until the
/// first record is asked for.
///
/// Iterate over it once; memory stays small however many records there are, because the nodes wait
/// for whoever takes them. Use one query per thread. What is left unread ends with `close()`, with
/// a `with` block, or when nobody holds the query any more.
#[pyclass(frozen, module = "spikewire")]
pub struct Query {
    reading: Arc<Reading>,
    whole: Whole,
}

impl Query {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let whole = Whole::of(&core, &call);
        Ok(Self { reading: Arc::new(Reading::new(py, core, call)?), whole })
    }
}

#[pymethods]
impl Query {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<Record>>> {
        loop {
            if let Some(record) = self.reading.pop() {
                return Ok(Some(record));
            }
            if self.reading.advance(py, None, true)? == Step::Over {
                return Ok(None);
            }
        }
    }

    /// The next `page_size` records, with the cursor of those that follow.
    ///
    /// Raises `ValueError` if the query has no `page_size`, and the errors of iterating.
    fn page(&self, py: Python<'_>) -> PyResult<Page> {
        let size = self.reading.page_size.ok_or_else(no_page_size)?;
        self.reading.advance(py, Some(size), true)?;
        Page::of(py, &self.reading)
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
    /// between the nodes meanwhile, `Timeout`, and the other errors of iterating.
    #[pyo3(signature = (module, function, arguments=None))]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        module: &Bound<'py, PyAny>,
        function: &Bound<'py, PyAny>,
        arguments: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.whole.aggregation(module, function, arguments)?.__call__(py)
    }

    /// Ends the query: the nodes stop sending. Taking more records raises `ClientClosed`.
    /// Closing twice does nothing; any thread may do it.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.reading.close());
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyAny>) {
        self.close(py);
    }
}
