//! The future of a submitted call: a `concurrent.futures.Future` that is cheap until a thread waits
//! for it.
//!
//! The standard class creates a condition, which is two locks and a queue, for every future. Here
//! nothing is created until `concurrent.futures.wait` or `as_completed` ask for it, and then it is
//! not a lock: see [`super::waiters`].

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool, AtomicU8, Ordering::Acquire, Ordering::Release, Ordering::SeqCst,
};
use std::thread::{self, Thread};

use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;
use spikewire_transport::{Fault, FaultKind, Tick, permits};

use super::driver_thread;
use super::errors::{repr_of, type_error};
use super::forks::forks;
use super::python_code::PythonCode;
use super::signal::detached;
use super::waiters::{Completion, WaiterEvent, Waiters, seconds};
use crate::bridge::cached::{Cached, intern};

/// Not sent yet; may be cancelled.
const PENDING: u8 = 0;
/// Sent, or about to be sent.
const RUNNING: u8 = 1;
/// Cancelled before it was sent.
const CANCELLED: u8 = 2;

/// What `spikewire.in_flight.Future` is built on, together with `concurrent.futures.Future`.
#[pyclass(frozen, subclass, module = "spikewire._native")]
pub struct FutureBase {
    stage: AtomicU8,
    /// Whether `inner` contains an outcome. Can be read without locking it.
    done: AtomicBool,
    /// Set if this is the future of a submitted call.
    driver: OnceLock<CompletedBy>,
    fork_generation: u32,
    /// While this lock is held, nothing may release the interpreter, not even `intern!`: the driver
    /// takes the lock while attached to the interpreter.
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    outcome: Option<Outcome>,
    callbacks: Vec<Py<PyAny>>,
    /// Threads that wait in `result` or `exception`.
    threads: Vec<Thread>,
    /// Used by the functions of `concurrent.futures`.
    waiters: Option<Box<Waiters>>,
}

/// Identifies what completes the futures of a client.
#[derive(Debug, Clone, Copy)]
pub struct CompletedBy {
    /// The number of the driver whose thread completes them.
    pub number: usize,
    /// Creates exceptions of the client's protocol.
    pub raise: fn(Python<'_>, Fault) -> PyErr,
}

enum Outcome {
    Value(Py<PyAny>),
    Error(Py<PyBaseException>),
    Cancelled,
}

impl Outcome {
    fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }

    fn completion(&self) -> Completion {
        match self {
            Self::Value(_) => Completion::Value,
            Self::Error(_) => Completion::Error,
            Self::Cancelled => Completion::Cancelled,
        }
    }
}

impl FutureBase {
    /// Creates the future of a submitted call.
    pub fn create(py: Python<'_>, driver: CompletedBy) -> PyResult<Bound<'_, Self>> {
        static CLASS: Cached<Py<PyType>> = Cached::new();
        let class = CLASS.import(py, "spikewire.aerospike.in_flight", "Future")?;
        let future = class.call0()?.cast_into::<Self>()?;
        // Cannot be set already: the future is new.
        let _ = future.get().driver.set(driver);
        Ok(future)
    }

    /// Called just before the call is sent. Returns `false` if it was cancelled. Does not need the
    /// interpreter.
    pub fn starts(&self) -> bool {
        let begun = self.stage.compare_exchange(PENDING, RUNNING, SeqCst, SeqCst);
        begun.is_ok() || begun == Err(RUNNING)
    }

    /// Completes the future and wakes all waiters. Has no effect if it is already complete.
    pub fn settle(slf: &Bound<'_, Self>, outcome: PyResult<Bound<'_, PyAny>>) {
        let outcome = match outcome {
            // The driver found the call cancelled before the cancelling thread got this far.
            _ if slf.get().stage.load(SeqCst) == CANCELLED => Outcome::Cancelled,
            Ok(value) => Outcome::Value(value.unbind()),
            Err(error) => Outcome::Error(error.into_value(slf.py())),
        };
        Self::complete(slf, outcome);
    }

    /// Publishes the outcome before anyone is told of it, and waits for nobody meanwhile.
    fn complete(slf: &Bound<'_, Self>, outcome: Outcome) {
        let (py, this, how) = (slf.py(), slf.get(), outcome.completion());
        let (callbacks, waiters) = {
            let mut inner = this.inner.lock();
            if inner.outcome.is_some() {
                drop(inner);
                return;
            }
            inner.outcome = Some(outcome);
            this.done.store(true, Release);
            inner.threads.drain(..).for_each(|thread| thread.unpark());
            let waiters = inner.waiters.as_deref_mut().map(Waiters::take_waiting);
            (std::mem::take(&mut inner.callbacks), waiters)
        };
        if let Some(waiters) = waiters {
            waiters.notify(slf.as_any(), how);
        }
        for callback in callbacks {
            call_back(slf, callback.bind(py));
        }
    }

    /// Waits until the future is done. Returns `false` on timeout.
    fn wait(slf: &Bound<'_, Self>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (py, this) = (slf.py(), slf.get());
        let span = timeout.map(seconds).transpose()?.flatten();
        if this.done.load(Acquire) {
            return Ok(true);
        }
        this.check_process(py)?;
        if this.is_completed_by_this_thread() {
            return Err(PyRuntimeError::new_err(
                "a callback runs on the thread that completes this future, so it would wait \
                 forever: use add_done_callback instead of result",
            ));
        }
        let deadline = span.map_or(Tick::NEVER, |span| Tick::now().after(span));
        {
            let mut inner = this.inner.lock();
            if inner.outcome.is_some() {
                return Ok(true);
            }
            inner.threads.push(thread::current());
        }
        let waited = detached(py, |interrupted| {
            let mut parked = false;
            while !this.done.load(Acquire) {
                let now = Tick::now();
                if now >= deadline || (parked && interrupted.is_some_and(|look| look())) {
                    break;
                }
                parked = true;
                permits::park(deadline.since(now), interrupted.map(|_| permits::SIGNAL_POLL));
            }
        });
        let done = this.done.load(Acquire);
        if !done {
            let own = thread::current().id();
            this.inner.lock().threads.retain(|thread| thread.id() != own);
        }
        waited.map(|()| done)
    }

    /// Fails in a forked child, where nothing completes the future.
    pub fn check_process(&self, py: Python<'_>) -> PyResult<()> {
        if self.fork_generation == forks() {
            return Ok(());
        }
        let message =
            "this call was submitted before a fork, and its reply goes to the parent process";
        Err(match self.driver.get() {
            Some(driver) => (driver.raise)(py, Fault::new(FaultKind::Closed, message)),
            None => PyRuntimeError::new_err(message),
        })
    }

    /// Whether this is the thread that completes the future, so that it must not wait for it.
    pub fn is_completed_by_this_thread(&self) -> bool {
        self.driver.get().is_some_and(|driver| driver_thread::is_current(driver.number))
    }

    /// Looks at the waiters, and at how the future was completed if it is. `look` must not call
    /// Python.
    fn with_waiters<T>(&self, look: impl FnOnce(&mut Waiters, Option<Completion>) -> T) -> T {
        let mut inner = self.inner.lock();
        let how = inner.outcome.as_ref().map(Outcome::completion);
        look(inner.waiters.get_or_insert_default(), how)
    }

    /// The outcome of a finished future. If the outcome is an error, it is the inner one.
    fn settled<'py>(
        slf: &Bound<'py, Self>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Result<Bound<'py, PyAny>, Bound<'py, PyBaseException>>> {
        let py = slf.py();
        if !Self::wait(slf, timeout)? {
            return Err(raised(py, "TimeoutError")?);
        }
        match &slf.get().inner.lock().outcome {
            Some(Outcome::Value(value)) => return Ok(Ok(value.bind(py).clone())),
            Some(Outcome::Error(error)) => return Ok(Err(error.bind(py).clone())),
            Some(Outcome::Cancelled) | None => {}
        }
        Err(raised(py, "CancelledError")?)
    }
}

/// An exception class of `concurrent.futures`, instantiated.
fn raised(py: Python<'_>, name: &str) -> PyResult<PyErr> {
    Ok(PyErr::from_value(py.import("concurrent.futures")?.getattr(name)?.call0()?))
}

/// Calls a callback. Logs an exception where the standard class logs it.
fn call_back(slf: &Bound<'_, FutureBase>, callback: &Bound<'_, PyAny>) {
    let py = slf.py();
    let _code = PythonCode::enter(py);
    let Err(error) = callback.call1((slf,)) else { return };
    let logged = (|| {
        let logger = py.import("concurrent.futures._base")?.getattr("LOGGER")?;
        let options = PyDict::new(py);
        options.set_item("exc_info", error.value(py))?;
        logger.call_method("error", ("exception calling callback for %r", slf), Some(&options))
    })();
    if logged.is_err() {
        error.write_unraisable(py, Some(slf));
    }
}

#[pymethods]
impl FutureBase {
    #[new]
    fn new() -> Self {
        Self {
            stage: AtomicU8::new(PENDING),
            done: AtomicBool::new(false),
            driver: OnceLock::new(),
            fork_generation: forks(),
            inner: Mutex::default(),
        }
    }

    /// In place of the standard one, which would make the condition.
    #[expect(clippy::unused_self, reason = "Python's signature")]
    fn __init__(&self) {}

    /// Waits for the call and returns its result, or raises its error.
    ///
    /// `timeout` is how long to wait, in seconds. Default: until the call ends, which its own
    /// timeout ensures. The call continues when the wait is over.
    ///
    /// Raises `concurrent.futures.TimeoutError` when the wait is over, and
    /// `concurrent.futures.CancelledError` if the call was cancelled. Raises `RuntimeError` in a
    /// callback of the same client, where it would wait forever.
    #[pyo3(signature = (timeout=None))]
    pub fn result<'py>(
        slf: &Bound<'py, Self>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::settled(slf, timeout)?.map_err(|error| PyErr::from_value(error.into_any()))
    }

    /// Waits for the call and returns its error, or `None`. Waits and raises like `result`.
    #[pyo3(signature = (timeout=None))]
    fn exception<'py>(
        slf: &Bound<'py, Self>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBaseException>>> {
        Ok(Self::settled(slf, timeout)?.err())
    }

    /// Withdraws the call if it has not been sent. Returns whether it was withdrawn; a call that
    /// has been sent continues.
    pub fn cancel(slf: &Bound<'_, Self>) -> bool {
        let stage = &slf.get().stage;
        match stage.compare_exchange(PENDING, CANCELLED, SeqCst, SeqCst) {
            Ok(_) => Self::complete(slf, Outcome::Cancelled),
            Err(CANCELLED) => {}
            Err(_) => return false,
        }
        true
    }

    /// Whether the call was withdrawn.
    fn cancelled(&self) -> bool {
        self.inner.lock().outcome.as_ref().is_some_and(Outcome::is_cancelled)
    }

    /// Whether the call has been sent and can no longer be withdrawn.
    fn running(&self) -> bool {
        !self.done() && self.stage.load(SeqCst) == RUNNING
    }

    /// Whether there is a result or an error, or the call was withdrawn.
    pub fn done(&self) -> bool {
        self.done.load(Acquire)
    }

    /// Calls `fn` with this future when it is done, or at once if it already is. `fn` runs on
    /// the thread that drives the client, which does nothing else meanwhile, so keep it short.
    /// It may submit further calls. An exception in it is logged and affects no other call. Raises
    /// `TypeError` at once if `fn` cannot be called.
    #[pyo3(signature = (r#fn))]
    fn add_done_callback(slf: &Bound<'_, Self>, r#fn: Bound<'_, PyAny>) -> PyResult<()> {
        if !r#fn.is_callable() {
            let message = format!("fn must be a function, not {}", repr_of(&r#fn));
            return Err(type_error(message));
        }
        {
            let mut inner = slf.get().inner.lock();
            if inner.outcome.is_none() {
                inner.callbacks.push(r#fn.unbind());
                return Ok(());
            }
        }
        call_back(slf, &r#fn);
        Ok(())
    }

    #[getter]
    fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let cancelled = {
            let inner = self.inner.lock();
            let is_hidden = inner.waiters.as_deref().is_some_and(Waiters::are_seen_pending);
            inner.outcome.as_ref().filter(|_| !is_hidden).map(Outcome::is_cancelled)
        };
        let state = match cancelled {
            Some(true) => intern!(py, "CANCELLED_AND_NOTIFIED"),
            Some(false) => intern!(py, "FINISHED"),
            None if self.stage.load(SeqCst) == PENDING => intern!(py, "PENDING"),
            None => intern!(py, "RUNNING"),
        };
        state.clone().into_any()
    }

    #[getter]
    fn _condition(slf: &Bound<'_, Self>) -> FutureWaiters {
        FutureWaiters(slf.clone().unbind())
    }

    #[getter]
    fn _waiters(slf: &Bound<'_, Self>) -> FutureWaiters {
        FutureWaiters(slf.clone().unbind())
    }

    #[getter]
    fn _result<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match &self.inner.lock().outcome {
            Some(Outcome::Value(value)) => Some(value.bind(py).clone()),
            _ => None,
        }
    }

    #[getter]
    fn _exception<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBaseException>> {
        match &self.inner.lock().outcome {
            Some(Outcome::Error(error)) => Some(error.bind(py).clone()),
            _ => None,
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(inner) = self.inner.try_lock() else { return Ok(()) };
        inner.callbacks.iter().try_for_each(|callback| visit.call(callback))?;
        if let Some(waiters) = &inner.waiters {
            waiters.traverse(&visit)?;
        }
        match &inner.outcome {
            Some(Outcome::Value(value)) => visit.call(value),
            Some(Outcome::Error(error)) => visit.call(error),
            Some(Outcome::Cancelled) | None => Ok(()),
        }
    }

    fn __clear__(&self) {
        let inner = std::mem::take(&mut *self.inner.lock());
        drop(inner);
    }
}

/// The condition and the list of waiters of a future, as `concurrent.futures` uses them.
#[pyclass(frozen, module = "spikewire._native")]
pub struct FutureWaiters(Py<FutureBase>);

#[pymethods]
impl FutureWaiters {
    /// From here on the future stays pending for this thread, if it is. Never waits.
    #[pyo3(signature = (*_arguments, **_options))]
    fn acquire(&self, _arguments: &Bound<'_, PyAny>, _options: Option<&Bound<'_, PyAny>>) -> bool {
        self.0.get().with_waiters(|waiters, how| waiters.look(how.is_none()));
        true
    }

    fn release(&self) {
        self.0.get().with_waiters(|waiters, _| waiters.look(false));
    }

    fn __enter__(&self, py: Python<'_>) -> bool {
        self.acquire(py.None().bind(py), None)
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyAny>) {
        self.release();
    }

    /// Adds a waiter, which is told of the completion unless this thread has seen it already.
    fn append(&self, waiter: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, future) = (waiter.py(), self.0.get());
        let event = WaiterEvent::of(waiter)?;
        if !future.done() {
            future.check_process(py)?;
        }
        let missed = future.with_waiters(|waiters, how| {
            if how.is_none() {
                waiters.add(waiter, &event, future.is_completed_by_this_thread());
            }
            how.filter(|_| waiters.are_seen_pending())
        });
        if let Some(how) = missed {
            event.get().missed(waiter, self.0.clone_ref(py).into_any(), how);
        }
        Ok(())
    }

    /// Removes a waiter, if it is there.
    fn remove(&self, waiter: &Bound<'_, PyAny>) {
        // Dropped after the lock.
        drop(self.0.get().with_waiters(|waiters, _| waiters.take(waiter)));
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}
