//! A query on the blocking face: the thread that takes records reads them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use spikewire_aerospike::transport::stream::Advance;

use super::aggregate::Whole;
use super::batches::{Batches, QueryBatches};
use super::page::Page;
use super::reading::Reading;
use super::{QueryCall, call, no_page_size};
use crate::columns;
use crate::core::Core;
use crate::record::Record;

/// A scan or an index query, from `Dataset.query` or `Client.query`. Nothing is sent until the
/// first record is asked for.
///
/// Iterate over it once; memory stays small however many records there are, because the nodes wait
/// until records are taken. Use one query per thread. What is left unread ends with `close()`, with
/// a `with` block, or when the query is garbage collected.
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
                self.reading.make_room(py);
                return Ok(Some(record));
            }
            if self.reading.advance(py, None, true)? == Advance::Over {
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
        rows: Option<&Bound<'py, PyAny>>,
        schema: Option<Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<QueryBatches> {
        Ok(QueryBatches::from(Batches::arrow(&self.reading, rows, schema, key, generation, ttl)?))
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
        dtype: &Bound<'py, PyAny>,
        rows: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::missing)] missing: &'static str,
    ) -> PyResult<QueryBatches> {
        Ok(QueryBatches::from(Batches::numpy(
            &self.reading,
            dtype,
            rows,
            key,
            generation,
            ttl,
            missing,
        )?))
    }

    /// The first record that arrives; ends the query. With `limit=1` the nodes send no more than
    /// that.
    ///
    /// Raises `RecordNotFound` if there is none, and the errors of iterating.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first", (slf,))
    }

    /// As `first`, but `None` if there is no record.
    fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_first_or_none", (slf,))
    }

    /// The records that were not taken yet, in a list, in the order in which they arrive. Ends
    /// the query.
    ///
    /// Raises the errors of iterating.
    fn to_list<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        call(slf.py(), "_to_list", (slf,))
    }

    /// How many records there are that were not taken yet. Ends the query. Unless it names bins
    /// or operations, the nodes send no bins.
    ///
    /// Raises the errors of iterating.
    fn count<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().reading.skip_bins();
        call(slf.py(), "_count", (slf,))
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
        call(slf.py(), "_to_numpy", (slf, dtype, key, generation, ttl, missing))
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
        call(slf.py(), "_to_arrow", (slf, schema, key, generation, ttl))
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
        call(slf.py(), "_to_pandas", (slf, key, generation, ttl))
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
