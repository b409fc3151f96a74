//! A query of the blocking API: the thread that takes records also reads them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyType};
use spikewire_aerospike::transport::stream::Advance;

use super::aggregate::QueryParts;
use super::batches::{Batches, QueryBatches};
use super::explain::QueryPlan;
use super::page::Page;
use super::reading::Reading;
use super::{QueryCall, call, no_page_size};
use crate::aerospike::columns;
use crate::aerospike::core::Core;
use crate::aerospike::record::Record;
use crate::aerospike::record_type::annotation;

/// A scan or an index query, from `Dataset.query` or `Client.query`. Nothing is sent until the
/// first record is requested.
///
/// Iterate over it once. Memory use stays small however many records there are, because the
/// nodes wait until records are consumed. Use one query per thread. End an unfinished query with
/// `close()` or a `with` block; garbage collection ends it, too.
#[pyclass(frozen, module = "spikewire")]
pub struct Query {
    reading: Arc<Reading>,
    parts: QueryParts,
}

impl Query {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let parts = QueryParts::of(&core, &call);
        Ok(Self { reading: Arc::new(Reading::new(py, core, call)?), parts })
    }

    fn reading(&self) -> &Arc<Reading> {
        &self.reading
    }

    fn batches<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce(&Arc<Reading>) -> PyResult<Batches>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let batches = QueryBatches::from(make(&self.reading)?);
        Ok(Bound::new(py, batches)?.into_any())
    }
}

query_methods!(Query, "" {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Py<Record>>> {
        loop {
            if let Some(record) = self.reading.pop() {
                self.reading.make_room(py);
                return Ok(Some(record));
            }
            if self.reading.advance(py, None, true)? == Advance::Over {
                return Ok(None);
            }
        }
    }

    /// The next `page_size` records, with the cursor of the records after them.
    ///
    /// Raises `ValueError` if the query has no `page_size`, and the errors of iteration.
    fn page(&self, py: Python<'_>) -> PyResult<Page> {
        let size = self.reading.page_size.ok_or_else(no_page_size)?;
        self.reading.advance(py, Some(size), true)?;
        Page::of(py, &self.reading)
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
    /// between nodes in the meantime, `Timeout`, and the other errors of iteration.
    #[pyo3(signature = (module, function, arguments=None))]
    fn aggregate<'py>(
        &self,
        py: Python<'py>,
        module: &Bound<'py, PyAny>,
        function: &Bound<'py, PyAny>,
        arguments: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.parts.aggregation(module, function, arguments)?.__call__(py)
    }

    /// How the query would be executed: whether the nodes read its filter and choose an index,
    /// and which; see `QueryPlan`. On nodes before 8.2, and for a query that names its index,
    /// says what the client asks for. Reads no records, and does not start the query.
    ///
    /// Raises the errors of iteration: `IndexNotFound` if `require_index` or `require_hint` cannot
    /// be met.
    fn explain(&self, py: Python<'_>) -> PyResult<QueryPlan> {
        self.parts.explain().__call__(py)
    }

    /// Ends the query: the nodes stop sending. Requesting more records raises `QueryClosed`.
    /// Closing again has no effect; any thread may close it.
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
});
