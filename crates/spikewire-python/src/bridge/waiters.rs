//! What `concurrent.futures.wait` and `as_completed` use of a future: a condition and a list of
//! waiters.
//!
//! With the standard class, whoever completes a future takes its condition, a lock. An exception of
//! a signal handler can leave that lock taken for ever, as `wait` takes the locks of all its
//! futures one by one. A thread that completes the calls of a whole client must not wait for it, or
//! for any lock that other code can hold. So there is no lock here:
//!
//! - `FutureWaiters`, beside the future, is both the condition and the list. "Acquiring" it notes
//!   that the future is pending; for the acquiring thread it stays so until the release, although
//!   it may be completed meanwhile. That is all that the two functions need the lock for.
//! - [`WaiterEvent`] takes the place of the event on which their waiter waits. Completing a future
//!   only queues it there. The waiting thread itself tells the waiter, which is Python code with
//!   locks of its own.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, Thread, ThreadId};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;
use spikewire_transport::{Tick, permits};

use super::errors::{type_error, type_name, value_error};
use super::python_code::PythonCode;
use super::signal::detached;
use crate::bridge::cached::intern;

/// How a future was completed.
#[derive(Debug, Clone, Copy)]
pub enum Completion {
    Value,
    Error,
    Cancelled,
}

impl Completion {
    /// The method of a waiter that is told of it.
    fn method(self, py: Python<'_>) -> &Bound<'_, PyString> {
        let (value, error) = (intern!(py, "add_result"), intern!(py, "add_exception"));
        let cancelled = intern!(py, "add_cancelled");
        match self {
            Self::Value => value,
            Self::Error => error,
            Self::Cancelled => cancelled,
        }
    }
}

/// The waiters of a future that is pending.
#[derive(Default)]
pub struct Waiters {
    /// The threads that have "acquired" the future's condition while it was pending.
    looking: Vec<ThreadId>,
    waiting: Vec<WaiterEntry>,
}

struct WaiterEntry {
    waiter: Py<PyAny>,
    event: Py<WaiterEvent>,
}

impl Waiters {
    /// Whether for this thread the future is still pending.
    pub fn are_seen_pending(&self) -> bool {
        self.looking.contains(&thread::current().id())
    }

    /// Begins a look of this thread, or ends it, or both: a note that an interrupted thread has left
    /// is renewed.
    pub fn look(&mut self, begins: bool) {
        let own = thread::current().id();
        self.looking.retain(|id| *id != own);
        if begins {
            self.looking.push(own);
        }
    }

    /// Adds a waiter of a pending future. `blocks_itself`: this thread would complete the future.
    pub fn add(
        &mut self,
        waiter: &Bound<'_, PyAny>,
        event: &Bound<'_, WaiterEvent>,
        blocks_itself: bool,
    ) {
        event.get().expect(blocks_itself);
        let (waiter, event) = (waiter.clone().unbind(), event.clone().unbind());
        self.waiting.push(WaiterEntry { waiter, event });
    }

    /// Takes one waiter out, if it is there.
    pub fn take(&mut self, waiter: &Bound<'_, PyAny>) -> WaiterList {
        let place = self.waiting.iter().position(|waiting| waiting.waiter.is(waiter));
        WaiterList(place.map(|place| self.waiting.swap_remove(place)).into_iter().collect())
    }

    /// Takes the waiters out, so that they can be told of the completion without a lock.
    pub fn take_waiting(&mut self) -> WaiterList {
        WaiterList(std::mem::take(&mut self.waiting))
    }

    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.waiting.iter().try_for_each(|waiting| {
            visit.call(&waiting.waiter)?;
            visit.call(&waiting.event)
        })
    }
}

/// Waiters that were taken out of a future.
pub struct WaiterList(Vec<WaiterEntry>);

impl WaiterList {
    /// Queues the future, which has just been completed, for each of them.
    pub fn notify(self, future: &Bound<'_, PyAny>, how: Completion) {
        for WaiterEntry { waiter, event } in self.0 {
            event.get().completed(waiter, future.clone().unbind(), how);
        }
    }
}

/// The event of a waiter of `concurrent.futures`, in place of a `threading.Event`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct WaiterEvent {
    is_set: AtomicBool,
    /// Whether the waiting thread has something to do.
    is_due: AtomicBool,
    /// Whether the waiter waits for all futures, so that only the last one is worth waking it.
    waits_for_all: bool,
    /// Whether a future is completed by the thread that would wait for it.
    blocks_itself: AtomicBool,
    state: Mutex<WaiterState>,
}

#[derive(Default)]
struct WaiterState {
    /// Futures that the waiter has not been told of.
    completed: Vec<(Py<PyAny>, Py<PyAny>, Completion)>,
    /// How many are still expected.
    expected: usize,
    threads: Vec<Thread>,
}

impl WaiterEvent {
    /// The event of this waiter. At first it has one of `threading`, which nobody else uses yet:
    /// waiters are added while the conditions of all futures are held.
    pub fn of<'py>(waiter: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let py = waiter.py();
        let old = waiter.getattr(intern!(py, "event"))?;
        let old = match old.cast_into::<Self>() {
            Ok(event) => return Ok(event),
            Err(other) => other.into_inner(),
        };
        let is_set = old.call_method0(intern!(py, "is_set"))?.is_truthy()?;
        let stops_early = waiter.getattr_opt(intern!(py, "stop_on_exception"))?;
        let waits_for_all = match stops_early {
            Some(early) => !early.is_truthy()?,
            None => false,
        };
        let event = Self {
            is_set: AtomicBool::new(is_set),
            is_due: AtomicBool::new(false),
            waits_for_all,
            blocks_itself: AtomicBool::new(false),
            state: Mutex::default(),
        };
        let event = Bound::new(py, event)?;
        waiter.setattr(intern!(py, "event"), &event)?;
        Ok(event)
    }

    fn expect(&self, blocks_itself: bool) {
        self.state.lock().expected += 1;
        if blocks_itself {
            self.blocks_itself.store(true, SeqCst);
        }
    }

    /// Queues a future that was completed between a thread's look at it and the waiter's arrival.
    pub fn missed(&self, waiter: &Bound<'_, PyAny>, future: Py<PyAny>, how: Completion) {
        self.expect(false);
        self.completed(waiter.clone().unbind(), future, how);
    }

    /// Queues a future. Calls nothing of Python.
    fn completed(&self, waiter: Py<PyAny>, future: Py<PyAny>, how: Completion) {
        let mut state = self.state.lock();
        state.completed.push((waiter, future, how));
        state.expected = state.expected.saturating_sub(1);
        if state.expected == 0 || !self.waits_for_all {
            self.wake(&mut state);
        }
    }

    fn wake(&self, state: &mut WaiterState) {
        self.is_due.store(true, SeqCst);
        state.threads.drain(..).for_each(|thread| thread.unpark());
    }

    /// Tells the waiters of the futures in the queue.
    fn deliver(&self, py: Python<'_>) -> PyResult<()> {
        self.is_due.store(false, SeqCst);
        let _code = PythonCode::enter(py);
        let completed = std::mem::take(&mut self.state.lock().completed);
        for (waiter, future, how) in completed {
            waiter.bind(py).call_method1(how.method(py), (future,))?;
        }
        Ok(())
    }
}

#[pymethods]
impl WaiterEvent {
    fn is_set(&self) -> bool {
        self.is_set.load(SeqCst)
    }

    fn set(&self) {
        self.is_set.store(true, SeqCst);
        self.wake(&mut self.state.lock());
    }

    fn clear(&self) {
        self.is_set.store(false, SeqCst);
    }

    /// Tells the waiter of futures that have been completed, until that sets the event.
    #[pyo3(signature = (timeout=None))]
    fn wait(&self, py: Python<'_>, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let span = timeout.map(seconds).transpose()?.flatten();
        let deadline = span.map_or(Tick::NEVER, |span| Tick::now().after(span));
        loop {
            self.deliver(py)?;
            if self.is_set() {
                return Ok(true);
            }
            if self.blocks_itself.load(SeqCst) {
                return Err(PyRuntimeError::new_err(
                    "a callback runs on the thread that completes these futures, so it would wait \
                     forever: use add_done_callback instead of concurrent.futures.wait or \
                     as_completed",
                ));
            }
            if Tick::now() >= deadline {
                return Ok(false);
            }
            self.state.lock().threads.push(thread::current());
            let waited = detached(py, |interrupted| {
                let mut parked = false;
                while !self.is_due.load(SeqCst) {
                    let now = Tick::now();
                    if now >= deadline || (parked && interrupted.is_some_and(|look| look())) {
                        break;
                    }
                    parked = true;
                    permits::park(deadline.since(now), interrupted.map(|_| permits::SIGNAL_POLL));
                }
            });
            let own = thread::current().id();
            self.state.lock().threads.retain(|thread| thread.id() != own);
            waited?;
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(state) = self.state.try_lock() else { return Ok(()) };
        state.completed.iter().try_for_each(|(waiter, future, _)| {
            visit.call(waiter)?;
            visit.call(future)
        })
    }

    fn __clear__(&self) {
        let completed = std::mem::take(&mut self.state.lock().completed);
        drop(completed);
    }
}

/// How many seconds to wait; `None` means forever.
pub fn seconds(timeout: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
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
