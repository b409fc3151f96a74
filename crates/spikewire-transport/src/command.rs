//! A command as the transport sees it: bytes, limits and the ticket to complete.

use crate::attempts::Attempts;
use crate::clock::Tick;
pub use crate::handler::ResponseHandler;
use crate::policy::{Policy, deadline};
use crate::request_kind::RequestKind;
use crate::ticket_handle::{Settlement, TicketHandle};

/// A request in flight, owned by the transport until `ticket` is completed. `K` is what it targets,
/// `R` how it chooses among nodes.
#[derive(Debug)]
pub struct Command<K, R, T> {
    /// The whole request frame.
    pub bytes: Vec<u8>,
    /// What it targets, for routing.
    pub target: K,
    /// Its limits.
    pub policy: Policy<R>,
    /// It is not sent before this time.
    pub start: Tick,
    /// When it times out.
    pub deadline: Tick,
    /// Whether the reply consists of many messages, the last of which is marked as such.
    pub stream: bool,
    /// What it asks for.
    pub kind: RequestKind,
    /// How many records it is about. It takes as long as that many single-record commands.
    pub rows: usize,
    /// Bytes of the parts of its reply that came before the last one.
    pub reply_bytes: u32,
    /// The attempts made so far.
    pub attempts: Attempts,
    /// What to complete.
    pub ticket: TicketHandle<T>,
}

impl<K, R, T> Command<K, R, T> {
    /// A command that starts now. Boxed because it is large and moved often; constructed in place
    /// to avoid a copy.
    #[inline]
    pub fn new(bytes: Vec<u8>, target: K, policy: Policy<R>, now: Tick, ticket: T) -> Box<Self> {
        let deadline = deadline(&policy, now);
        let attempts = Attempts::default();
        let (start, stream, kind, rows, reply_bytes) = (now, false, RequestKind::Data, 1, 0);
        let ticket = TicketHandle::Own(ticket);
        let boxed = Box::new_uninit();
        let command = Self {
            bytes,
            target,
            policy,
            start,
            deadline,
            stream,
            kind,
            rows,
            reply_bytes,
            attempts,
            ticket,
        };
        Box::write(boxed, command)
    }

    /// The same command with another ticket; `None` if it has a copy.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Option<Box<Command<K, R, U>>> {
        let Self { bytes, target, policy, start, deadline, stream, kind, rows, .. } = self;
        let Self { reply_bytes, attempts, ticket, .. } = self;
        let ticket = TicketHandle::Own(map(ticket.into_own()?));
        let boxed = Box::new_uninit();
        let command = Command {
            bytes,
            target,
            policy,
            start,
            deadline,
            stream,
            kind,
            rows,
            reply_bytes,
            attempts,
            ticket,
        };
        Some(Box::write(boxed, command))
    }

    /// The same command with this ticket, and the ticket that it had.
    pub(crate) fn replace_ticket<U>(
        self,
        ticket: TicketHandle<U>,
    ) -> (Command<K, R, U>, TicketHandle<T>) {
        let Self { bytes, target, policy, start, deadline, stream, kind, rows, .. } = self;
        let Self { reply_bytes, attempts, ticket: before, .. } = self;
        let command = Command {
            bytes,
            target,
            policy,
            start,
            deadline,
            stream,
            kind,
            rows,
            reply_bytes,
            attempts,
            ticket,
        };
        (command, before)
    }

    /// Whether its ticket is shared with a copy of it, or with other callers.
    #[inline(always)]
    pub(crate) fn has_copy(&self) -> bool {
        matches!(self.ticket, TicketHandle::Shared(_))
    }

    /// Records an outcome; see [`TicketHandle`].
    #[inline(always)]
    pub(crate) fn settle(&mut self, answered: bool) -> Settlement {
        self.ticket.settle(answered, &mut self.start)
    }
}

impl<K, R, T: ResponseHandler> Command<K, R, T> {
    /// Whether its outcome is no longer needed.
    pub fn is_over(&self, now: Tick) -> bool {
        self.deadline <= now || self.ticket.is_withdrawn()
    }
}
