//! The future of a submitted call: a `concurrent.futures.Future` that is cheap until a thread waits
//! for it.
//!
//! The standard class creates a condition, which is two locks and a queue, for every future. Here
//! it is created only when `concurrent.futures.wait` or `as_completed` access it; these find it
//! under the name that the standard class uses. Once there is a condition, the result becomes
//! visible only while that condition is held, because these functions rely on that.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool, AtomicU8, Ordering::Acquire, Ordering::Release, Ordering::SeqCst,
};
use std::thread::{self, Thread};
use std::time::Duration;

use pyo3::exceptions::{PyBaseException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};
use pyo3::{PyTraverseError, PyVisit, intern};
use spikewire_sync::Mutex;
use spikewire_transport::{Fault, FaultKind, Tick, permits};

use super::driver_thread;
use super::errors::{type_error, type_name, value_error};
use super::forks::forks;
use super::signal::detached;

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
    born: u32,
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
    condition: Option<Py<PyAny>>,
    waiters: Option<Py<PyList>>,
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
}

impl FutureBase {
    /// Creates the future of a submitted call.
    pub fn create(py: Python<'_>, driver: CompletedBy) -> PyResult<Bound<'_, Self>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "spikewire.in_flight", "Future")?;
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

    fn complete(slf: &Bound<'_, Self>, outcome: Outcome) {
        let (py, this) = (slf.py(), slf.get());
        let added = match outcome {
            Outcome::Value(_) => intern!(py, "add_result"),
            Outcome::Error(_) => intern!(py, "add_exception"),
            Outcome::Cancelled => intern!(py, "add_cancelled"),
        };
        let mut held: Option<Py<PyAny>> = None;
        let (callbacks, waiters) = loop {
            let mut inner = this.inner.lock();
            if let (None, Some(condition)) = (&held, &inner.condition) {
                // The thread that created the condition is looking at this future right now: let it
                // finish.
                let condition = condition.clone_ref(py);
                drop(inner);
                report(slf, condition.bind(py).call_method0(intern!(py, "acquire")));
                held = Some(condition);
                continue;
            }
            if inner.outcome.is_some() {
                drop(inner);
                release(slf, held.as_ref());
                return;
            }
            inner.outcome = Some(outcome);
            this.done.store(true, Release);
            inner.threads.drain(..).for_each(|thread| thread.unpark());
            let waiters = inner.waiters.as_ref().map(|waiters| waiters.clone_ref(py));
            break (std::mem::take(&mut inner.callbacks), waiters);
        };
        for waiter in waiters.iter().flat_map(|waiters| waiters.bind(py)) {
            report(slf, waiter.call_method1(added, (slf,)));
        }
        release(slf, held.as_ref());
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
        if this.born != forks() {
            return Err(this.belongs_to_parent(py));
        }
        if this.driver.get().is_some_and(|driver| driver_thread::is_current(driver.number)) {
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

    /// The error in a forked child, where nothing completes the future.
    fn belongs_to_parent(&self, py: Python<'_>) -> PyErr {
        let message =
            "this call was submitted before a fork, and its reply goes to the parent process";
        match self.driver.get() {
            Some(driver) => (driver.raise)(py, Fault::new(FaultKind::Closed, message)),
            None => PyRuntimeError::new_err(message),
        }
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

/// How many seconds to wait; `None` means forever.
fn seconds(timeout: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    let seconds: f64 = timeout.extract().map_err(|_| {
        type_error(format!(
            "timeout must be a number of seconds or None, not {}",
            type_name(timeout)
        ))
    })?;
    if seconds.is_nan() {
        return Err(value_error("timeout must be a number of seconds, not nan"));
    }
    Ok(Duration::try_from_secs_f64(seconds.max(0.0)).ok())
}

/// Reports an error raised by a notified object as unraisable: it does not concern the future.
fn report<T>(slf: &Bound<'_, FutureBase>, outcome: PyResult<T>) {
    if let Err(error) = outcome {
        error.write_unraisable(slf.py(), Some(slf));
    }
}

fn release(slf: &Bound<'_, FutureBase>, held: Option<&Py<PyAny>>) {
    let py = slf.py();
    if let Some(condition) = held {
        let condition = condition.bind(py);
        report(slf, condition.call_method0(intern!(py, "notify_all")));
        report(slf, condition.call_method0(intern!(py, "release")));
    }
}

/// Calls a callback. Logs an exception where the standard class logs it.
fn call_back(slf: &Bound<'_, FutureBase>, callback: &Bound<'_, PyAny>) {
    let py = slf.py();
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
            born: forks(),
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
    /// It may submit further calls. An exception in it is logged and affects no other call.
    #[pyo3(signature = (r#fn))]
    fn add_done_callback(slf: &Bound<'_, Self>, r#fn: Bound<'_, PyAny>) {
        {
            let mut inner = slf.get().inner.lock();
            if inner.outcome.is_none() {
                inner.callbacks.push(r#fn.unbind());
                return;
            }
        }
        call_back(slf, &r#fn);
    }

    #[getter]
    fn _state<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let cancelled = self.inner.lock().outcome.as_ref().map(Outcome::is_cancelled);
        let state = match cancelled {
            Some(true) => intern!(py, "CANCELLED_AND_NOTIFIED"),
            Some(false) => intern!(py, "FINISHED"),
            None if self.stage.load(SeqCst) == PENDING => intern!(py, "PENDING"),
            None => intern!(py, "RUNNING"),
        };
        state.clone().into_any()
    }

    #[getter]
    fn _condition<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CONDITION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        if let Some(condition) = &self.inner.lock().condition {
            return Ok(condition.bind(py).clone());
        }
        let new = CONDITION.import(py, "threading", "Condition")?.call0()?;
        let mut inner = self.inner.lock();
        Ok(inner.condition.get_or_insert_with(|| new.clone().unbind()).bind(py).clone())
    }

    #[getter]
    fn _waiters<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        let new = PyList::empty(py);
        let mut inner = self.inner.lock();
        inner.waiters.get_or_insert_with(|| new.clone().unbind()).bind(py).clone()
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
        visit.call(&inner.condition)?;
        visit.call(&inner.waiters)?;
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
