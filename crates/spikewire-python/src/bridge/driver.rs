//! The object that an asyncio event loop calls, whatever protocol its connections speak.
//!
//! The loop watches one descriptor. Replies complete their futures in the callback itself, without
//! another thread and without `call_soon_threadsafe`.

use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use rustc_hash::FxHashSet;
use spikewire_transport::Protocol;

use super::connections::{BoundMethods, LoopConnections};
use super::event_loop::watch;
use super::promise::{Completes, deliver};
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

impl<P: Protocol, T: Completes<P> + 'static> LoopConnections<P, T>
where
    Self: Send + Sync,
{
    /// Creates connections on this loop, which starts watching them. They belong to it.
    pub(super) fn start(
        topology: Arc<P::Topology>,
        event_loop: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<Self>> {
        let connections = Arc::new(Self::new(topology, event_loop)?);
        let turn = Driver::of(event_loop.py(), connections.clone())?;
        watch(event_loop, connections.as_raw_fd(), turn)?;
        Ok(connections)
    }
}

impl<P: Protocol, T: Completes<P> + 'static> EventSource for LoopConnections<P, T>
where
    Self: Send + Sync,
{
    fn bind(&self, methods: BoundMethods) {
        *self.bound.lock() = Some(methods);
    }

    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        let on = self.on(py);
        self.connections.turn(&on, Some(Duration::ZERO), &mut deliver(py))?;
        self.let_go_if_closed();
        on.outcome()
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let on = self.on(py);
        self.connections.flush(&on, &mut deliver(py));
        self.let_go_if_closed();
        on.outcome()
    }

    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        self.timer.on_timer();
        let on = self.on(py);
        self.connections.expire(&on, &mut deliver(py));
        self.let_go_if_closed();
        on.outcome()
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.end(py)
    }

    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.event_loop)?;
        visit.call(&self.create_future)?;
        visit.call(&self.call_soon)?;
        if let Some(bound) = self.bound.try_lock()
            && let Some(bound) = &*bound
        {
            visit.call(&bound.flush)?;
            visit.call(&bound.expire)?;
            visit.call(&bound.close)?;
        }
        self.note.traverse(visit, &self.event_loop)?;
        self.timer.traverse(visit)?;
        // Each reference is visited once, however many tickets lead to it.
        let (mut seen, mut visited) = (FxHashSet::default(), Ok(()));
        self.connections.each_ticket(&mut |ticket| {
            ticket.look(&mut |future| {
                if visited.is_ok() && seen.insert(std::ptr::from_ref(future)) {
                    visited = visit.call(future);
                }
            });
        });
        visited
    }

    fn clear(&self) {
        self.let_go();
        self.timer.clear();
    }
}
