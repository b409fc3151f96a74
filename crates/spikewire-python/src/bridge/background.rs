//! A client's background thread, started on first use.

use std::any::Any;
use std::sync::OnceLock;
use std::{fmt, io};

use spikewire_sync::Mutex;
use spikewire_transport::OrderKey;

use super::driver_thread;
use super::forks::forks;

/// A background thread of a client.
pub trait Background: Any + fmt::Debug + Send + Sync {
    /// Stops the thread. Must not be called while attached to the interpreter.
    fn end(&self);

    /// Whether it has a call in flight with this key.
    fn has_in_flight(&self, key: OrderKey) -> bool;
}

/// Holds a client's background thread, once it is started.
#[derive(Debug)]
pub struct BackgroundSlot {
    started: OnceLock<Box<dyn Background>>,
    starting: Mutex<()>,
    fork_generation: u32,
}

impl BackgroundSlot {
    /// An empty slot.
    pub fn new() -> Self {
        Self { started: OnceLock::new(), starting: Mutex::new(()), fork_generation: forks() }
    }

    /// The thread. Calls `start` once, on first use.
    pub fn get_or_start<S: Background>(
        &self,
        start: impl FnOnce() -> io::Result<S>,
    ) -> io::Result<&S> {
        if self.started.get().is_none() {
            let _starting = self.starting.lock();
            if self.started.get().is_none() {
                // Cannot be set already: only this function sets it, and only while it holds
                // `starting`.
                let _ = self.started.set(Box::new(start()?));
            }
        }
        let started = self.started.get().map(|started| &**started as &dyn Any);
        let known = started.and_then(|started| started.downcast_ref());
        known.ok_or_else(|| io::Error::other("it ended at once"))
    }

    /// Whether a call with this key must be sent by the thread, so that it does not overtake others.
    /// In the thread itself it cannot: nothing would send it.
    #[inline]
    pub fn must_send(&self, key: OrderKey) -> bool {
        self.started.get().is_some_and(|started| started.has_in_flight(key))
            && !driver_thread::is_any()
    }

    /// Stops the thread. Must not be called while attached to the interpreter.
    pub fn end(&self) {
        if let Some(started) = self.started.get()
            && self.fork_generation == forks()
        {
            started.end();
        }
    }
}

impl Drop for BackgroundSlot {
    /// In a forked child the thread does not exist, so what it owned is left untouched.
    fn drop(&mut self) {
        if self.fork_generation != forks() {
            std::mem::forget(self.started.take());
        }
    }
}
