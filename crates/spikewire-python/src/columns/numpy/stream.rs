//! An array that is filled while the replies arrive: nothing is kept but the array.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;
use spikewire_sync::Mutex;

use spikewire_engine::command::batch::{Batch as Rows, Sink};
use spikewire_engine::{Error, Kind};
use spikewire_protocol::message::Walk;

use super::super::pandas::module;
use super::super::rows::{Stop, now};
use super::fill::Fill;
use super::layout::Layout;
use super::memory::Memory;
use super::{Target, Wanted};
use crate::errors;
use crate::key::Key;
use crate::many::{self, ManyCall, Resolve};
use crate::verbs::{Defaults, ReadOptions};

/// What the replies become.
pub struct Filling {
    stream: Arc<Stream>,
    array: Py<PyAny>,
    lenient: bool,
}

/// Where the records go as they arrive.
struct Stream {
    layout: Layout,
    now: u64,
    state: Mutex<State>,
}

struct State {
    memory: Memory,
    /// What stops the filling: that of the first row, if several do.
    stop: Option<Stop>,
}

impl Stream {
    fn fill(&self) -> Fill<'_> {
        Fill { layout: &self.layout, strict: false, now: self.now }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Stream({} fields)", self.layout.bins.len())
    }
}

impl Sink for Stream {
    fn take(&self, row: usize, message: &[u8]) {
        let mut state = self.state.lock();
        let State { memory, stop } = &mut *state;
        let (data, mask) = memory.row(row);
        let put = match Walk::begin(message) {
            Ok((header, walk)) => self.fill().record(&header, walk, row, data, mask),
            Err(error) => Err(Stop::Bad(row, String::new(), error.into())),
        };
        if let Err(new) = put
            && stop.as_ref().is_none_or(|old| new.row() < old.row())
        {
            *stop = Some(new);
        }
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
    let numpy = module(py, "get_numpy", "numpy", "NumPy")?;
    let layout = Layout::new(&numpy, dtype, &wanted.extra)?;
    let bins = PyList::new(py, layout.bins.iter().map(|field| field.name.as_str()))?;
    let ManyCall { mut rows, mut plan } =
        many::get(defaults, resolve, keys, Some(bins.as_any()), options)?;
    let target = Target::new(&numpy, &layout, rows.len(), false)?;
    let mut memory = target.memory(&numpy, &layout)?;
    let now = now();
    let fill = Fill { layout: &layout, strict: false, now };
    if layout.key.is_some() {
        for (row, key) in plan.keys.iter().enumerate() {
            let (data, mask) = memory.row(row);
            let put = fill.key(key.user.bind(py), row, data, mask)?;
            put.map_err(|stop| stop.raise(py, &plan.keys, |_| errors::value_error("")))?;
        }
    }
    let array = target.whole.unbind();
    let state = Mutex::new(State { memory, stop: None });
    let stream = Arc::new(Stream { layout, now, state });
    rows.set_sink(stream.clone());
    plan.array = Some(Box::new(Filling { stream, array, lenient: wanted.lenient }));
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
        let Self { stream, array, lenient } = self;
        let stop = {
            let mut state = stream.state.lock();
            let mut stop = state.stop.take();
            for row in 0..rows.len() {
                let failed = match rows.code(row) {
                    0 => continue,
                    2 | 27 => false,
                    _ => !lenient,
                };
                if failed && stop.as_ref().is_none_or(|stop| row < stop.row()) {
                    stop = Some(Stop::Failed(row));
                }
                stream.fill().hide(state.memory.row(row).1);
            }
            stop
        };
        if let Some(stop) = stop {
            return Err(stop.raise(py, keys, |row| {
                let key = &keys[row];
                let user = key.user.clone_ref(py);
                let key = Key { space: key.space.clone(), user, digest: key.digest };
                let key = Bound::new(py, key).ok().map(Bound::into_any);
                let error =
                    rows.error(row).unwrap_or_else(|| Error::new(Kind::Malformed, "no answer"));
                errors::to_python(py, &error, key)
            }));
        }
        drop((rows, stream));
        Ok(array.into_bound(py))
    }
}
