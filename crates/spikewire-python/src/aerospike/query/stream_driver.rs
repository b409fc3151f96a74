//! A query on an asyncio event loop.
//!
//! The loop watches the query's descriptor from the first wait for records until the query is over.
//! It also calls back while no task waits, for example while a record is being processed. In that
//! case only the poller's events are taken, so that the descriptor becomes unreadable; the data is
//! read when it is asked for.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Weak};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::reading::Reading;
use crate::bridge::cached::intern;
use crate::bridge::event_loop::{
    LoopTimer, awaited, call_soon_threadsafe, is_closed, running_loop, unwatch, watch,
};
use crate::bridge::python_code::PythonCode;

/// What the loop calls, and the tasks that wait for it. It does not keep the query alive.
#[pyclass(frozen, module = "spikewire._native")]
pub struct StreamDriver {
    reading: Weak<Reading>,
    /// Keeps the closed query alive until the loop has stopped watching its descriptor.
    leaving: Mutex<Option<Arc<Reading>>>,
    event_loop: Py<PyAny>,
    descriptor: RawFd,
    is_watched: AtomicBool,
    /// Futures of waiting tasks.
    waiting: Mutex<Vec<Py<PyAny>>>,
    timer: LoopTimer,
}

impl StreamDriver {
    /// Makes the loop watch a query.
    pub fn start<'py>(
        reading: &Arc<Reading>,
        event_loop: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let descriptor = reading.descriptor()?;
        let driver = Self {
            reading: Arc::downgrade(reading),
            leaving: Mutex::default(),
            event_loop: event_loop.clone().unbind(),
            descriptor,
            is_watched: AtomicBool::new(true),
            waiting: Mutex::default(),
            timer: LoopTimer::new(),
        };
        let driver = Bound::new(event_loop.py(), driver)?;
        watch(event_loop, descriptor, driver.getattr("turn")?)?;
        Ok(driver)
    }

    /// Whether this loop watches the query.
    pub fn is_on(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop.is(event_loop) && self.is_watched.load(SeqCst)
    }

    /// What a task yields to the loop until there may be more records.
    pub fn wait<'py>(slf: &Bound<'py, Self>, reading: &Reading) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let _code = PythonCode::enter(py);
        let event_loop = this.event_loop.bind(py);
        let alarm = reading.alarm()?;
        if !this.timer.rings_by(alarm) {
            this.timer.arm(event_loop, alarm, slf.getattr("expire")?)?;
        }
        let future = event_loop.call_method0(intern!(py, "create_future"))?;
        let waited = awaited(&future)?;
        this.waiting.lock().push(future.unbind());
        Ok(waited)
    }

    /// Stops watching; may be called from any thread. The query is kept alive until the loop has
    /// stopped watching it.
    pub fn end_soon(slf: &Bound<'_, Self>, reading: &Arc<Reading>) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        if !reading.is_own() {
            // A forked child shares the loop's poller with its parent, so it is left alone.
            return Ok(());
        }
        let event_loop = this.event_loop.bind(py);
        let is_here = running_loop(py).is_ok_and(|running| running.is(event_loop));
        if is_here || is_closed(event_loop) {
            return this.end(py);
        }
        *this.leaving.lock() = Some(reading.clone());
        call_soon_threadsafe(event_loop, (slf.getattr("end")?,))
    }

    /// Wakes the waiting tasks, so that they check again.
    fn wake(&self, py: Python<'_>) -> PyResult<()> {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        for future in waiting {
            let future = future.bind(py);
            // A cancelled task no longer waits.
            if !future.call_method0(intern!(py, "done"))?.is_truthy()? {
                future.call_method1(intern!(py, "set_result"), (py.None(),))?;
            }
        }
        Ok(())
    }
}

#[pymethods]
impl StreamDriver {
    /// The loop calls this when the descriptor is readable.
    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        let Some(reading) = self.reading.upgrade() else { return self.end(py) };
        if reading.is_closed() {
            return self.end(py);
        }
        reading.take_readiness(py)?;
        self.wake(py)
    }

    /// The loop's timer calls this.
    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        self.timer.on_timer();
        self.wake(py)
    }

    /// The loop stops watching it; on the loop's own thread.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let event_loop = self.event_loop.bind(py);
        if self.is_watched.swap(false, SeqCst) && !is_closed(event_loop) {
            unwatch(event_loop, self.descriptor)?;
        }
        let left = self.leaving.lock().take();
        drop(left);
        self.timer.cancel(py)?;
        self.wake(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.event_loop)?;
        if let Some(waiting) = self.waiting.try_lock() {
            waiting.iter().try_for_each(|future| visit.call(future))?;
        }
        self.timer.traverse(&visit)
    }

    fn __clear__(&self) {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        drop(waiting);
        self.timer.clear();
    }
}
