//! The object that an asyncio event loop calls, whatever protocol its connections speak.
//!
//! The loop watches one descriptor. Replies complete their futures in the callback itself, without
//! another thread and without `call_soon_threadsafe`.

use std::os::fd::AsRawFd;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::python_code::PythonCode;

/// Connections that are driven by an event loop.
pub trait EventSource: AsRawFd + Send + Sync {
    /// Sets the methods through which the loop calls back, until closing.
    fn bind(&self, methods: BoundMethods);

    /// Called when the descriptor is readable.
    fn turn(&self, py: Python<'_>) -> PyResult<()>;

    /// Called to write what was submitted since the last call.
    fn flush(&self, py: Python<'_>) -> PyResult<()>;

    /// Called when the loop's timer fires.
    fn expire(&self, py: Python<'_>) -> PyResult<()>;

    /// Called, in the loop's own thread, to close all connections.
    fn close(&self, py: Python<'_>) -> PyResult<()>;

    /// For the garbage collector: visits the Python objects that the connections refer to.
    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;

    /// For the garbage collector: drops the Python objects that the connections refer to.
    fn clear(&self);
}

/// Bound methods of a driver, for its loop.
pub struct BoundMethods {
    pub flush: Py<PyAny>,
    pub expire: Py<PyAny>,
    pub close: Py<PyAny>,
}

/// The connections of one event loop, as the loop knows them.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Driver(Arc<dyn EventSource>);

impl Driver {
    /// Creates the driver of these connections and returns its method `turn`, to be called when the
    /// descriptor is readable.
    pub fn of(py: Python<'_>, source: Arc<dyn EventSource>) -> PyResult<Bound<'_, PyAny>> {
        let driver = Bound::new(py, Self(source))?;
        driver.get().0.bind(BoundMethods {
            flush: driver.getattr("flush")?.unbind(),
            expire: driver.getattr("expire")?.unbind(),
            close: driver.getattr("close")?.unbind(),
        });
        driver.getattr("turn")
    }
}

#[pymethods]
impl Driver {
    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        // Futures and the loop itself may be Python code.
        let _code = PythonCode::enter(py);
        self.0.turn(py)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let _code = PythonCode::enter(py);
        self.0.flush(py)
    }

    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        let _code = PythonCode::enter(py);
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
