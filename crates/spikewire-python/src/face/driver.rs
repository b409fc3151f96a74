//! Turns a multiplexer on an asyncio event loop, on the loop's own thread.
//!
//! The loop watches one descriptor. Requests made while callbacks run are written together when
//! the loop comes round; replies are read in bulk and complete their futures right here, without
//! another thread and without `call_soon_threadsafe`.

use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use spikewire_engine::clock::Tick;
use spikewire_engine::cluster::Cluster;
use spikewire_engine::command::Command;
use spikewire_engine::transport::{Multiplexer, Outcome};

use super::ticket::{Many, Promise, Ticket};
use crate::call::Call;
use crate::courtesy;
use crate::many::ManyCall;

/// A multiplexer and the event loop that turns it.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Driver {
    multiplexer: Mutex<Multiplexer<Ticket>>,
    /// Commands submitted while the multiplexer was in use: the next round of a batch, and calls
    /// of finalizers that run while futures are completed.
    inbox: Mutex<Vec<Command<Ticket>>>,
    event_loop: Py<PyAny>,
    create_future: Py<PyAny>,
    call_soon: Py<PyAny>,
    descriptor: i32,
    flush_due: AtomicBool,
    /// What the loop's timer is set to.
    armed: Mutex<(Tick, Option<Py<PyAny>>)>,
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
        let multiplexer = Multiplexer::new(cluster)?;
        let descriptor = multiplexer.as_raw_fd();
        let driver = Bound::new(
            py,
            Self {
                multiplexer: Mutex::new(multiplexer),
                inbox: Mutex::default(),
                event_loop: event_loop.clone().unbind(),
                create_future: event_loop.getattr("create_future")?.unbind(),
                call_soon: event_loop.getattr("call_soon")?.unbind(),
                descriptor,
                flush_due: AtomicBool::new(false),
                armed: Mutex::new((Tick::NEVER, None)),
                bound: Mutex::new(None),
            },
        )?;
        let methods = BoundMethods {
            flush: driver.getattr("flush")?.unbind(),
            expire: driver.getattr("expire")?.unbind(),
            close: driver.getattr("close")?.unbind(),
        };
        *driver.get().bound.lock() = Some(methods);
        let watched = event_loop.call_method1("add_reader", (descriptor, driver.getattr("turn")?));
        watched.map_err(|error| {
            let message = "this event loop cannot watch a file descriptor (add_reader); on \
                           Windows use asyncio.SelectorEventLoop";
            let wrapped = PyRuntimeError::new_err(message);
            wrapped.set_cause(py, Some(error));
            wrapped
        })?;
        Ok(driver.unbind())
    }

    /// Whether it turns on this loop.
    pub fn is_on(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop.is(event_loop)
    }

    /// Whether its loop is closed, so that it will never turn again.
    pub fn is_dead(&self, py: Python<'_>) -> bool {
        let closed = self.event_loop.bind(py).call_method0("is_closed");
        closed.is_ok_and(|closed| closed.is_truthy().unwrap_or(false))
    }

    /// Takes a call and returns its future.
    pub fn submit<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        let Call { bytes, target, policy, plan } = call;
        let future = self.create_future.bind(py).call0()?;
        let promise = Promise::on_loop(&future);
        let ticket = Ticket::One { promise, plan, sent: courtesy::sent() };
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, ticket);
        let Some(mut multiplexer) = self.multiplexer.try_lock() else {
            self.inbox.lock().push(command);
            self.flush_soon(py)?;
            return Ok(future);
        };
        let alone = multiplexer.in_flight() == 0 && !self.flush_due.load(Relaxed);
        multiplexer.submit(command, now);
        if alone {
            // Nothing to wait for and nobody to share a write with.
            multiplexer
                .flush(now, &mut |ticket, outcome| ticket.complete(py, outcome, &self.inbox));
        }
        let alarm = multiplexer.alarm();
        drop(multiplexer);
        if !alone {
            self.flush_soon(py)?;
        }
        self.arm(py, alarm)?;
        Ok(future)
    }

    /// Takes a batch and returns its future.
    pub fn submit_many<'py>(
        &self,
        py: Python<'py>,
        cluster: Arc<Cluster>,
        call: ManyCall,
    ) -> PyResult<Bound<'py, PyAny>> {
        let future = self.create_future.bind(py).call0()?;
        let promise = Promise::on_loop(&future);
        let commands = Many::start(py, cluster, promise, call);
        let Some(mut multiplexer) = self.multiplexer.try_lock() else {
            self.inbox.lock().extend(commands);
            self.flush_soon(py)?;
            return Ok(future);
        };
        let now = Tick::now();
        commands.into_iter().for_each(|command| multiplexer.submit(command, now));
        let alarm = multiplexer.alarm();
        drop(multiplexer);
        self.flush_soon(py)?;
        self.arm(py, alarm)?;
        Ok(future)
    }

    fn flush_soon(&self, py: Python<'_>) -> PyResult<()> {
        if !self.flush_due.swap(true, Relaxed)
            && let Some(flush) = self.bound(|bound| bound.flush.clone_ref(py))
        {
            self.call_soon.bind(py).call1((flush,))?;
        }
        Ok(())
    }

    /// Takes a method. No lock is held when Python code runs: a finalizer may come back here.
    fn bound(&self, method: impl FnOnce(&BoundMethods) -> Py<PyAny>) -> Option<Py<PyAny>> {
        self.bound.lock().as_ref().map(method)
    }

    /// Sets the loop's timer, unless it rings early enough already.
    fn arm(&self, py: Python<'_>, alarm: Tick) -> PyResult<()> {
        if alarm >= self.armed.lock().0 {
            return Ok(());
        }
        let Some(expire) = self.bound(|bound| bound.expire.clone_ref(py)) else { return Ok(()) };
        let delay = alarm.since(Tick::now()).as_secs_f64();
        let event_loop = self.event_loop.bind(py);
        let timer = event_loop.call_method1(intern!(py, "call_later"), (delay, expire))?.unbind();
        let needless = {
            let mut armed = self.armed.lock();
            // A finalizer that ran meanwhile may have set an earlier one.
            if alarm < armed.0 {
                std::mem::replace(&mut *armed, (alarm, Some(timer))).1
            } else {
                Some(timer)
            }
        };
        if let Some(needless) = needless {
            needless.bind(py).call_method0(intern!(py, "cancel"))?;
        }
        Ok(())
    }

    /// Submits what came in while the multiplexer was in use.
    fn take_in(&self, py: Python<'_>, multiplexer: &mut Multiplexer<Ticket>) {
        loop {
            let late = std::mem::take(&mut *self.inbox.lock());
            if late.is_empty() {
                return;
            }
            let now = Tick::now();
            late.into_iter().for_each(|command| multiplexer.submit(command, now));
            multiplexer.flush(now, &mut |ticket, outcome| {
                ticket.complete(py, outcome, &self.inbox);
            });
        }
    }

    /// Works with the multiplexer, then sees to what came in meanwhile.
    fn work(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Multiplexer<Ticket>, &mut dyn FnMut(Ticket, Outcome<'_>)) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut completed = 0;
        let (outcome, alarm, in_flight) = {
            let mut multiplexer = self.multiplexer.lock();
            let outcome = work(&mut multiplexer, &mut |ticket, outcome| {
                completed += 1;
                ticket.complete(py, outcome, &self.inbox);
            });
            self.take_in(py, &mut multiplexer);
            (outcome, multiplexer.alarm(), multiplexer.in_flight())
        };
        // The tasks that were just woken run before this flush: their requests share its writes.
        if completed > 1 || (completed == 1 && in_flight > 0) {
            self.flush_soon(py)?;
        }
        self.arm(py, alarm)?;
        outcome
    }
}

#[pymethods]
impl Driver {
    /// The loop calls this when the descriptor is readable.
    fn turn(&self, py: Python<'_>) -> PyResult<()> {
        self.work(py, |multiplexer, mut deliver| {
            Ok(multiplexer.turn(Some(Duration::ZERO), &mut deliver)?)
        })
    }

    /// Writes what was submitted since the last time.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.flush_due.store(false, Relaxed);
        self.work(py, |multiplexer, mut deliver| {
            multiplexer.flush(Tick::now(), &mut deliver);
            Ok(())
        })
    }

    /// The loop's timer calls this.
    fn expire(&self, py: Python<'_>) -> PyResult<()> {
        *self.armed.lock() = (Tick::NEVER, None);
        self.work(py, |multiplexer, mut deliver| {
            multiplexer.expire(Tick::now(), &mut deliver);
            Ok(())
        })
    }

    /// Ends every connection; on the loop's own thread.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_dead(py) {
            self.event_loop.bind(py).call_method1("remove_reader", (self.descriptor,))?;
        }
        let timer = std::mem::replace(&mut *self.armed.lock(), (Tick::NEVER, None)).1;
        if let Some(timer) = timer {
            timer.bind(py).call_method0("cancel")?;
        }
        let Some(mut multiplexer) = self.multiplexer.try_lock() else {
            // Closed by a finalizer while replies are handed out: as soon as that is done.
            if let Some(close) = self.bound(|bound| bound.close.clone_ref(py)) {
                self.call_soon.bind(py).call1((close,))?;
            }
            return Ok(());
        };
        // What the outcomes lead to fails as well, until nothing is left.
        loop {
            multiplexer.close(&mut |ticket, outcome| ticket.complete(py, outcome, &self.inbox));
            let late = std::mem::take(&mut *self.inbox.lock());
            if late.is_empty() {
                break;
            }
            let now = Tick::now();
            late.into_iter().for_each(|command| multiplexer.submit(command, now));
        }
        drop(multiplexer);
        let bound = self.bound.lock().take();
        drop(bound);
        Ok(())
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
        if let Some(armed) = self.armed.try_lock()
            && let Some(timer) = &armed.1
        {
            visit.call(timer)?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let bound = self.bound.lock().take();
        let timer = self.armed.lock().1.take();
        drop((bound, timer));
    }
}
