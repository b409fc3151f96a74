//! Finished calls that wait for JavaScript, for any protocol. JavaScript knows their promises by
//! the numbers of their slots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spikewire_sync::Mutex;
use spikewire_transport::driver::Next;
use spikewire_transport::{Outcome, Protocol, ResponseHandler};

use crate::environment::Environment;
use crate::js::{Env, Result, Value};

/// Converts a result to a JavaScript value, on the environment's own thread.
pub trait Settle: Send {
    /// The value of the promise.
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>>;
}

/// A finished call that has not been delivered to JavaScript.
pub trait Completion: Send + Sized + 'static {
    /// Delivers it by settling its promise.
    fn deliver(self, env: Env<'_>, environment: &Environment);

    /// The result for a promise that was unsettled when its client was closed.
    fn closed(slot: u32) -> Self;

    /// The slot of its promise.
    fn slot(&self) -> u32;
}

/// A ticket whose outcome becomes a JavaScript value.
pub trait Completes<P: Protocol>: ResponseHandler + Send + Sized + 'static {
    /// The type of finished calls.
    type Completion: Completion;

    /// Settles the waiting promise now. Follow-up work goes to `next`.
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_, P>,
        next: &mut Next<P, Self>,
    );

    /// Completes the ticket when no JavaScript value can be created at this time or on this thread.
    fn complete_later(self, outcome: Outcome<'_, P>, next: &mut Next<P, Self>);
}

/// Finished calls that wait for JavaScript, and the number of pending calls.
pub struct Outbox<F> {
    finished: Mutex<Vec<F>>,
    pending: AtomicU32,
    /// Slots of cancelled commands.
    cancelled: Mutex<Vec<u32>>,
    /// Slots of pending calls that nobody waits for any more.
    abandoned: Mutex<Vec<u32>>,
    abandoned_count: AtomicU32,
}

impl<F> Default for Outbox<F> {
    fn default() -> Self {
        Self {
            finished: Mutex::default(),
            pending: AtomicU32::default(),
            cancelled: Mutex::default(),
            abandoned: Mutex::default(),
            abandoned_count: AtomicU32::default(),
        }
    }
}

impl<F> std::fmt::Debug for Outbox<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl<F> Outbox<F> {
    /// Adds a finished call; callable from any thread.
    pub fn put(&self, finished: F) {
        self.finished.lock().push(finished);
    }

    /// Takes all finished calls.
    pub fn take(&self) -> Vec<F> {
        std::mem::take(&mut *self.finished.lock())
    }

    /// Whether there are no finished calls.
    pub fn is_empty(&self) -> bool {
        self.finished.lock().is_empty()
    }

    /// Marks the command of a slot as cancelled.
    pub fn cancel(&self, slot: u32) {
        self.cancelled.lock().push(slot);
    }

    /// The number of pending calls that are waited for.
    #[inline]
    pub fn pending(&self) -> u32 {
        self.pending.load(Relaxed).saturating_sub(self.abandoned_count.load(Relaxed))
    }

    /// Marks a pending call as one that nobody waits for any more.
    pub fn abandon(&self, slot: u32) {
        let mut abandoned = self.abandoned.lock();
        abandoned.push(slot);
        self.abandoned_count.store(abandoned.len() as u32, Relaxed);
    }

    /// Removes that mark from a call that has ended.
    #[inline]
    pub fn clear_abandoned(&self, slot: u32) {
        if self.abandoned_count.load(Relaxed) == 0 {
            return;
        }
        let mut abandoned = self.abandoned.lock();
        abandoned.retain(|other| *other != slot);
        self.abandoned_count.store(abandoned.len() as u32, Relaxed);
    }
}

/// The obligation to settle a promise. If it is dropped, because a driver ended before its commands
/// did, the promise fails as closed.
#[derive(Debug)]
pub struct Pledge<F: Completion> {
    slot: u32,
    outbox: Arc<Outbox<F>>,
    is_released: bool,
}

impl<F: Completion> Pledge<F> {
    /// A pledge for the promise of a slot.
    #[inline]
    pub fn new(slot: u32, outbox: &Arc<Outbox<F>>) -> Self {
        outbox.pending.fetch_add(1, Relaxed);
        Self { slot, outbox: outbox.clone(), is_released: false }
    }

    /// Returns the slot, which the caller settles.
    #[inline]
    pub fn release(mut self) -> u32 {
        self.is_released = true;
        self.slot
    }

    /// Settles it later, with a finished call made from its slot.
    pub fn later(self, finished: impl FnOnce(u32) -> F) {
        let outbox = self.outbox.clone();
        outbox.put(finished(self.release()));
    }

    /// Removes any mark that it was cancelled.
    pub fn clear_cancelled(&self) {
        self.outbox.cancelled.lock().retain(|slot| *slot != self.slot);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.outbox.cancelled.lock().contains(&self.slot)
    }
}

impl<F: Completion> Drop for Pledge<F> {
    fn drop(&mut self) {
        self.outbox.pending.fetch_sub(1, Relaxed);
        self.outbox.clear_abandoned(self.slot);
        if !self.is_released {
            self.outbox.put(F::closed(self.slot));
        }
    }
}
