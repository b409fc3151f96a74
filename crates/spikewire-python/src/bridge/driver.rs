//! What an asyncio event loop calls, whichever protocol its connections speak.
//!
//! The loop watches one descriptor. Replies complete their futures right there, without another
//! thread and without `call_soon_threadsafe`.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// Connections that an event loop turns.
pub trait Turned: AsRawFd + Send + Sync {
    /// The loop calls back through these from now on, until the end.
    fn bind(&self, methods: BoundMethods);

    /// The descriptor is readable.
    fn turn(&self, py: Python<'_>) -> PyResult<()>;

    /// What was submitted since the last time is to be written.
    fn flush(&self, py: Python<'_>) -> PyResult<()>;

    /// The loop's timer rang.
    fn expire(&self, py: Python<'_>) -> PyResult<()>;

    /// Every connection is to end; on the loop's own thread.
    fn close(&self, py: Python<'_>) -> PyResult<()>;

    /// For the garbage collector: the Python objects that they hold.
    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;

    /// For the garbage collector.
    fn clear(&self);
}

/// Methods of a driver, for its loop.
pub struct BoundMethods {
    pub flush: Py<PyAny>,
    pub expire: Py<PyAny>,
    pub close: Py<PyAny>,
}

/// The connections of one event loop, as the loop knows them.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Driver(Arc<dyn Turned>);

impl Driver {
    /// A driver of these connections, and its method `turn`, for when they are readable.
    pub fn of(py: Python<'_>, turned: Arc<dyn Turned>) -> PyResult<(Py<Self>, Bound<'_, PyAny>)> {
        let driver = Bound::new(py, Self(turned))?;
        driver.get().0.bind(BoundMethods {
            flush: driver.getattr("flush")?.unbind(),
            expire: driver.getattr("expire")?.unbind(),
            close: driver.getattr("close")?.unbind(),
        });
        let turn = driver.getattr("turn")?;
        Ok((driver.unbind(), turn))
    }
}

#[pymethods]
impl Driver {
    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        self.0.turn(py)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.0.flush(py)
    }

    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        self.0.expire(py)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.0.close(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.traverse(&visit)
    }

    fn __clear__(&self) {
        self.0.clear();
    }
}
