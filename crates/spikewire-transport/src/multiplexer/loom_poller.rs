//! A poller without connections for tests in loom: only wakers end its waits.

#![expect(clippy::unused_self, reason = "the methods of the poller that it stands for")]

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mio::event::Event;
use mio::{Poll, Registry};
use spikewire_sync::{Condvar, Mutex, thread};

/// Waits until it is woken.
#[derive(Debug)]
pub struct Poller {
    poll: Poll,
    waker: Waker,
}

/// Ends a wait, or the next one.
#[derive(Debug, Clone, Default)]
pub struct Waker(Arc<(Mutex<bool>, Condvar)>);

impl Waker {
    /// Ends the wait.
    pub fn wake(&self) -> io::Result<()> {
        *self.0.0.lock() = true;
        self.0.1.notify_all();
        Ok(())
    }
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { poll: Poll::new()?, waker: Waker::default() })
    }

    pub(super) fn registry(&self) -> io::Result<Registry> {
        self.poll.registry().try_clone()
    }

    pub(super) fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Waits; a limited wait may end at any time.
    pub fn wait(&mut self, wait: Option<Duration>) -> io::Result<()> {
        let (is_woken, condvar) = &*self.waker.0;
        let mut is_woken = is_woken.lock();
        match wait {
            None => {
                while !*is_woken {
                    is_woken = condvar.wait(is_woken);
                }
            }
            Some(span) if !*is_woken && !span.is_zero() => {
                drop(is_woken);
                thread::park_timeout(span);
                return self.wait(Some(Duration::ZERO));
            }
            Some(_) => {}
        }
        *is_woken = false;
        Ok(())
    }

    pub(super) fn forget(&mut self) {}

    pub(super) fn is_full(&self) -> bool {
        false
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        std::iter::empty()
    }
}
