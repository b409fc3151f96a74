//! A thread that works for a client, from when it is first needed.

use std::any::Any;
use std::sync::OnceLock;
use std::{fmt, io};

use spikewire_sync::Mutex;

use super::forks::forks;

/// A thread that works for a client.
pub trait Background: Any + fmt::Debug + Send + Sync {
    /// Ends it; not to be called with the interpreter held.
    fn end(&self);
}

/// A client's place for such a thread.
#[derive(Debug)]
pub struct BackgroundSlot {
    started: OnceLock<Box<dyn Background>>,
    starting: Mutex<()>,
    born: u32,
}

impl BackgroundSlot {
    /// Without a thread.
    pub fn new() -> Self {
        Self { started: OnceLock::new(), starting: Mutex::new(()), born: forks() }
    }

    /// The thread; `start` starts it, once.
    pub fn get_or_start<S: Background>(
        &self,
        start: impl FnOnce() -> io::Result<S>,
    ) -> io::Result<&S> {
        if self.started.get().is_none() {
            let _starting = self.starting.lock();
            if self.started.get().is_none() {
                // Nothing else sets it while `starting` is held.
                let _ = self.started.set(Box::new(start()?));
            }
        }
        let started = self.started.get().map(|started| &**started as &dyn Any);
        let known = started.and_then(|started| started.downcast_ref());
        known.ok_or_else(|| io::Error::other("it ended at once"))
    }

    /// Ends the thread; not to be called with the interpreter held.
    pub fn end(&self) {
        if let Some(started) = self.started.get()
            && self.born == forks()
        {
            started.end();
        }
    }
}

impl Drop for BackgroundSlot {
    /// In the child of a fork there is no thread to end, and whatever it held stays as it was.
    fn drop(&mut self) {
        if self.born != forks() {
            std::mem::forget(self.started.take());
        }
    }
}
