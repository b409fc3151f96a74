//! A query that is read by tasks of an event loop: the state shared by its Python object and by the
//! awaited steps.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use super::reading::Reading;
use super::stream_driver::StreamDriver;
use crate::bridge::event_loop::running_loop;

/// A query, and the driver that waits for it. It ends the query when it goes.
#[pyclass(frozen, module = "spikewire._native")]
pub struct QueryOnLoop {
    pub reading: Arc<Reading>,
    /// Set from the first wait for records until the query is over.
    driver: Mutex<Option<Py<StreamDriver>>>,
}

impl QueryOnLoop {
    pub fn of(py: Python<'_>, reading: Reading) -> PyResult<Py<Self>> {
        Py::new(py, Self { reading: Arc::new(reading), driver: Mutex::default() })
    }

    /// What a task yields to its event loop until there may be more records.
    pub fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = running_loop(py)?;
        let known = self.driver.lock().as_ref().map(|driver| driver.clone_ref(py));
        if let Some(driver) = known
            && driver.get().is_on(&event_loop)
        {
            return StreamDriver::wait(driver.bind(py), &self.reading);
        }
        self.end_driver(py);
        let driver = StreamDriver::start(&self.reading, &event_loop)?;
        *self.driver.lock() = Some(driver.clone().unbind());
        StreamDriver::wait(&driver, &self.reading)
    }

    /// Tells the event loop to stop watching the query.
    pub fn end_driver(&self, py: Python<'_>) {
        let driver = self.driver.lock().take();
        if let Some(driver) = driver {
            let driver = driver.bind(py);
            if let Err(error) = StreamDriver::end_soon(driver, &self.reading) {
                error.write_unraisable(py, Some(driver));
            }
        }
    }
}

impl Drop for QueryOnLoop {
    /// The event loop refers to the driver, and must stop watching its descriptor before that is
    /// closed.
    fn drop(&mut self) {
        if self.driver.get_mut().is_none() {
            return;
        }
        Python::try_attach(|py| {
            // An exception may be propagating through the code that owned the query.
            let passing = PyErr::take(py);
            self.reading.close();
            self.end_driver(py);
            if let Some(passing) = passing {
                passing.restore(py);
            }
        });
    }
}

#[pymethods]
impl QueryOnLoop {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.driver.try_lock().as_deref() {
            Some(Some(driver)) => visit.call(driver),
            _ => Ok(()),
        }
    }
}
