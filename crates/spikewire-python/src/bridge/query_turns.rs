//! Queries on one event loop take turns while commands on single records arrive.

use std::collections::VecDeque;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::event_loop::{awaited, running_loop};
use super::python_code::PythonCode;
use crate::bridge::cached::{Cached, intern};

/// The queries of one loop that wait for their turn. One has it each time the loop comes round, so
/// that a command on a single record waits for one of them and not for all.
#[pyclass(frozen, module = "spikewire._native")]
pub struct QueryTurns {
    waiting: Mutex<VecDeque<Py<PyAny>>>,
}

impl QueryTurns {
    /// What a task yields to the running loop until it is its query's turn.
    pub fn wait(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let event_loop = running_loop(py)?;
        let turns = Self::of(&event_loop)?;
        let _code = PythonCode::enter(py);
        let future = event_loop.call_method0(intern!(py, "create_future"))?;
        let waited = awaited(&future)?;
        let is_first = {
            let mut waiting = turns.get().waiting.lock();
            waiting.push_back(future.unbind());
            waiting.len() == 1
        };
        if is_first {
            Self::call_soon(&turns, &event_loop)?;
        }
        Ok(waited)
    }

    /// The turns of a loop. They do not refer to it, so they are dropped with it.
    fn of<'py>(event_loop: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        static ALL: Cached<Py<PyAny>> = Cached::new();
        let py = event_loop.py();
        let all = ALL.get_or_try_init(py, || {
            py.import("weakref")?.call_method0("WeakKeyDictionary").map(Bound::unbind)
        })?;
        let all = all.bind(py);
        let known = all.call_method1(intern!(py, "get"), (event_loop,))?;
        if !known.is_none() {
            return Ok(known.cast_into::<Self>()?);
        }
        let new = Bound::new(py, Self { waiting: Mutex::default() })?;
        all.set_item(event_loop, &new)?;
        Ok(new)
    }

    fn call_soon(slf: &Bound<'_, Self>, event_loop: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = slf.py();
        let next = slf.getattr(intern!(py, "next"))?;
        let _code = PythonCode::enter(py);
        event_loop.call_method1(intern!(py, "call_soon"), (next, event_loop)).map(drop)
    }
}

#[pymethods]
impl QueryTurns {
    /// The loop calls this when it comes round.
    fn next(slf: &Bound<'_, Self>, event_loop: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        loop {
            let first = this.waiting.lock().pop_front();
            let Some(first) = first else { return Ok(()) };
            let first = first.bind(py);
            // A cancelled task no longer waits.
            if !first.call_method0(intern!(py, "done"))?.is_truthy()? {
                first.call_method1(intern!(py, "set_result"), (py.None(),))?;
                break;
            }
        }
        let more = !this.waiting.lock().is_empty();
        if more { Self::call_soon(slf, event_loop) } else { Ok(()) }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.waiting.try_lock() {
            Some(waiting) => waiting.iter().try_for_each(|future| visit.call(future)),
            None => Ok(()),
        }
    }

    fn __clear__(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        drop(waiting);
    }
}
