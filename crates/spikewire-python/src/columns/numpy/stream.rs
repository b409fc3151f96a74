//! An array that is filled while the replies arrive: nothing is kept but the array.

use crate::columns::row_error;
use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spikewire_sync::Mutex;

use spikewire_engine::command::batch::{Batch as Rows, Records, Sink};
use spikewire_engine::{Error, Kind};

use spikewire_protocol::void_time;

use super::Wanted;
use super::fill::Fill;
use super::layout::Layout;
use super::library::Library;
use super::memory::Memory;
use crate::errors;
use crate::key::Key;
use crate::many::{self, ManyCall, Resolve};
use crate::verbs::{Defaults, ReadOptions};
use spikewire_columns::RowError;

/// What this is for, in errors.
const VERB: &str = "get_numpy";

/// What the replies become.
pub struct Filling {
    stream: Arc<Stream>,
    dtype: Py<PyAny>,
    lenient: bool,
}

/// Where the records go as they arrive.
struct Stream {
    layout: Py<Layout>,
    now: u64,
    state: Mutex<State>,
}

struct State {
    /// Not there any more when the array is made.
    memory: Option<Memory>,
    /// What stops the filling: that of the first row, if several do.
    stop: Option<RowError>,
}

impl Stream {
    fn fill(&self) -> Fill<'_> {
        Fill { layout: self.layout.get(), strict: false, now: self.now }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Stream({} fields)", self.layout.get().bins.len())
    }
}

impl Sink for Stream {
    fn take(&self, records: Records<'_>) {
        let mut state = self.state.lock();
        let State { memory: Some(memory), stop } = &mut *state else { return };
        let fill = self.fill();
        records.each(|row, header, walk| {
            let (data, mask) = memory.row(row);
            let mut bins = walk.clone();
            match fill.record(header, &mut bins, row, data, mask) {
                Ok(()) => bins.finish(),
                Err(new) => {
                    // A message that is cut short is no answer: the batch says so.
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

/// Composes a read of the bins that the dtype has fields for, into an array.
pub fn get_numpy<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    wanted: &Wanted,
    options: &ReadOptions<'py>,
) -> PyResult<ManyCall> {
    let py = keys.py();
    let numpy = Library::get(py, VERB)?;
    let (dtype, layout) = Layout::of(numpy, dtype, &wanted.extra)?;
    let bins = PyList::new(py, layout.get().bins.iter().map(|field| field.name.as_str()))?;
    let ManyCall { mut rows, mut plan } =
        many::get(defaults, resolve, keys, Some(bins.as_any()), options)?;
    let mut memory = Memory::new(py, numpy, layout.get(), rows.len(), true)?;
    let now = void_time::now();
    let fill = Fill { layout: layout.get(), strict: false, now };
    if layout.get().key.is_some() {
        for (row, key) in plan.keys.iter().enumerate() {
            let (data, mask) = memory.row(row);
            let put = fill.key(key.user.bind(py), row, data, mask)?;
            put.map_err(|stop| row_error(py, &stop, &plan.keys, |_| errors::value_error("")))?;
        }
    }
    let state = Mutex::new(State { memory: Some(memory), stop: None });
    let stream = Arc::new(Stream { layout, now, state });
    rows.set_sink(stream.clone());
    let dtype = dtype.unbind();
    plan.array = Some(Box::new(Filling { stream, dtype, lenient: wanted.lenient }));
    Ok(ManyCall { rows, plan })
}

impl Filling {
    /// The array, when all rows are through.
    pub fn finish<'py>(
        self,
        py: Python<'py>,
        rows: Rows,
        keys: &[Key],
    ) -> PyResult<Bound<'py, PyAny>> {
        let Self { stream, dtype, lenient } = self;
        let (memory, mut stop) = {
            let mut state = stream.state.lock();
            (state.memory.take(), state.stop.take())
        };
        let mut memory = memory.expect("taken once, here");
        for row in 0..rows.len() {
            let failed = match rows.code(row) {
                0 => continue,
                2 | 27 => false,
                _ => !lenient,
            };
            if failed && stop.as_ref().is_none_or(|stop| row < stop.row()) {
                stop = Some(RowError::Failed(row));
            }
            stream.fill().hide(memory.row(row).1);
        }
        if let Some(stop) = stop {
            return Err(row_error(py, &stop, keys, |row| {
                let key = &keys[row];
                let user = key.user.clone_ref(py);
                let key = Key { space: key.space.clone(), user, digest: key.digest };
                let key = Bound::new(py, key).ok().map(Bound::into_any);
                let error =
                    rows.error(row).unwrap_or_else(|| Error::new(Kind::Malformed, "no answer"));
                errors::to_python(py, &error, key)
            }));
        }
        let (numpy, count) = (Library::get(py, VERB)?, rows.len());
        memory.finish(dtype.bind(py), numpy, stream.layout.get(), count)
    }
}
