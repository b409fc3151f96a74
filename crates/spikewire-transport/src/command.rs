//! A command as the transport sees it: bytes, limits, and what is to be completed.

use crate::attempts::Attempts;
use crate::carried::{Carried, Settled};
use crate::clock::Tick;
pub use crate::handler::ResponseHandler;
use crate::policy::{Policy, deadline};

/// A request on its way, owned by the transport until `ticket` is completed. `K` says what it is
/// about, `R` how it chooses among nodes.
#[derive(Debug)]
pub struct Command<K, R, T> {
    /// The whole request frame.
    pub bytes: Vec<u8>,
    /// What it is about.
    pub target: K,
    /// Its limits.
    pub policy: Policy<R>,
    /// Not to be sent before.
    pub start: Tick,
    /// When it must be over.
    pub deadline: Tick,
    /// Whether the reply is many messages, of which the last one says so.
    pub stream: bool,
    /// How many records it is about: as many commands on one record are as long.
    pub rows: usize,
    /// What was tried so far.
    pub attempts: Attempts,
    /// What is completed.
    pub ticket: Carried<T>,
}

impl<K, R, T> Command<K, R, T> {
    /// A command that starts now; boxed, for it is large and handed on often. It is made where it
    /// stays, which spares a copy.
    #[inline]
    pub fn new(bytes: Vec<u8>, target: K, policy: Policy<R>, now: Tick, ticket: T) -> Box<Self> {
        let deadline = deadline(&policy, now);
        let attempts = Attempts::default();
        let (start, stream, rows) = (now, false, 1);
        let ticket = Carried::Own(ticket);
        let boxed = Box::new_uninit();
        let command =
            Self { bytes, target, policy, start, deadline, stream, rows, attempts, ticket };
        Box::write(boxed, command)
    }

    /// The same command with another ticket; nothing for one that has a copy.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Option<Box<Command<K, R, U>>> {
        let Self { bytes, target, policy, start, deadline, stream, rows, attempts, ticket } = self;
        let ticket = Carried::Own(map(ticket.into_own()?));
        let boxed = Box::new_uninit();
        let command =
            Command { bytes, target, policy, start, deadline, stream, rows, attempts, ticket };
        Some(Box::write(boxed, command))
    }

    /// Whether its ticket is shared with a copy of it.
    #[inline(always)]
    pub(crate) fn has_copy(&self) -> bool {
        matches!(self.ticket, Carried::Shared(_))
    }

    /// Takes note of an outcome; see [`Carried`].
    #[inline(always)]
    pub(crate) fn settle(&mut self, answered: bool) -> Settled {
        self.ticket.settle(answered, &mut self.start)
    }
}

impl<K, R, T: ResponseHandler> Command<K, R, T> {
    /// Whether its outcome has no use any more.
    pub fn is_over(&self, now: Tick) -> bool {
        self.deadline <= now || self.ticket.is_withdrawn()
    }
}
