//! The result of a verb on many records.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyType};

use spikewire_aerospike::Error;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::{Batch as Rows, ResultFlags};
use spikewire_aerospike_protocol::message::Message;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_protocol::void_time;
use spikewire_columns::RowError;
use spikewire_transport::metrics::Stage;

use crate::aerospike::call::{self, Answers, record};
use crate::aerospike::columns;
use crate::aerospike::key::Key;
use crate::aerospike::late::late;
use crate::aerospike::record::Record;
use crate::aerospike::record_type::annotation;
use crate::aerospike::value::{Buffer, Codec, Views, is_bytes, is_scalar};
use crate::bridge::cached::Cached;
use crate::errors;

/// How to read the rows of a batch.
pub struct RowReader {
    pub keys: Vec<Key>,
    pub answers: RowAnswers,
    /// Decodes the bins.
    pub codec: Option<Arc<Codec>>,
    /// Whether bytes are returned as views of the replies.
    pub buffers: bool,
}

impl RowReader {
    /// A reader of rows with these keys that uses no codec.
    pub fn new(keys: Vec<Key>) -> Self {
        Self { keys, answers: RowAnswers::None, codec: None, buffers: false }
    }
}

/// Which operations of a row return a result, for rows that consist of operations.
pub type RowAnswers = ResultFlags<Answers, Arc<Answers>>;

/// Measures how long it takes to decode all rows of a batch. Only the first time counts.
struct DecodeTimer {
    cluster: Arc<Cluster>,
    is_reported: AtomicBool,
}

impl DecodeTimer {
    fn took(&self, time: Duration) {
        if !self.is_reported.swap(true, Relaxed) {
            self.cluster.metrics().stage(Stage::Decode, time);
        }
    }
}

/// The outcomes of a batch, one per row, in input order.
///
/// Indexing and iteration return a `Record`, `None` if the record does not exist, or `Late` if the
/// call has a `deadline` and the reply did not come by then; accessing a row that failed raises its
/// error. `codes`, `errors` and `late` inspect rows without raising.
#[pyclass(frozen, module = "spikewire")]
pub struct Batch {
    /// Shared with the views of its memory.
    rows: Arc<Rows>,
    reader: RowReader,
    /// Records decoded so far. Each is decoded once.
    seen: OnceLock<Box<[Cached<Py<PyAny>>]>>,
    /// Set while the decoding of all rows is measured.
    decode_timer: Option<Box<DecodeTimer>>,
}

impl Batch {
    pub fn new(rows: Rows, reader: RowReader, timed: Option<Arc<Cluster>>) -> Self {
        let decode_timer =
            timed.map(|cluster| Box::new(DecodeTimer { cluster, is_reported: false.into() }));
        Self { rows: Arc::new(rows), reader, seen: OnceLock::new(), decode_timer }
    }

    /// Reads all rows. The first call is measured.
    pub fn reads_all<T>(&self, read: impl FnOnce() -> T) -> T {
        let Some(decode_timer) = &self.decode_timer else { return read() };
        let began = Tick::now();
        let result = read();
        decode_timer.took(Tick::now().since(began));
        result
    }

    fn key(&self, py: Python<'_>, index: usize) -> Key {
        let key = &self.reader.keys[index];
        Key { space: key.space.clone(), user: key.user.clone_ref(py), digest: key.digest }
    }

    /// What a row is for Python: its record, `None`, or `Late`.
    fn item<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.rows.is_late(index) { late(py).map(Some) } else { self.row(py, index) }
    }

    /// The record of a row, decoded once; `None` if there is none. The error of a late row says so.
    pub fn row<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let empty = || (0..self.rows.len()).map(|_| Cached::new()).collect();
        let seen = &self.seen.get_or_init(empty)[index];
        if let Some(seen) = seen.get(py) {
            return Ok(Some(seen.bind(py).clone()));
        }
        let Some(record) = self.read(py, index)? else { return Ok(None) };
        // If another thread was faster, both return its record.
        let record = Bound::new(py, record)?.into_any().unbind();
        Ok(Some(seen.get_or_set(py, record).bind(py).clone()))
    }

    /// The record of a row, decoded on every call; `None` if there is none.
    pub fn read(&self, py: Python<'_>, index: usize) -> PyResult<Option<Record>> {
        let Some(message) = self.message(py, index)? else { return Ok(None) };
        let answers = self.reader.answers.of(index);
        let codec = self.reader.codec.as_deref();
        let row = || Bound::new(py, Buffer::row(self.rows.clone(), index));
        let buffer = self.reader.buffers.then(row).transpose()?;
        let views = buffer.as_ref().map(Views::new);
        record(py, &message, answers, codec, views.as_ref(), self.key(py, index)).map(Some)
    }

    /// Generation and remaining seconds to live of the record of a row; `None` if there is none.
    pub fn meta(&self, py: Python<'_>, index: usize) -> PyResult<Option<(u32, Option<u32>)>> {
        Ok(self.row_record(py, index)?.map(|row| (row.generation(), row.ttl())))
    }

    /// The record of a row, whose parts are decoded on demand; `None` if there is none.
    pub fn row_record(&self, py: Python<'_>, index: usize) -> PyResult<Option<RowRecord<'_>>> {
        let message = self.message(py, index)?;
        Ok(message.map(|message| RowRecord { of: self, index, message }))
    }

    /// The message that contains the record of a row; `None` if there is no record.
    fn message(&self, py: Python<'_>, index: usize) -> PyResult<Option<Message<'_>>> {
        let message = match self.rows.record(index) {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(None),
            Err(error) => return Err(self.failure(py, index, &error)),
        };
        let message = Message::again(message).map_err(|error| {
            self.failure(py, index, &self.rows.unreadable(index, &error.to_string()))
        })?;
        Ok(Some(message))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The result code of a row.
    pub fn code(&self, index: usize) -> i32 {
        self.rows.code(index)
    }

    /// The code of the first row at which a node's replies ended.
    pub fn end(&self) -> Option<i32> {
        self.rows.end().map(|code| i32::from(code.0))
    }

    /// The key of a row.
    pub fn key_of(&self, index: usize) -> &Key {
        &self.reader.keys[index]
    }

    /// Whether a row failed.
    pub fn is_failure(&self, index: usize) -> bool {
        self.rows.is_failure(index)
    }

    fn failure(&self, py: Python<'_>, index: usize, error: &Error) -> PyErr {
        let key = Bound::new(py, self.key(py, index)).ok().map(Bound::into_any);
        errors::to_python(py, error, key)
    }

    /// The exception that explains why columns could not be built.
    fn explain(&self, py: Python<'_>, stop: &RowError) -> PyErr {
        columns::row_error(py, stop, &self.reader.keys, |row| match self.row(py, row) {
            Err(error) => error,
            Ok(_) => self.failure(py, row, &Error::server(ResultCode::NOT_FOUND)),
        })
    }
}

/// The record of a row of a batch, not decoded yet.
pub struct RowRecord<'a> {
    of: &'a Batch,
    index: usize,
    message: Message<'a>,
}

impl RowRecord<'_> {
    /// The record's generation.
    pub fn generation(&self) -> u32 {
        self.message.header.generation
    }

    /// Remaining seconds to live; `None` if the record never expires.
    pub fn ttl(&self) -> Option<u32> {
        void_time::ttl(self.message.header.ttl)
    }

    /// The record's bins, and whether all values are scalars; bytes count as scalars if `bytes` is
    /// set.
    pub fn bins<'py>(&self, py: Python<'py>, bytes: bool) -> PyResult<(Bound<'py, PyDict>, bool)> {
        let codec = self.of.reader.codec.as_deref();
        let scalar = Cell::new(codec.is_none());
        let bins = call::bins(py, &self.message, codec, |of| {
            if !(is_scalar(of) || bytes && is_bytes(of)) {
                scalar.set(false);
            }
        })?;
        Ok((bins, scalar.get()))
    }

    /// The results of the row's operations.
    pub fn results<'py>(&self, py: Python<'py>) -> PyResult<call::Results<'py>> {
        let RowReader { answers, codec, .. } = &self.of.reader;
        call::results(py, &self.message, answers.of(self.index), codec.as_deref())
    }

    /// The row's result code.
    pub fn code(&self) -> i32 {
        i32::from(self.message.header.result)
    }

    /// Whether all operations returned `None`.
    pub fn is_silent(&self) -> bool {
        self.message.ops().all(|answer| answer.particle == particle::NULL)
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: isize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let len = self.rows.len();
        let at = if index < 0 { index + len as isize } else { index };
        match usize::try_from(at) {
            Ok(at) if at < len => self.item(py, at),
            _ => Err(PyIndexError::new_err(format!("row {index} of a batch of {len}"))),
        }
    }

    fn __iter__(slf: Bound<'_, Self>) -> BatchRows {
        BatchRows { batch: slf.unbind(), next: 0.into(), took: 0.into() }
    }

    /// `Batch[User]` is a batch of records of that type, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        annotation(class, item)
    }

    /// The result code of every row, as an `array.array`: 0 is success, 2 no such record;
    /// negative numbers are client-side failures, but -16 is a late row.
    #[getter]
    fn codes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("array")?
            .getattr("array")?
            .call1(("i", PyList::new(py, self.rows.codes().collect::<Vec<_>>())?))
    }

    /// The errors of failed rows, by row number. Missing records are not failures.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let errors = PyDict::new(py);
        for index in self.rows.failures() {
            if let Err(error) = self.row(py, index) {
                errors.set_item(index, error.into_value(py))?;
            }
        }
        Ok(errors)
    }

    /// The numbers of the rows whose reply did not come by the call's `deadline`. They are
    /// neither missing nor failed.
    #[getter(late)]
    fn late_rows(&self) -> Vec<usize> {
        self.rows.late().collect()
    }

    /// The numbers of the rows that failed but may have been written.
    #[getter]
    fn in_doubt(&self) -> Vec<usize> {
        self.rows.doubts().collect()
    }

    /// The keys, in input order.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let keys = (0..self.rows.len()).map(|index| self.key(py, index));
        let keys: Vec<_> = keys.map(|key| Bound::new(py, key)).collect::<PyResult<_>>()?;
        PyList::new(py, keys)
    }

    /// How many rows found their record.
    #[getter(found)]
    fn record_count(&self) -> usize {
        self.rows.record_count()
    }

    /// Raises the error of the first failed row, if any; otherwise returns the batch itself.
    fn raise_for_errors(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let this = slf.get();
        if let Some(index) = this.rows.failures().next() {
            this.row(slf.py(), index)?;
        }
        Ok(slf)
    }

    /// The records found, by user key (by digest if the user key is unknown). A failed row
    /// raises its error; missing and late ones are left out.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let records = PyDict::new(py);
        self.reads_all(|| {
            for index in (0..self.rows.len()).filter(|index| !self.rows.is_late(*index)) {
                if let Some(record) = self.row(py, index)? {
                    let key = &self.reader.keys[index];
                    if key.user.is_none(py) {
                        records.set_item(&key.digest.0[..], record)?;
                    } else {
                        records.set_item(key.user.bind(py), record)?;
                    }
                }
            }
            Ok(records)
        })
    }

    /// The records as a structured NumPy array, one row per key, in input order.
    ///
    /// `dtype` is a structured dtype, or anything `numpy.dtype` converts to one. Each field
    /// takes the bin of the same name; bins without a field are left out. Fields are integers,
    /// float32, float64, bool, S (bytes or ASCII text), U (text), V (bytes of exactly that
    /// size), datetime64 and timedelta64 (integers, counted in their unit), and sub-arrays:
    /// lists of exactly that shape, or bytes of exactly that size.
    /// `key`, `generation`, `ttl`: names of fields that take the user key, the record's
    /// generation and its remaining seconds to live instead of a bin. Default: none.
    /// `missing`: "mask" returns a `numpy.ma.MaskedArray` that masks missing values field by
    /// field: no such record, no such bin, no TTL, `None` in a list, a late row. "raise" returns a
    /// plain `numpy.ndarray` and raises `RecordNotFound`, `ValueError` or `Timeout` instead.
    /// Default: "mask".
    /// `errors`: "raise" raises the error of the first failed row, "mask" masks such rows, which
    /// requires a masked array. Default: "raise".
    ///
    /// Raises `TypeError`, `ValueError` or `OverflowError`, naming row, key and field, for a
    /// value that its field cannot hold; values are never truncated, wrapped or invented. Floats
    /// are rounded for float32 fields. Raises `ImportError` without NumPy.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (dtype, *, key=None, generation=None, ttl=None, missing="mask", errors="raise"))]
    fn to_numpy<'py>(
        &self,
        py: Python<'py>,
        dtype: &Bound<'py, PyAny>,
        key: Option<&Bound<'py, PyAny>>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::missing)] missing: &'static str,
        #[pyo3(from_py_with = columns::errors)] errors: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let extra = columns::extra_columns(key, generation, ttl)?;
        let options = columns::ArrayOptions::new(extra, missing, errors)?;
        let explain = |stop: &RowError| self.explain(py, stop);
        self.reads_all(|| {
            columns::to_numpy(py, &self.rows, &self.reader.keys, dtype, &options, explain)
        })
    }

    /// The records as an Arrow table, one row per key, in input order.
    ///
    /// `schema`: an Arrow schema, such as a `pyarrow.Schema`; each field takes the bin of the
    /// same name, and bins without a field are left out. Default: a column for each bin, of the
    /// type of its values: int64, double, bool, string (text and GeoJSON), binary (bytes and
    /// HyperLogLog), list, map; null if no row has a value. Missing values and late rows are null.
    /// `key`, `generation`, `ttl`: names of columns that take the user key, the record's
    /// generation and its remaining seconds to live. Default: none.
    /// `errors`: "raise" raises the error of the first failed row, "mask" makes such rows null.
    /// Default: "raise".
    ///
    /// Raises `TypeError`, `ValueError` or `OverflowError`, naming row, key and column, for a
    /// value that does not fit its column, including values of different types in a bin whose
    /// type no schema gives.
    #[pyo3(signature = (schema=None, *, key=None, generation=None, ttl=None, errors="raise"))]
    fn to_arrow(
        &self,
        py: Python<'_>,
        schema: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        generation: Option<&Bound<'_, PyAny>>,
        ttl: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = columns::errors)] errors: &'static str,
    ) -> PyResult<columns::ArrowTable> {
        let extra = columns::extra_columns(key, generation, ttl)?;
        let mut columns = columns::table_builder(schema, &extra, false, None)?;
        let explain = |stop: RowError| self.explain(py, &stop);
        columns::fill_keys(py, &mut columns, &self.reader.keys)?.map_err(explain)?;
        let table = py.detach(|| {
            self.reads_all(|| {
                columns.fill(self.rows.all_contents(), errors == "mask")?;
                Ok(columns.finish(self.rows.len()))
            })
        });
        table.map_err(explain)?.map(columns::ArrowTable::new).map_err(columns::arrow_error)
    }

    /// The records as a `pandas.DataFrame`, one row per key, in input order, with the user keys
    /// (or digests, if the user key is unknown) as its index.
    ///
    /// Each bin becomes a column of a nullable pandas type: Int64, Float64, boolean, string.
    /// Bins with bytes, lists, maps or values of different types become columns of Python
    /// objects. Missing values are `pandas.NA`, or `None` among objects.
    /// `generation`, `ttl`: names of columns that take the record's generation and its remaining
    /// seconds to live. Default: none.
    /// `errors`: "raise" raises the error of the first failed row, "mask" makes such rows
    /// missing. Default: "raise".
    ///
    /// Raises `ImportError` without pandas.
    #[pyo3(signature = (*, generation=None, ttl=None, errors="raise"))]
    fn to_pandas<'py>(
        &self,
        py: Python<'py>,
        generation: Option<&Bound<'py, PyAny>>,
        ttl: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = columns::errors)] errors: &'static str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let extra = columns::extra_columns(None, generation, ttl)?;
        let explain = |stop: &RowError| self.explain(py, stop);
        let lenient = errors == "mask";
        self.reads_all(|| {
            columns::to_pandas(py, &self.rows, &self.reader.keys, &extra, lenient, explain)
        })
    }

    fn __repr__(&self) -> String {
        let failed = self.rows.failures().count();
        let late = match self.rows.late().count() {
            0 => String::new(),
            late => format!(", {late} late"),
        };
        let (rows, found) = (self.rows.len(), self.record_count());
        format!("Batch({rows} rows, {found} found, {failed} failed{late})")
    }
}

/// Goes through the rows of a batch.
#[pyclass(frozen, module = "spikewire._native")]
pub struct BatchRows {
    batch: Py<Batch>,
    next: AtomicUsize,
    /// Nanoseconds spent on decoding so far, if that is measured.
    took: AtomicU64,
}

#[pymethods]
impl BatchRows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[allow(clippy::option_option)] // the end, no record, a record
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Option<Bound<'py, PyAny>>>> {
        let batch = self.batch.get();
        // Never wraps around, however often the exhausted iterator is called.
        let step = |at| (at < batch.rows.len()).then_some(at + 1);
        let next = self.next.fetch_update(Relaxed, Relaxed, step);
        let Some(decode_timer) = &batch.decode_timer else {
            return next.ok().map(|index| batch.item(py, index)).transpose();
        };
        let Ok(index) = next else {
            decode_timer.took(Duration::from_nanos(self.took.load(Relaxed)));
            return Ok(None);
        };
        let began = Tick::now();
        let row = batch.item(py, index);
        self.took.fetch_add(Tick::now().since(began).as_nanos() as u64, Relaxed);
        row.map(Some)
    }
}
