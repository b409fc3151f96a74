//! Waits for events on a multiplexer's connections.

use std::io;
use std::time::Duration;

pub use mio::Waker;
use mio::event::Event;
use mio::{Events, Poll, Registry};

/// Maximum number of events per poll.
const EVENTS: usize = 256;

/// Waits for events on a multiplexer's connections, and holds what happened.
#[derive(Debug)]
pub struct Poller {
    poll: Poll,
    events: Events,
}

impl Poller {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { poll: Poll::new()?, events: Events::with_capacity(EVENTS) })
    }

    /// Where connections are registered, even while it waits.
    pub(super) fn registry(&self) -> io::Result<Registry> {
        self.poll.registry().try_clone()
    }

    /// Waits up to `wait` for something to happen; `Some(ZERO)` does not wait, `None` has no limit.
    /// A signal ends the wait with an error of kind `Interrupted`.
    pub fn wait(&mut self, wait: Option<Duration>) -> io::Result<()> {
        self.poll.poll(&mut self.events, wait)
    }

    /// Drops the events, which were handled.
    pub(super) fn forget(&mut self) {
        self.events.clear();
    }

    /// Whether there may be more events than fit into one poll. Whoever watches the descriptor from
    /// outside may not be notified of those again.
    pub(super) fn is_full(&self) -> bool {
        self.events.iter().count() == EVENTS
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mio::net::UnixStream;
    use mio::{Interest, Token};
    use std::collections::HashSet;
    use std::io::Write as _;

    #[test]
    fn a_full_event_list_reports_that_more_may_follow() {
        let mut poller = Poller::new().unwrap();
        let registry = poller.registry().unwrap();
        let mut pairs: Vec<_> = (0..EVENTS + 44).map(|_| UnixStream::pair().unwrap()).collect();
        for (index, (own, peer)) in pairs.iter_mut().enumerate() {
            registry.register(own, Token(index), Interest::READABLE).unwrap();
            peer.write_all(b"x").unwrap();
        }
        let (mut seen, mut rounds) = (HashSet::new(), 0);
        loop {
            poller.wait(Some(Duration::ZERO)).unwrap();
            rounds += 1;
            seen.extend(poller.events().map(|event| event.token().0));
            if !poller.is_full() {
                break;
            }
        }
        assert_eq!((seen.len(), rounds), (pairs.len(), 2));
    }
}
