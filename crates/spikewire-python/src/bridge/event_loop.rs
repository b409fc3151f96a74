//! What drivers need from an asyncio event loop: which one is running, watching a descriptor, and
//! timers.

use std::os::fd::RawFd;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use super::cached::{Cached, intern};
use super::python_code::PythonCode;

/// The event loop that is running in this thread.
pub fn running_loop(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET: Cached<Py<PyAny>> = Cached::new();
    GET.import(py, "asyncio", "get_running_loop")?.call0().map_err(|error| {
        if !error.is_instance_of::<PyRuntimeError>(py) {
            return error;
        }
        PyRuntimeError::new_err(
            "no running event loop: asyncio clients are called in a coroutine, run for example by \
             asyncio.run(); without asyncio use a blocking client, such as spikewire.Client",
        )
    })
}

/// Makes a loop call back whenever a descriptor is readable.
pub fn watch(
    event_loop: &Bound<'_, PyAny>,
    descriptor: RawFd,
    callback: Bound<'_, PyAny>,
) -> PyResult<()> {
    let _code = PythonCode::enter(event_loop.py());
    let watched = event_loop.call_method1("add_reader", (descriptor, callback));
    watched.map(drop).map_err(|error| {
        let message = "this event loop cannot watch a file descriptor (add_reader); on \
                       Windows use asyncio.SelectorEventLoop";
        let wrapped = PyRuntimeError::new_err(message);
        wrapped.set_cause(event_loop.py(), Some(error));
        wrapped
    })
}

/// Ends [`watch`].
pub fn unwatch(event_loop: &Bound<'_, PyAny>, descriptor: RawFd) -> PyResult<()> {
    let _code = PythonCode::enter(event_loop.py());
    event_loop.call_method1("remove_reader", (descriptor,)).map(drop)
}

/// Makes a loop call a function with these arguments, from any thread.
pub fn call_soon_threadsafe<'py>(
    event_loop: &Bound<'py, PyAny>,
    call: impl PyCallArgs<'py>,
) -> PyResult<()> {
    let _code = PythonCode::enter(event_loop.py());
    event_loop.call_method1("call_soon_threadsafe", call).map(drop)
}

/// Whether a loop is closed, or can no longer tell because it is being collected.
pub fn is_closed(event_loop: &Bound<'_, PyAny>) -> bool {
    let _code = PythonCode::enter(event_loop.py());
    let closed = event_loop.call_method0(intern!(event_loop.py(), "is_closed"));
    closed.map_or(true, |closed| closed.is_truthy().unwrap_or(true))
}

/// What a task that awaits a future yields to its loop.
pub fn awaited<'py>(future: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = future.py();
    let waiting = future.call_method0(intern!(py, "__await__"))?;
    waiting.call_method0(intern!(py, "__next__"))
}

/// A timer on a loop that is only ever moved to an earlier time: when it fires, and the loop's
/// handle for it.
pub struct LoopTimer(Mutex<(Tick, Option<Py<PyAny>>)>);

impl LoopTimer {
    pub fn new() -> Self {
        Self(Mutex::new((Tick::NEVER, None)))
    }

    /// Whether the timer fires by this time.
    pub fn rings_by(&self, at: Tick) -> bool {
        self.0.lock().0 <= at
    }

    /// Makes the loop call back at this time, unless the timer fires earlier anyway. Cancels the
    /// previous timer.
    pub fn arm(
        &self,
        event_loop: &Bound<'_, PyAny>,
        at: Tick,
        callback: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = event_loop.py();
        let _code = PythonCode::enter(py);
        let delay = at.since(Tick::now()).as_secs_f64();
        let timer = event_loop.call_method1(intern!(py, "call_later"), (delay, callback))?.unbind();
        let needless = {
            let mut current = self.0.lock();
            // A finalizer that ran in the meantime may have set an earlier timer.
            if at < current.0 {
                std::mem::replace(&mut *current, (at, Some(timer))).1
            } else {
                Some(timer)
            }
        };
        if let Some(needless) = needless {
            needless.bind(py).call_method0(intern!(py, "cancel"))?;
        }
        Ok(())
    }

    /// Notes that the timer has fired.
    pub fn on_timer(&self) {
        let before = std::mem::replace(&mut *self.0.lock(), (Tick::NEVER, None));
        drop(before);
    }

    /// Cancels the timer.
    pub fn cancel(&self, py: Python<'_>) -> PyResult<()> {
        let timer = std::mem::replace(&mut *self.0.lock(), (Tick::NEVER, None)).1;
        if let Some(timer) = timer {
            let _code = PythonCode::enter(py);
            timer.bind(py).call_method0(intern!(py, "cancel"))?;
        }
        Ok(())
    }

    /// For the garbage collector.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock().as_deref() {
            Some((_, Some(timer))) => visit.call(timer),
            _ => Ok(()),
        }
    }

    /// For the garbage collector.
    pub fn clear(&self) {
        let timer = self.0.lock().1.take();
        drop(timer);
    }
}
