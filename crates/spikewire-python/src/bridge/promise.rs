//! The future that receives the outcome of a call: an event loop's, or Spikewire's own.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;
use spikewire_transport::driver::Next;
use spikewire_transport::keys::KeyInFlight;
use spikewire_transport::permits::Permit;
use spikewire_transport::{Outcome, Protocol, ResponseHandler};

use super::errors::{Raise, closed};
use super::event_loop::{call_soon_threadsafe, is_closed};
use super::forks::forks;
use super::future::FutureBase;
use crate::bridge::cached::intern;

/// A ticket that is completed while attached to the interpreter.
pub trait Completes<P: Protocol>: ResponseHandler + Sized {
    /// For the garbage collector: calls `look` with the future of an event loop that the outcome
    /// completes, if that is all it completes. Tickets of one call lead to the same future, which
    /// is told by its address. Must not call Python.
    fn look(&self, look: &mut dyn FnMut(&Py<PyAny>));

    /// Converts the outcome to what its owner waits for. Follow-up work goes to `next`.
    fn complete(self, py: Python<'_>, outcome: Outcome<'_, P>, next: &mut Next<P, Self>);
}

/// Completes futures in the loop's thread.
pub fn deliver<P: Protocol, T: Completes<P>>(
    py: Python<'_>,
) -> impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>) {
    move |ticket, outcome, next| ticket.complete(py, outcome, next)
}

/// The future that receives the outcome of a call. It is completed in any case: if the promise is
/// dropped because a driver ended before its commands did, the future fails as closed, with an
/// error `E`.
pub struct Promise<E: Raise> {
    future: PromiseTarget,
    is_settled: AtomicBool,
    /// The process that created the future, as a number of forks.
    fork_generation: u32,
    error: PhantomData<fn() -> E>,
}

enum PromiseTarget {
    /// A future of an event loop, completed in the loop's own thread.
    Loop(Py<PyAny>),
    /// Spikewire's own future, completed in any thread.
    Own(Pending),
}

/// The future of a submitted call, and its permit and its place in the order, which end with it.
#[derive(Debug)]
pub struct Pending {
    future: Py<FutureBase>,
    _permit: Option<Permit>,
    _key: Option<KeyInFlight>,
}

impl Pending {
    pub fn new(
        future: &Bound<'_, FutureBase>,
        permit: Option<Permit>,
        key: Option<KeyInFlight>,
    ) -> Self {
        Self { future: future.clone().unbind(), _permit: permit, _key: key }
    }
}

impl<E: Raise> Promise<E> {
    /// For a future of an event loop.
    pub fn on_loop(future: &Bound<'_, PyAny>) -> Self {
        Self::of(PromiseTarget::Loop(future.clone().unbind()))
    }

    /// For the future of a submitted call.
    pub fn own(pending: Pending) -> Self {
        Self::of(PromiseTarget::Own(pending))
    }

    fn of(future: PromiseTarget) -> Self {
        Self {
            future,
            is_settled: AtomicBool::new(false),
            fork_generation: forks(),
            error: PhantomData,
        }
    }

    /// For the garbage collector: calls `look` with the future, if it is an event loop's.
    pub fn look(&self, look: &mut dyn FnMut(&Py<PyAny>)) {
        if let PromiseTarget::Loop(future) = &self.future {
            look(future);
        }
    }

    /// Whether the call is still wanted. Does not need the interpreter.
    pub fn starts(&self) -> bool {
        match &self.future {
            PromiseTarget::Loop(_) => true,
            PromiseTarget::Own(own) => own.future.get().starts(),
        }
    }

    /// Whether this is an event loop's future that is already done, for example cancelled. Must be
    /// called in the loop's own thread.
    pub fn is_abandoned(&self) -> bool {
        match &self.future {
            PromiseTarget::Loop(future) => {
                Python::try_attach(|py| is_done(future.bind(py))).unwrap_or(true)
            }
            PromiseTarget::Own(_) => false,
        }
    }

    /// Whether the future is already done, for example cancelled.
    pub fn is_done(&self, py: Python<'_>) -> bool {
        match &self.future {
            PromiseTarget::Loop(future) => is_done(future.bind(py)),
            PromiseTarget::Own(own) => own.future.get().done(),
        }
    }

    /// Completes the future.
    pub fn settle(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        self.is_settled.store(true, Relaxed);
        match &self.future {
            PromiseTarget::Loop(future) => set_outcome(future.bind(py), outcome),
            PromiseTarget::Own(own) => FutureBase::settle(own.future.bind(py), outcome),
        }
    }

    /// Fails the future as closed. May be called from any thread.
    fn lose(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_done(py) {
            return Ok(());
        }
        let error = closed::<E>(py);
        let future = match &self.future {
            PromiseTarget::Loop(future) => future.bind(py),
            PromiseTarget::Own(own) => {
                FutureBase::settle(own.future.bind(py), Err(error));
                return Ok(());
            }
        };
        let Some(event_loop) = loop_of(future) else { return Ok(()) };
        // No task can be waiting on a loop that is closed or is being collected.
        if !is_closed(&event_loop) {
            let fail = future.getattr("set_exception")?;
            call_soon_threadsafe(&event_loop, (fail, error.into_value(py)))?;
        }
        Ok(())
    }
}

impl<E: Raise> Drop for Promise<E> {
    fn drop(&mut self) {
        if *self.is_settled.get_mut() || self.fork_generation != forks() {
            return;
        }
        Python::try_attach(|py| {
            // An exception that is already propagating has nothing to do with this call.
            let pending = PyErr::take(py);
            if let Err(error) = self.lose(py) {
                error.write_unraisable(py, None);
            }
            if let Some(pending) = pending {
                pending.restore(py);
            }
        });
    }
}

fn set_outcome(future: &Bound<'_, PyAny>, outcome: PyResult<Bound<'_, PyAny>>) {
    let py = future.py();
    let completed = match outcome {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,)),
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error.into_value(py),)),
    };
    // A future that is already done was cancelled by its owner, who does not want the reply. One
    // that is being collected has none. The engine cannot handle any other error here, so Python
    // reports it as unraisable.
    if let Err(error) = completed
        && !is_done(future)
        && loop_of(future).is_some()
    {
        error.write_unraisable(py, Some(future));
    }
}

fn is_done(future: &Bound<'_, PyAny>) -> bool {
    let done = future.call_method0(intern!(future.py(), "done"));
    done.is_ok_and(|done| done.is_truthy().unwrap_or(false))
}

/// The loop of a future; `None` if the future is being collected.
fn loop_of<'py>(future: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    future.call_method0(intern!(future.py(), "get_loop")).ok()
}
