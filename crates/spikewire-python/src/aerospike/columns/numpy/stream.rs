//! An array that is filled while the replies arrive, so that no reply has to be kept.

use crate::aerospike::columns::row_error;
use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spikewire_sync::Mutex;

use spikewire_aerospike::command::batch::{Batch as Rows, RecordSink, Records, RowOutcome};
use spikewire_aerospike::{Error, Kind};

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::void_time;

use super::ArrayOptions;
use super::fill::Fill;
use crate::aerospike::key::Key;
use crate::bridge::python_code::PythonCode;
use crate::columns::ArrayMemory;
use crate::columns::Layout;
use crate::columns::Library;
use crate::errors;
use spikewire_columns::RowError;

/// The method to name in errors.
const VERB: &str = "get_numpy";

/// An array that is being filled from replies.
pub struct Filling {
    stream: Arc<Stream>,
    dtype: Py<PyAny>,
    lenient: bool,
}

/// Writes records as they arrive.
struct Stream {
    layout: Py<Layout>,
    /// Whether a missing value is an error.
    strict: bool,
    now: u64,
    state: Mutex<StreamState>,
}

struct StreamState {
    /// Taken when the array is finished.
    memory: Option<ArrayMemory>,
    /// The error that stops the filling; if there are several, that of the first row.
    stop: Option<RowError>,
}

impl Stream {
    fn fill(&self) -> Fill<'_> {
        Fill { layout: self.layout.get(), strict: self.strict, now: self.now }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Stream({} fields)", self.layout.get().bins.len())
    }
}

impl RecordSink for Stream {
    fn take(&self, records: Records<'_>) {
        let mut state = self.state.lock();
        let StreamState { memory: Some(memory), stop } = &mut *state else { return };
        let fill = self.fill();
        records.each(|row, header, walk| {
            let (data, mask) = memory.row(row);
            let mut bins = walk.clone();
            match fill.record(header, &mut bins, row, data, mask) {
                Ok(()) => bins.finish(),
                Err(new) => {
                    // A truncated message is not a valid reply; the batch reports that.
                    let size = walk.finish()?;
                    if stop.as_ref().is_none_or(|old| new.row() < old.row()) {
                        *stop = Some(new);
                    }
                    Ok(size)
                }
            }
        });
    }
}

/// An array for the records of a batch, before the number of rows is known.
pub struct NewArray<'py> {
    numpy: &'py Library,
    dtype: Bound<'py, PyAny>,
    layout: Py<Layout>,
    strict: bool,
    lenient: bool,
}

impl<'py> NewArray<'py> {
    /// Checks the dtype.
    pub fn of(
        py: Python<'py>,
        dtype: &Bound<'py, PyAny>,
        options: &ArrayOptions,
    ) -> PyResult<Self> {
        let _code = PythonCode::enter(py);
        let numpy = Library::get(py, VERB)?;
        let (dtype, layout) = Layout::of(numpy, dtype, &options.extra)?;
        let ArrayOptions { strict, lenient, .. } = *options;
        Ok(Self { numpy, dtype, layout, strict, lenient })
    }

    /// The bins for which the dtype has fields.
    pub fn bins(&self) -> PyResult<Bound<'py, PyList>> {
        let names = self.layout.get().bins.iter().map(|field| field.name.as_str());
        PyList::new(self.dtype.py(), names)
    }

    /// Creates the array, with a row for each key.
    pub fn start(self, keys: &[Key]) -> PyResult<Filling> {
        let Self { numpy, dtype, layout, strict, lenient } = self;
        let py = dtype.py();
        let _code = PythonCode::enter(py);
        let mut memory = ArrayMemory::new(py, numpy, layout.get(), keys.len(), !strict)?;
        let now = void_time::now();
        let fill = Fill { layout: layout.get(), strict, now };
        if layout.get().key.is_some() {
            for (row, key) in keys.iter().enumerate() {
                let (data, mask) = memory.row(row);
                let put = fill.key(key.user.bind(py), row, data, mask)?;
                put.map_err(|stop| row_error(py, &stop, keys, |_| errors::value_error("")))?;
            }
        }
        let state = Mutex::new(StreamState { memory: Some(memory), stop: None });
        let stream = Arc::new(Stream { layout, strict, now, state });
        Ok(Filling { stream, dtype: dtype.unbind(), lenient })
    }
}

impl Filling {
    /// Whether it has no mask for missing values.
    pub fn is_strict(&self) -> bool {
        self.stream.strict
    }

    /// The sink that takes the records as they arrive.
    pub fn sink(&self) -> Arc<dyn RecordSink> {
        self.stream.clone()
    }

    /// The array, once all rows have been read.
    pub fn finish<'py>(
        self,
        py: Python<'py>,
        rows: Rows,
        keys: &[Key],
    ) -> PyResult<Bound<'py, PyAny>> {
        let _code = PythonCode::enter(py);
        let Self { stream, dtype, lenient } = self;
        let (memory, mut stop) = {
            let mut state = stream.state.lock();
            (state.memory.take(), state.stop.take())
        };
        let mut memory = memory.expect("taken once, here");
        for row in 0..rows.len() {
            let gap = match rows.outcome(row) {
                RowOutcome::Record(_) => continue,
                RowOutcome::Absent => stream.strict.then_some(RowError::NoRecord(row)),
                RowOutcome::Failed => (!lenient).then_some(RowError::Failed(row)),
                RowOutcome::Late => None,
            };
            if gap.is_some() && stop.as_ref().is_none_or(|stop| row < stop.row()) {
                stop = gap;
            }
            stream.fill().hide(memory.row(row).1);
        }
        if let Some(stop) = stop {
            return Err(row_error(py, &stop, keys, |row| {
                let key = &keys[row];
                let user = key.user.clone_ref(py);
                let key = Key { space: key.space.clone(), user, digest: key.digest };
                let key = Bound::new(py, key).ok().map(Bound::into_any);
                let error = match rows.outcome(row) {
                    RowOutcome::Absent => Error::server(ResultCode::NOT_FOUND),
                    _ => {
                        rows.error(row).unwrap_or_else(|| Error::new(Kind::Malformed, "no answer"))
                    }
                };
                errors::to_python(py, &error, key)
            }));
        }
        let (numpy, count) = (Library::get(py, VERB)?, rows.len());
        memory.finish(dtype.bind(py), numpy, stream.layout.get(), count)
    }
}
