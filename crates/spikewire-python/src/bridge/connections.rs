//! The connections of a client on its event loops: the engine's driver of a loop, in the loop's own
//! thread. The way down: [`LoopTable::here`], [`LoopConnections::promise`],
//! [`LoopConnections::submit`]. The loop calls back through [`super::driver`].

use std::cell::Cell;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::{Arc, Weak};

use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use smallvec::SmallVec;
use spikewire_sync::{Mutex, RwLock};
use spikewire_transport::driver::Next;
use spikewire_transport::protocol::{CommandOf, ErrorOf};
use spikewire_transport::{EventLoop, LoopDriver, Multiplexer, Protocol, Tick};

use super::errors::Raise;
use super::event_loop::{LoopTimer, call_soon_threadsafe, is_closed, running_loop, unwatch};
use super::forks::forks;
use super::loop_entry::{LoopEntry, loop_entry};
use super::promise::{Completes, Promise, deliver};
use super::python_code::PythonCode;

/// Bound methods of a driver, for its loop.
pub struct BoundMethods {
    pub flush: Py<PyAny>,
    pub expire: Py<PyAny>,
    pub close: Py<PyAny>,
}

/// The connections of one event loop, driven by that loop.
pub struct LoopConnections<P: Protocol, T: Completes<P>> {
    topology: Arc<P::Topology>,
    pub(super) connections: LoopDriver<P, T>,
    pub(super) event_loop: Py<PyAny>,
    pub(super) create_future: Py<PyAny>,
    pub(super) call_soon: Py<PyAny>,
    pub(super) note: LoopEntry,
    pub(super) timer: LoopTimer,
    /// `None` after closing; otherwise the driver would keep itself alive.
    pub(super) bound: Mutex<Option<BoundMethods>>,
    fork_generation: u32,
}

impl<P: Protocol, T: Completes<P>> LoopConnections<P, T> {
    /// Connections that this loop is to drive.
    pub(super) fn new(topology: Arc<P::Topology>, event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            connections: LoopDriver::new(Multiplexer::for_loop(topology.clone())?),
            topology,
            event_loop: event_loop.clone().unbind(),
            create_future: event_loop.getattr("create_future")?.unbind(),
            call_soon: event_loop.getattr("call_soon")?.unbind(),
            note: LoopEntry::new(),
            timer: LoopTimer::new(),
            bound: Mutex::new(None),
            fork_generation: forks(),
        })
    }

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
        let _code = PythonCode::enter(py);
        let future = self.create_future.bind(py).call0()?;
        let promise = Promise::on_loop(&future);
        Ok((future, promise))
    }

    /// Completes the future of a promise in the loop's next turn.
    pub fn settle_soon(
        &self,
        py: Python<'_>,
        promise: Promise<ErrorOf<P>>,
        outcome: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<()>
    where
        ErrorOf<P>: Raise,
    {
        let _code = PythonCode::enter(py);
        let waiting = Mutex::new(Some((promise, outcome.map(Bound::unbind))));
        let settle = PyCFunction::new_closure(py, None, None, move |arguments, _| {
            let settled = waiting.lock().take();
            if let Some((promise, outcome)) = settled {
                let py = arguments.py();
                promise.settle(py, outcome.map(|value| value.into_bound(py)));
            }
        })?;
        self.call_soon.bind(py).call1((settle,)).map(drop)
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
            unwatch(self.event_loop.bind(py), self.as_raw_fd())?;
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
        call_soon_threadsafe(self.event_loop.bind(py), (close,))
    }

    pub(super) fn on<'a, 'py>(&'a self, py: Python<'py>) -> OnLoop<'a, 'py, P, T> {
        OnLoop { connections: self, py, raised: Cell::new(None) }
    }

    /// Releases what the loop refers to, once the driver is closed.
    pub(super) fn let_go_if_closed(&self) {
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

    pub(super) fn let_go(&self) {
        let bound = self.bound.lock().take();
        drop(bound);
    }
}

/// The event loop as its driver sees it.
pub(super) struct OnLoop<'a, 'py, P: Protocol, T: Completes<P>> {
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
    pub(super) fn outcome(self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}

impl<P: Protocol, T: Completes<P>> AsRawFd for LoopConnections<P, T> {
    fn as_raw_fd(&self) -> RawFd {
        self.connections.as_raw_fd()
    }
}

/// The connections of each event loop that uses a client. There are few, so a linear search beats a
/// map. They belong to the loop, which watches them: a client must not keep a loop alive that the
/// program has dropped, nor hide it from the garbage collector.
pub struct LoopTable<P: Protocol, T: Completes<P>>(RwLock<Vec<TableEntry<P, T>>>);

/// The connections of one loop.
struct TableEntry<P: Protocol, T: Completes<P>> {
    connections: Weak<LoopConnections<P, T>>,
    /// Addresses of the loop and of asyncio's entry for it. They may have been used again since: the
    /// connections, if they are still there, know better.
    event_loop: usize,
    note: usize,
}

impl<P: Protocol, T: Completes<P>> Default for LoopTable<P, T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<P: Protocol, T: Completes<P>> Drop for LoopTable<P, T> {
    /// Event loops keep their connections, so these are closed when their client is dropped. If the
    /// interpreter is gone, so are the loops, and their memory must not be touched.
    fn drop(&mut self) {
        let all = std::mem::take(self.0.get_mut());
        if all.is_empty() {
            return;
        }
        Python::try_attach(|py| {
            for connections in all.iter().filter_map(|it| it.connections.upgrade()) {
                if connections.is_own()
                    && let Err(error) = connections.end_soon(py)
                {
                    error.write_unraisable(py, Some(connections.event_loop(py)));
                }
            }
        });
    }
}

impl<P: Protocol, T: Completes<P> + 'static> LoopTable<P, T>
where
    LoopConnections<P, T>: Send + Sync,
{
    /// The connections of the loop that is running in this thread, created on first use. If no loop
    /// is running, `core` is not called.
    #[inline]
    pub fn here<C>(
        &self,
        py: Python<'_>,
        core: impl FnOnce() -> PyResult<C>,
        topology: impl Fn(&C) -> &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let note = loop_entry(py);
        let noted = note.as_ref().and_then(|note| {
            let at = note.as_ptr().addr();
            self.find(|entry| entry.note == at, |it| it.is_noted(note))
        });
        if let Some(connections) = noted {
            let core = core()?;
            if Arc::ptr_eq(connections.topology(), topology(&core)) {
                return Ok(connections);
            }
            return self.on(connections.event_loop(py), topology(&core));
        }
        let event_loop = running_loop(py)?;
        let connections = self.on(&event_loop, topology(&core()?))?;
        if let Some(note) = note {
            self.note(&connections, note);
        }
        Ok(connections)
    }

    #[cold]
    fn note(&self, connections: &Arc<LoopConnections<P, T>>, note: Bound<'_, PyAny>) {
        let at = note.as_ptr().addr();
        connections.note(note);
        let mut all = self.0.write();
        let own = Arc::as_ptr(connections);
        if let Some(entry) = all.iter_mut().find(|entry| entry.connections.as_ptr() == own) {
            entry.note = at;
        }
    }

    /// The connections of a loop to this cluster, created on first use.
    fn on(
        &self,
        event_loop: &Bound<'_, PyAny>,
        topology: &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let is_it = |it: &LoopConnections<P, T>| {
            it.is_on(event_loop) && Arc::ptr_eq(it.topology(), topology)
        };
        let at = event_loop.as_ptr().addr();
        match self.find(|entry| entry.event_loop == at, is_it) {
            Some(connections) => Ok(connections),
            None => self.add(event_loop, topology),
        }
    }

    #[cold]
    fn add(
        &self,
        event_loop: &Bound<'_, PyAny>,
        topology: &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let py = event_loop.py();
        let connections = LoopConnections::start(topology.clone(), event_loop)?;
        // Closed loops never drive their connections again; nor do loops of a parent process.
        let dead: Vec<_> =
            self.all().into_iter().filter(|it| !it.is_own() || it.is_dead(py)).collect();
        {
            let mut all = self.0.write();
            all.retain(|TableEntry { connections, .. }| {
                let at = connections.as_ptr();
                connections.strong_count() > 0 && !dead.iter().any(|it| Arc::as_ptr(it) == at)
            });
            let event_loop = event_loop.as_ptr().addr();
            all.push(TableEntry { connections: Arc::downgrade(&connections), event_loop, note: 0 });
        }
        let mut ended = dead.iter().filter(|it| it.is_own());
        ended.try_for_each(|it| it.end(py))?;
        Ok(connections)
    }
}

impl<P: Protocol, T: Completes<P>> LoopTable<P, T> {
    /// The connections, created by this process, for which both are true.
    #[inline]
    fn find(
        &self,
        may_be: impl Fn(&TableEntry<P, T>) -> bool,
        is_it: impl Fn(&LoopConnections<P, T>) -> bool,
    ) -> Option<Arc<LoopConnections<P, T>>> {
        // A loop may end meanwhile, and with it its connections, which runs Python code that may call
        // this again or close the client: they are dropped after the lock.
        let mut others = SmallVec::<[_; 1]>::new();
        let all = self.0.read();
        for entry in all.iter().filter(|entry| may_be(entry)) {
            match entry.connections.upgrade() {
                Some(own) if own.is_own() && is_it(&own) => return Some(own),
                other => others.extend(other),
            }
        }
        None
    }

    /// The connections of all loops that are alive.
    fn all(&self) -> Vec<Arc<LoopConnections<P, T>>> {
        self.0.read().iter().filter_map(|entry| entry.connections.upgrade()).collect()
    }

    /// Closes all connections; those of the running loop at once.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        let here = running_loop(py).ok();
        let all = std::mem::take(&mut *self.0.write());
        for connections in all.iter().filter_map(|entry| entry.connections.upgrade()) {
            if !connections.is_own() {
                // The descriptor is shared with the parent of the fork, so it is left alone.
            } else if here.as_ref().is_some_and(|here| connections.is_on(here)) {
                connections.end(py)?;
            } else {
                connections.end_soon(py)?;
            }
        }
        Ok(())
    }
}
