//! What is over and waits for JavaScript, whichever protocol it came with: promises, which JavaScript
//! knows by the numbers of their slots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spikewire_sync::Mutex;
use spikewire_transport::driver::Next;
use spikewire_transport::{Outcome, Protocol, ResponseHandler};

use crate::environment::Environment;
use crate::js::{Env, Result, Value};

/// What becomes of something that is over, on the environment's own thread.
pub trait Settle: Send {
    /// The value of the promise.
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>>;
}

/// What is over and has not been handed to JavaScript.
pub trait Finish: Send + Sized + 'static {
    /// Hands it over.
    fn hand_over(self, env: Env<'_>, environment: &Environment);

    /// A promise that nothing settled before its client was closed.
    fn closed(slot: u32) -> Self;
}

/// A ticket whose outcome becomes a value of JavaScript.
pub trait Completes<P: Protocol>: ResponseHandler + Send + Sized + 'static {
    /// What waits for JavaScript.
    type Finished: Finish;

    /// Settles what waits for it, now. What that leads to goes to `next`.
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_, P>,
        next: &mut Next<P, Self>,
    );

    /// Completes what no JavaScript value can be made for at this time or on this thread.
    fn complete_later(self, outcome: Outcome<'_, P>, next: &mut Next<P, Self>);
}

/// Where what is over waits for JavaScript, and how many calls are not over yet.
pub struct Outbox<F> {
    finished: Mutex<Vec<F>>,
    pending: AtomicU32,
    /// Commands that are not waited for any more.
    given_up: Mutex<Vec<u32>>,
}

impl<F> Default for Outbox<F> {
    fn default() -> Self {
        Self {
            finished: Mutex::default(),
            pending: AtomicU32::default(),
            given_up: Mutex::default(),
        }
    }
}

impl<F> std::fmt::Debug for Outbox<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl<F> Outbox<F> {
    /// Puts something in; from any thread.
    pub fn put(&self, finished: F) {
        self.finished.lock().push(finished);
    }

    /// Takes everything out.
    pub fn take(&self) -> Vec<F> {
        std::mem::take(&mut *self.finished.lock())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.finished.lock().is_empty()
    }

    /// The command of this slot is not waited for any more.
    pub fn give_up(&self, slot: u32) {
        self.given_up.lock().push(slot);
    }

    /// Calls that are not over.
    pub fn pending(&self) -> u32 {
        self.pending.load(Relaxed)
    }
}

/// A promise that is to be settled. One that is dropped instead, because a driver ended before its
/// commands did, fails as closed.
#[derive(Debug)]
pub struct Pledge<F: Finish> {
    slot: u32,
    outbox: Arc<Outbox<F>>,
    is_kept: bool,
}

impl<F: Finish> Pledge<F> {
    /// The promise of this slot.
    #[inline]
    pub fn new(slot: u32, outbox: &Arc<Outbox<F>>) -> Self {
        outbox.pending.fetch_add(1, Relaxed);
        Self { slot, outbox: outbox.clone(), is_kept: false }
    }

    /// Its slot, which is settled by the caller.
    #[inline]
    pub fn keep(mut self) -> u32 {
        self.is_kept = true;
        self.slot
    }

    /// Settles it later, with what is made of its slot.
    pub fn later(self, finished: impl FnOnce(u32) -> F) {
        let outbox = self.outbox.clone();
        outbox.put(finished(self.keep()));
    }

    /// Takes back that nobody waits for it.
    pub fn want(&self) {
        self.outbox.given_up.lock().retain(|slot| *slot != self.slot);
    }

    /// Whether it is not waited for any more.
    pub fn is_given_up(&self) -> bool {
        self.outbox.given_up.lock().contains(&self.slot)
    }
}

impl<F: Finish> Drop for Pledge<F> {
    fn drop(&mut self) {
        self.outbox.pending.fetch_sub(1, Relaxed);
        if !self.is_kept {
            self.outbox.put(F::closed(self.slot));
        }
    }
}
