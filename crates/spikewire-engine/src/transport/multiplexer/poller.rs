//! What waits for news of a multiplexer's connections.

use std::io;
use std::time::Duration;

use mio::event::Event;
use mio::{Events, Poll, Registry};

/// Waits for a multiplexer, and tells it what happened.
#[derive(Debug)]
pub struct Poller {
    poll: Poll,
    events: Events,
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { poll: Poll::new()?, events: Events::with_capacity(256) })
    }

    /// Where connections are registered, also while it waits.
    pub(super) fn registry(&self) -> io::Result<Registry> {
        self.poll.registry().try_clone()
    }

    /// Waits up to `wait` for something to happen (`Some(ZERO)`: only looks; `None`: no limit).
    /// A signal ends it with an error of kind `Interrupted`.
    pub fn wait(&mut self, wait: Option<Duration>) -> io::Result<()> {
        self.poll.poll(&mut self.events, wait)
    }

    /// What happened was seen to.
    pub(super) fn forget(&mut self) {
        self.events.clear();
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }
}
