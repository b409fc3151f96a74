//! A command's ticket as the transport carries it: the command's own, or one shared with a copy of
//! the command that was sent to another node because no reply had come.
//!
//! The first reply is the command's; the other request is then withdrawn and its reply dropped.
//! While both are running, a failure ends only the request that failed. The failure of the last one
//! running is the command's. A copy that has not started is not waited for.

use std::sync::Arc;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::clock::Tick;
use crate::handler::ResponseHandler;

/// The ticket of a command in flight.
#[derive(Debug)]
pub enum TicketHandle<T> {
    /// The ticket of a command without a copy.
    Own(T),
    /// The ticket of a command and its copy.
    Shared(Arc<SharedState<T>>),
}

/// State shared by a command and its copy.
#[derive(Debug)]
pub struct SharedState<T> {
    over: AtomicBool,
    /// When the command itself started.
    started: Tick,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    /// `None` once it was completed.
    ticket: Option<T>,
    /// How many of the two are in flight.
    running: u32,
}

/// What an outcome of one request means for its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It is the command's outcome.
    Counts {
        /// Whether the other request is still in flight and is thereby withdrawn.
        supersedes: bool,
    },
    /// Nothing: the other request was answered, or is still in flight.
    Dropped,
}

impl<T> TicketHandle<T> {
    /// A second handle to the ticket, for a copy of the command that has not started.
    #[cold]
    pub(crate) fn share(&mut self, started: Tick) -> Option<Self> {
        let (over, state) = (AtomicBool::new(false), State { ticket: None, running: 1 });
        let shared = Arc::new(SharedState { over, started, state: Mutex::new(state) });
        match std::mem::replace(self, Self::Shared(shared.clone())) {
            Self::Own(ticket) => shared.state.lock().ticket = Some(ticket),
            former @ Self::Shared(_) => {
                *self = former;
                return None;
            }
        }
        Some(Self::Shared(shared))
    }

    /// Calls `look` with the ticket, unless it was completed. The handles of a command and its copy
    /// lead to the same one.
    pub(crate) fn look(&self, look: &mut dyn FnMut(&T)) {
        match self {
            Self::Own(ticket) => look(ticket),
            Self::Shared(shared) => {
                if let Some(ticket) =
                    shared.state.try_lock().as_ref().and_then(|it| it.ticket.as_ref())
                {
                    look(ticket);
                }
            }
        }
    }

    /// Records an outcome, which is a reply or a failure. If it counts, the ticket becomes the
    /// command's own, and `start` is set to when the command started.
    #[inline(always)]
    pub(crate) fn settle(&mut self, answered: bool, start: &mut Tick) -> Settlement {
        match self {
            Self::Own(_) => Settlement::Counts { supersedes: false },
            Self::Shared(_) => self.settle_shared(answered, start),
        }
    }

    #[cold]
    fn settle_shared(&mut self, answered: bool, start: &mut Tick) -> Settlement {
        let Self::Shared(shared) = self else { return Settlement::Dropped };
        let mut state = shared.state.lock();
        state.running -= 1;
        let counts = answered || state.running == 0;
        let Some(ticket) = (if counts { state.ticket.take() } else { None }) else {
            return Settlement::Dropped;
        };
        let supersedes = state.running > 0;
        drop(state);
        shared.over.store(true, Relaxed);
        *start = shared.started;
        *self = Self::Own(ticket);
        Settlement::Counts { supersedes }
    }

    /// The ticket, if it is the command's own.
    #[inline(always)]
    pub(crate) fn into_own(self) -> Option<T> {
        match self {
            Self::Own(ticket) => Some(ticket),
            Self::Shared(_) => None,
        }
    }
}

impl<T: ResponseHandler> TicketHandle<T> {
    /// The command is about to be sent; returns `false` to withdraw it.
    #[inline(always)]
    pub(crate) fn starts(&mut self) -> bool {
        match self {
            Self::Own(ticket) => ticket.starts(),
            Self::Shared(shared) => {
                shared.state.lock().ticket.as_mut().is_some_and(ResponseHandler::starts)
            }
        }
    }

    /// A copy is about to start; returns `false` if nothing waits for it.
    #[cold]
    pub(crate) fn copy_begins(&self) -> bool {
        let Self::Shared(shared) = self else { return true };
        let mut state = shared.state.lock();
        let needed = state.ticket.as_ref().is_some_and(|it| !it.is_withdrawn() && it.is_needed());
        state.running += u32::from(needed);
        needed
    }

    /// Whether another copy was answered.
    #[inline]
    pub(crate) fn is_superseded(&self) -> bool {
        match self {
            Self::Own(ticket) => ticket.is_superseded(),
            Self::Shared(shared) => shared.over.load(Relaxed),
        }
    }

    /// Whether a request that has not been sent yet is still wanted.
    pub(crate) fn is_needed(&self) -> bool {
        match self {
            Self::Own(ticket) => ticket.is_needed(),
            Self::Shared(shared) => {
                shared.state.lock().ticket.as_ref().is_some_and(ResponseHandler::is_needed)
            }
        }
    }

    /// Whether it was withdrawn, or the other request was answered.
    #[inline]
    pub(crate) fn is_withdrawn(&self) -> bool {
        match self {
            Self::Own(ticket) => ticket.is_withdrawn(),
            Self::Shared(shared) => {
                let is_withdrawn = |ticket: &T| ticket.is_withdrawn();
                shared.over.load(Relaxed)
                    || shared.state.lock().ticket.as_ref().is_none_or(is_withdrawn)
            }
        }
    }

    /// The ticket for a copy, for tickets that know of each other.
    pub(crate) fn ticket_for_copy(&mut self) -> Option<Self> {
        match self {
            Self::Own(ticket) => ticket.ticket_for_copy().map(Self::Own),
            Self::Shared(_) => None,
        }
    }

    #[inline]
    pub(crate) fn returned(&mut self, request: Vec<u8>) {
        match self {
            Self::Own(ticket) => ticket.returned(request),
            Self::Shared(_) => crate::buffer::give(request),
        }
    }

    #[inline]
    pub(crate) fn collect(&mut self, messages: &[u8]) {
        if let Self::Own(ticket) = self {
            ticket.collect(messages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Number(u8, bool);

    impl ResponseHandler for Number {
        fn is_needed(&self) -> bool {
            self.1
        }
    }

    const BEGAN: Tick = Tick(7);

    fn pair() -> (TicketHandle<Number>, TicketHandle<Number>) {
        let mut first = TicketHandle::Own(Number(1, true));
        let copy = first.share(BEGAN).unwrap();
        assert!(first.share(BEGAN).is_none(), "one copy");
        (first, copy)
    }

    fn settle(ticket: &mut TicketHandle<Number>, answered: bool) -> Settlement {
        let mut start = Tick(9);
        let settled = ticket.settle(answered, &mut start);
        assert_eq!(start == BEGAN, settled != Settlement::Dropped);
        settled
    }

    #[test]
    fn the_first_answer_withdraws_the_other_request() {
        for copy_wins in [false, true] {
            let (mut first, mut copy) = pair();
            assert!(copy.copy_begins() && !first.is_withdrawn() && !copy.is_withdrawn());
            let (winner, loser) =
                if copy_wins { (&mut copy, &mut first) } else { (&mut first, &mut copy) };
            assert_eq!(settle(winner, true), Settlement::Counts { supersedes: true });
            assert!(loser.is_superseded() && loser.is_withdrawn() && !loser.starts());
            assert_eq!(settle(loser, true), Settlement::Dropped);
            let (first, copy) = (first.into_own(), copy.into_own());
            assert_eq!([first, copy].into_iter().flatten().count(), 1);
        }
    }

    #[test]
    fn a_failure_counts_where_no_other_is_under_way() {
        let (mut first, mut copy) = pair();
        assert!(copy.copy_begins());
        assert_eq!(settle(&mut first, false), Settlement::Dropped);
        assert!(!copy.is_superseded());
        assert_eq!(settle(&mut copy, false), Settlement::Counts { supersedes: false });

        let (mut first, copy) = pair();
        assert_eq!(settle(&mut first, false), Settlement::Counts { supersedes: false });
        assert!(!copy.copy_begins(), "it is not waited for, and comes too late");
    }

    #[test]
    fn no_copy_begins_that_nobody_waits_for() {
        let mut first = TicketHandle::Own(Number(1, false));
        let copy = first.share(BEGAN).unwrap();
        assert!(!copy.copy_begins());
        assert_eq!(settle(&mut first, false), Settlement::Counts { supersedes: false });
    }
}
