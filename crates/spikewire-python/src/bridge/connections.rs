//! The engine's event loop driver on an asyncio event loop, in the loop's own thread.

use std::cell::Cell;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use rustc_hash::FxHashSet;
use spikewire_sync::Mutex;
use spikewire_transport::driver::Next;
use spikewire_transport::protocol::{CommandOf, ErrorOf};
use spikewire_transport::{EventLoop, LoopDriver, Multiplexer, Outcome, Protocol, Tick};

use super::driver::{BoundMethods, Driver, EventSource};
use super::errors::Raise;
use super::event_loop::{LoopTimer, is_closed, watch};
use super::forks::forks;
use super::loop_entry::LoopEntry;
use super::promise::{Completes, Promise};
use super::python_code::PythonCode;

/// The connections of one event loop, driven by that loop.
pub struct LoopConnections<P: Protocol, T: Completes<P>> {
    topology: Arc<P::Topology>,
    connections: LoopDriver<P, T>,
    event_loop: Py<PyAny>,
    create_future: Py<PyAny>,
    call_soon: Py<PyAny>,
    note: LoopEntry,
    timer: LoopTimer,
    /// `None` after closing; otherwise the driver would keep itself alive.
    bound: Mutex<Option<BoundMethods>>,
    fork_generation: u32,
}

impl<P: Protocol, T: Completes<P> + 'static> LoopConnections<P, T>
where
    Self: Send + Sync,
{
    /// Creates connections on this loop, which starts watching them. They belong to it.
    pub fn start(topology: Arc<P::Topology>, event_loop: &Bound<'_, PyAny>) -> PyResult<Arc<Self>> {
        let connections = LoopDriver::new(Multiplexer::for_loop(topology.clone())?);
        let connections = Arc::new(Self {
            topology,
            connections,
            event_loop: event_loop.clone().unbind(),
            create_future: event_loop.getattr("create_future")?.unbind(),
            call_soon: event_loop.getattr("call_soon")?.unbind(),
            note: LoopEntry::new(),
            timer: LoopTimer::new(),
            bound: Mutex::new(None),
            fork_generation: forks(),
        });
        let turn = Driver::of(event_loop.py(), connections.clone())?;
        watch(event_loop, connections.as_raw_fd(), turn)?;
        Ok(connections)
    }
}

impl<P: Protocol, T: Completes<P>> LoopConnections<P, T> {
    /// The cluster that the connections lead to.
    pub fn topology(&self) -> &Arc<P::Topology> {
        &self.topology
    }

    /// The event loop that drives the connections.
    pub fn event_loop<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.event_loop.bind(py)
    }

    /// Whether this loop drives the connections.
    pub fn is_on(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop.is(event_loop)
    }

    /// Whether this is asyncio's entry for the running loop, and that loop drives the connections.
    #[inline]
    pub fn is_noted(&self, entry: &Bound<'_, PyAny>) -> bool {
        self.note.is(entry)
    }

    /// Notes asyncio's entry for the loop, which is running.
    pub fn note(&self, entry: Bound<'_, PyAny>) {
        let py = entry.py();
        self.note.set(entry, self.event_loop.bind(py));
    }

    /// Whether this process created the connections. A forked child shares the descriptor of its
    /// parent's.
    pub fn is_own(&self) -> bool {
        self.fork_generation == forks()
    }

    /// Whether the event loop is closed and so will never drive the connections again.
    pub fn is_dead(&self, py: Python<'_>) -> bool {
        is_closed(self.event_loop.bind(py))
    }

    /// A new future of the loop, and the promise that completes it.
    #[inline]
    pub fn promise<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Promise<ErrorOf<P>>)>
    where
        ErrorOf<P>: Raise,
    {
        let future = self.create_future.bind(py).call0()?;
        let promise = Promise::on_loop(&future);
        Ok((future, promise))
    }

    /// Submits a command that was created at this time.
    pub fn submit(&self, py: Python<'_>, command: CommandOf<P, T>, now: Tick) -> PyResult<()> {
        let on = self.on(py);
        self.connections.submit(&on, command, now, &mut deliver(py));
        on.outcome()
    }

    /// Submits the first commands of a procedure with several steps.
    pub fn submit_all(&self, py: Python<'_>, next: Next<P, T>) -> PyResult<()> {
        let on = self.on(py);
        self.connections.submit_all(&on, next);
        on.outcome()
    }

    /// Closes all connections. Must be called in the loop's own thread.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_dead(py) {
            let descriptor = self.as_raw_fd();
            self.event_loop.bind(py).call_method1("remove_reader", (descriptor,))?;
        }
        self.timer.cancel(py)?;
        let on = self.on(py);
        self.connections.close(&on, &mut deliver(py));
        // While replies are being delivered, a flush follows anyway.
        if !self.connections.is_flush_due() {
            self.let_go_if_closed();
        }
        on.outcome()
    }

    /// Closes all connections. May be called from any thread.
    pub fn end_soon(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_dead(py) {
            return self.end(py);
        }
        // Without bound methods, the connections are closed already.
        let Some(close) = self.bound(|bound| bound.close.clone_ref(py)) else { return Ok(()) };
        self.event_loop.bind(py).call_method1("call_soon_threadsafe", (close,)).map(drop)
    }

    fn on<'a, 'py>(&'a self, py: Python<'py>) -> OnLoop<'a, 'py, P, T> {
        OnLoop { connections: self, py, raised: Cell::new(None) }
    }

    /// Releases what the loop refers to, once the driver is closed.
    fn let_go_if_closed(&self) {
        if self.connections.is_closed() {
            self.let_go();
        }
    }
}

impl<P: Protocol, T: Completes<P>> Drop for LoopConnections<P, T> {
    /// The loop is gone, or has been told to forget them. Nobody can wait for what is in flight.
    fn drop(&mut self) {
        // A forked child shares the sockets and their poller with its parent.
        if self.is_own() && !self.connections.is_closed() {
            self.connections.close_now(&mut |ticket, _, _| drop(ticket));
        }
    }
}

impl<P: Protocol, T: Completes<P>> LoopConnections<P, T> {
    /// Returns a new reference to a bound method. Takes no lock while Python code runs, because a
    /// finalizer may call back into this.
    fn bound(&self, method: impl FnOnce(&BoundMethods) -> Py<PyAny>) -> Option<Py<PyAny>> {
        self.bound.lock().as_ref().map(method)
    }

    /// Sets the loop's timer, replacing the previous one.
    fn wake_at(&self, py: Python<'_>, at: Tick) -> PyResult<()> {
        let Some(expire) = self.bound(|bound| bound.expire.clone_ref(py)) else { return Ok(()) };
        self.timer.arm(self.event_loop.bind(py), at, expire.into_bound(py))
    }

    fn let_go(&self) {
        let bound = self.bound.lock().take();
        drop(bound);
    }
}

/// The event loop as its driver sees it.
struct OnLoop<'a, 'py, P: Protocol, T: Completes<P>> {
    connections: &'a LoopConnections<P, T>,
    py: Python<'py>,
    raised: Cell<Option<PyErr>>,
}

impl<P: Protocol, T: Completes<P>> EventLoop for OnLoop<'_, '_, P, T> {
    fn flush_soon(&self) {
        let Self { connections, py, .. } = self;
        let _code = PythonCode::enter(*py);
        if let Some(flush) = connections.bound(|bound| bound.flush.clone_ref(*py))
            && let Err(error) = connections.call_soon.bind(*py).call1((flush,))
        {
            self.raised.set(Some(error));
        }
    }

    fn wake_at(&self, at: Tick) {
        let _code = PythonCode::enter(self.py);
        if let Err(error) = self.connections.wake_at(self.py, at) {
            self.raised.set(Some(error));
        }
    }
}

impl<P: Protocol, T: Completes<P>> OnLoop<'_, '_, P, T> {
    /// An error that the loop raised, if there was one.
    fn outcome(self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}

/// Completes futures in the loop's thread.
fn deliver<P: Protocol, T: Completes<P>>(
    py: Python<'_>,
) -> impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>) {
    move |ticket, outcome, next| ticket.complete(py, outcome, next)
}

impl<P: Protocol, T: Completes<P>> AsRawFd for LoopConnections<P, T> {
    fn as_raw_fd(&self) -> RawFd {
        self.connections.as_raw_fd()
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
