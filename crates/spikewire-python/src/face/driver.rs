//! The engine's loop driver on an asyncio event loop, on the loop's own thread.
//!
//! The loop watches one descriptor. Replies complete their futures right here, without another
//! thread and without `call_soon_threadsafe`.

use std::cell::Cell;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use spikewire_aerospike::admin;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::Command;
use spikewire_aerospike::transport::{EventLoop, LoopDriver, Next};
use spikewire_aerospike::transport::{Multiplexer, Outcome};

use super::ticket::{AdminPromise, Owner, Promise, Ticket};
use crate::admin::task::AdminRun;
use crate::call::Call;
use crate::event_loop::{LoopTimer, is_closed, watch};
use crate::gil_fairness;
use crate::many::BatchCall;

/// The connections of one event loop, and the loop that turns them.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Driver {
    connections: LoopDriver<Ticket>,
    event_loop: Py<PyAny>,
    create_future: Py<PyAny>,
    call_soon: Py<PyAny>,
    timer: LoopTimer,
    /// None of it after the end, so that the driver does not keep itself alive.
    bound: Mutex<Option<BoundMethods>>,
}

struct BoundMethods {
    flush: Py<PyAny>,
    expire: Py<PyAny>,
    close: Py<PyAny>,
}

impl Driver {
    /// A driver on this loop, which watches it from now on.
    pub fn start(
        py: Python<'_>,
        cluster: Arc<Cluster>,
        event_loop: &Bound<'_, PyAny>,
    ) -> PyResult<Py<Self>> {
        let connections = LoopDriver::new(Multiplexer::new(cluster)?);
        let descriptor = connections.as_raw_fd();
        let driver = Bound::new(
            py,
            Self {
                connections,
                event_loop: event_loop.clone().unbind(),
                create_future: event_loop.getattr("create_future")?.unbind(),
                call_soon: event_loop.getattr("call_soon")?.unbind(),
                timer: LoopTimer::new(),
                bound: Mutex::new(None),
            },
        )?;
        let methods = BoundMethods {
            flush: driver.getattr("flush")?.unbind(),
            expire: driver.getattr("expire")?.unbind(),
            close: driver.getattr("close")?.unbind(),
        };
        *driver.get().bound.lock() = Some(methods);
        watch(event_loop, descriptor, driver.getattr("turn")?)?;
        Ok(driver.unbind())
    }

    /// Whether it turns on this loop.
    pub fn is_on(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop.is(event_loop)
    }

    /// Whether its loop is closed, so that it will never turn again.
    pub fn is_dead(&self, py: Python<'_>) -> bool {
        is_closed(self.event_loop.bind(py))
    }

    /// Takes a call and returns its future.
    pub fn submit<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        let Call { bytes, target, policy, plan } = call;
        let future = self.create_future.bind(py).call0()?;
        let promise = Promise::on_loop(&future);
        let ticket = Ticket::One { promise, plan, sent: gil_fairness::command_sent() };
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, ticket);
        let on = self.on(py);
        self.connections.submit(&on, command, now, &mut deliver(py));
        on.outcome().map(|()| future)
    }

    /// Takes a batch and returns its future.
    pub fn submit_many<'py>(
        &self,
        py: Python<'py>,
        cluster: Arc<Cluster>,
        call: BatchCall,
    ) -> PyResult<Bound<'py, PyAny>> {
        let future = self.create_future.bind(py).call0()?;
        let next = Owner::start(cluster, Promise::on_loop(&future), call);
        let on = self.on(py);
        self.connections.submit_all(&on, next);
        on.outcome().map(|()| future)
    }

    /// Begins an administrative command; the future of its end, whose value the command keeps.
    pub fn administer<'py>(
        &self,
        py: Python<'py>,
        cluster: Arc<Cluster>,
        run: AdminRun,
    ) -> PyResult<Bound<'py, PyAny>> {
        let future = self.create_future.bind(py).call0()?;
        let waiter = AdminPromise::new(Promise::on_loop(&future), run.slot);
        let mut next = Next::default();
        admin::start(cluster, run.procedure, waiter, &mut next);
        let on = self.on(py);
        self.connections.submit_all(&on, next);
        on.outcome().map(|()| future)
    }

    fn on<'a, 'py>(&'a self, py: Python<'py>) -> OnLoop<'a, 'py> {
        OnLoop { driver: self, py, raised: Cell::new(None) }
    }

    /// Takes a method. No lock is held when Python code runs: a finalizer may come back here.
    fn bound(&self, method: impl FnOnce(&BoundMethods) -> Py<PyAny>) -> Option<Py<PyAny>> {
        self.bound.lock().as_ref().map(method)
    }

    /// Sets the loop's timer, and puts the one before it aside.
    fn wake_at(&self, py: Python<'_>, at: Tick) -> PyResult<()> {
        let Some(expire) = self.bound(|bound| bound.expire.clone_ref(py)) else { return Ok(()) };
        self.timer.arm(self.event_loop.bind(py), at, expire.into_bound(py))
    }

    /// After its end nothing of the loop holds it any more.
    fn let_go_if_closed(&self) {
        if self.connections.is_closed() {
            let bound = self.bound.lock().take();
            drop(bound);
        }
    }
}

/// A driver's loop, asked by its driver.
struct OnLoop<'a, 'py> {
    driver: &'a Driver,
    py: Python<'py>,
    raised: Cell<Option<PyErr>>,
}

impl EventLoop for OnLoop<'_, '_> {
    fn flush_soon(&self) {
        let Self { driver, py, .. } = self;
        if let Some(flush) = driver.bound(|bound| bound.flush.clone_ref(*py))
            && let Err(error) = driver.call_soon.bind(*py).call1((flush,))
        {
            self.raised.set(Some(error));
        }
    }

    fn wake_at(&self, at: Tick) {
        if let Err(error) = self.driver.wake_at(self.py, at) {
            self.raised.set(Some(error));
        }
    }
}

impl OnLoop<'_, '_> {
    /// What the loop had against it.
    fn outcome(self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}

/// Completes futures on the loop's thread.
fn deliver(py: Python<'_>) -> impl FnMut(Ticket, Outcome<'_>, &mut Next<Ticket>) {
    move |ticket, outcome, next| ticket.complete(py, outcome, next)
}

#[pymethods]
impl Driver {
    /// The loop calls this when the descriptor is readable.
    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        let on = self.on(py);
        self.connections.turn(&on, Some(Duration::ZERO), &mut deliver(py))?;
        self.let_go_if_closed();
        on.outcome()
    }

    /// Writes what was submitted since the last time.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let on = self.on(py);
        self.connections.flush(&on, &mut deliver(py));
        self.let_go_if_closed();
        on.outcome()
    }

    /// The loop's timer calls this.
    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        self.timer.rang();
        let on = self.on(py);
        self.connections.expire(&on, &mut deliver(py));
        self.let_go_if_closed();
        on.outcome()
    }

    /// Ends every connection; on the loop's own thread.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_dead(py) {
            let descriptor = self.connections.as_raw_fd();
            self.event_loop.bind(py).call_method1("remove_reader", (descriptor,))?;
        }
        self.timer.cancel(py)?;
        let on = self.on(py);
        self.connections.close(&on, &mut deliver(py));
        // In the midst of handing out replies a flush is still to come.
        if !self.connections.is_flush_due() {
            self.let_go_if_closed();
        }
        on.outcome()
    }

    /// Ends every connection; from any thread.
    pub fn close_soon(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let this = slf.get();
        if this.is_dead(py) {
            return this.close(py);
        }
        let close = slf.getattr("close")?;
        this.event_loop.bind(py).call_method1("call_soon_threadsafe", (close,))?;
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
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
        self.timer.traverse(&visit)
    }

    fn __clear__(&self) {
        let bound = self.bound.lock().take();
        drop(bound);
        self.timer.clear();
    }
}
