//! A command's ticket as the transport carries it: the command's own, or one shared with a copy of
//! the command that was sent to another node because no reply had come. The command of reads that
//! share a request has the tickets of all their callers.
//!
//! The first reply is the command's; the other request is then withdrawn and its reply dropped.
//! While both are running, a failure ends only the request that failed. The failure of the last one
//! running is the command's. A copy that has not started is not waited for.

use std::sync::Arc;
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::attempts::Attempts;
use crate::clock::Tick;
use crate::handler::ResponseHandler;
use crate::metrics::MetricsFlags;

/// The ticket of a command in flight.
#[derive(Debug)]
pub enum TicketHandle<T> {
    /// The ticket of a command without a copy.
    Own(T),
    /// The ticket of a command and its copy, or those of all callers of a shared read.
    Shared(Arc<SharedState<T>>),
}

/// State shared by a command and its copy, or by the command of a shared read and its callers.
#[derive(Debug)]
pub struct SharedState<T> {
    over: AtomicBool,
    /// When the command itself started.
    started: Tick,
    /// Its place among the shared reads of the multiplexer, if it is one.
    read: Option<usize>,
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    /// `None` once it was completed, and for a shared read.
    ticket: Option<T>,
    /// Those who wait for a shared read. They are taken out when it is over.
    callers: Vec<Caller<T>>,
    /// How many of the two requests are in flight.
    running: u32,
    /// Whether a copy exists, and whether it was started.
    has_copy: bool,
    copy_began: bool,
    /// Where a shared read was queued last.
    place: Option<QueuePlace>,
}

/// A caller of a shared read.
#[derive(Debug)]
pub(crate) struct Caller<T> {
    pub ticket: T,
    /// When it called.
    pub start: Tick,
    /// When it waits no longer.
    pub deadline: Tick,
    /// What is kept of its call.
    pub metrics_flags: MetricsFlags,
    /// Its total time; zero means no limit.
    pub timeout: Duration,
}

/// Where the request of a shared read was queued.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueuePlace {
    /// The connection.
    pub connection: usize,
    /// Where the request begins ([`Pipeline::end`](crate::pipeline::Pipeline::end)).
    pub position: u64,
    /// The attempts so far.
    pub attempts: Attempts,
}

/// What an outcome of one request means for its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// It is the command's outcome.
    Counts {
        /// Whether the other request is still in flight and is thereby withdrawn.
        supersedes: bool,
    },
    /// Nothing: the other request was answered, or is still in flight, or nobody waits any more.
    Dropped,
}

impl<T> State<T> {
    fn new() -> Self {
        let (ticket, callers, place) = (None, Vec::new(), None);
        Self { ticket, callers, running: 1, has_copy: false, copy_began: false, place }
    }

    fn tickets(&self) -> impl Iterator<Item = &T> {
        self.ticket.iter().chain(self.callers.iter().map(|caller| &caller.ticket))
    }
}

impl<T> TicketHandle<T> {
    /// The handle of a read that others may join, with its first caller; `read` is its place among
    /// the multiplexer's shared reads.
    pub(crate) fn of_read(read: usize, caller: Caller<T>) -> (Self, Arc<SharedState<T>>) {
        let (over, started) = (AtomicBool::new(false), caller.start);
        let state = State { callers: vec![caller], ..State::new() };
        let shared =
            Arc::new(SharedState { over, started, read: Some(read), state: Mutex::new(state) });
        (Self::Shared(shared.clone()), shared)
    }

    /// A second handle to the ticket, for a copy of the command that has not started.
    #[cold]
    pub(crate) fn share(&mut self, started: Tick) -> Option<Self> {
        if let Self::Shared(shared) = self {
            let is_first = shared.read.is_some()
                && !std::mem::replace(&mut shared.state.lock().has_copy, true);
            return is_first.then(|| Self::Shared(shared.clone()));
        }
        let (over, state) = (AtomicBool::new(false), State { has_copy: true, ..State::new() });
        let shared = Arc::new(SharedState { over, started, read: None, state: Mutex::new(state) });
        if let Self::Own(ticket) = std::mem::replace(self, Self::Shared(shared.clone())) {
            shared.state.lock().ticket = Some(ticket);
        }
        Some(Self::Shared(shared))
    }

    /// Calls `look` with the ticket, unless it was completed. The handles of a command and its copy
    /// lead to the same one.
    pub(crate) fn look(&self, look: &mut dyn FnMut(&T)) {
        match self {
            Self::Own(ticket) => look(ticket),
            Self::Shared(shared) => {
                if let Some(state) = shared.state.try_lock() {
                    state.tickets().for_each(look);
                }
            }
        }
    }

    /// Records an outcome, which is a reply or a failure. If it counts, the ticket becomes the
    /// command's own, and `start` is set to when the command started. The tickets of a shared read
    /// are taken out with [`TicketHandle::callers`].
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
        let counts = (answered || state.running == 0) && !shared.over.load(Relaxed);
        if !counts || state.tickets().next().is_none() {
            return Settlement::Dropped;
        }
        let (ticket, supersedes) = (state.ticket.take(), state.running > 0);
        shared.over.store(true, Relaxed);
        drop(state);
        *start = shared.started;
        if let Some(ticket) = ticket {
            *self = Self::Own(ticket);
        }
        Settlement::Counts { supersedes }
    }

    /// Its place among the shared reads, and who waits for it; after an outcome that counts.
    pub(crate) fn callers(&self) -> Option<(usize, Vec<Caller<T>>)> {
        let Self::Shared(shared) = self else { return None };
        Some((shared.read?, std::mem::take(&mut shared.state.lock().callers)))
    }

    /// When nobody waits for it any more; `own` is its command's deadline.
    pub(crate) fn deadline(&self, own: Tick) -> Tick {
        match self {
            Self::Shared(shared) if shared.read.is_some() => shared.deadline(Ord::max),
            _ => own,
        }
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

impl<T> SharedState<T> {
    /// Adds a caller of a shared read.
    pub(crate) fn join(&self, caller: Caller<T>) {
        self.state.lock().callers.push(caller);
    }

    /// Where its request was queued last; `None` if it was not.
    pub(crate) fn place(&self) -> Option<QueuePlace> {
        self.state.lock().place
    }

    /// Whether a copy of the request may have been sent.
    pub(crate) fn copy_began(&self) -> bool {
        self.state.lock().copy_began
    }

    /// Removes the callers who `leave`, and returns them and whether all have left: the read is over
    /// then.
    pub(crate) fn leave(
        &self,
        mut leave: impl FnMut(&Caller<T>) -> bool,
    ) -> (Vec<Caller<T>>, bool) {
        let mut state = self.state.lock();
        let gone: Vec<_> = state.callers.extract_if(.., |caller| leave(caller)).collect();
        let is_over = state.callers.is_empty();
        if is_over {
            self.over.store(true, Relaxed);
        }
        (gone, is_over)
    }

    /// The deadlines of its callers, folded.
    pub(crate) fn deadline(&self, fold: fn(Tick, Tick) -> Tick) -> Tick {
        let state = self.state.lock();
        state.callers.iter().map(|caller| caller.deadline).reduce(fold).unwrap_or(Tick::NEVER)
    }
}

impl<T: ResponseHandler> TicketHandle<T> {
    /// The command is about to be queued; returns `false` to withdraw it. `place` says where, for a
    /// shared read.
    #[inline(always)]
    pub(crate) fn starts(&mut self, place: impl FnOnce() -> QueuePlace) -> bool {
        match self {
            Self::Own(ticket) => ticket.starts(),
            Self::Shared(shared) => shared.starts(place()),
        }
    }

    /// A copy is about to start; returns `false` if nothing waits for it.
    #[cold]
    pub(crate) fn copy_begins(&self) -> bool {
        let Self::Shared(shared) = self else { return true };
        let mut state = shared.state.lock();
        let needed = state.tickets().any(|ticket| !ticket.is_withdrawn() && ticket.is_needed());
        state.running += u32::from(needed);
        state.copy_began |= needed;
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
            Self::Shared(shared) => shared.state.lock().tickets().any(ResponseHandler::is_needed),
        }
    }

    /// Whether it was withdrawn, or the other request was answered.
    #[inline]
    pub(crate) fn is_withdrawn(&self) -> bool {
        match self {
            Self::Own(ticket) => ticket.is_withdrawn(),
            Self::Shared(shared) => {
                shared.over.load(Relaxed)
                    || shared.state.lock().tickets().all(ResponseHandler::is_withdrawn)
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

impl<T: ResponseHandler> SharedState<T> {
    #[cold]
    fn starts(&self, place: QueuePlace) -> bool {
        let mut state = self.state.lock();
        state.place = Some(place);
        let State { ticket, callers, .. } = &mut *state;
        let callers = callers.iter_mut().map(|caller| &mut caller.ticket);
        let mut any = false;
        for ticket in ticket.iter_mut().chain(callers) {
            any |= ticket.starts();
        }
        any
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
    const PLACE: QueuePlace = QueuePlace {
        connection: 0,
        position: 0,
        attempts: Attempts { count: 1, step: 0, in_doubt: false, silences: 0 },
    };

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
            assert!(loser.is_superseded() && loser.is_withdrawn() && !loser.starts(|| PLACE));
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

    fn caller(number: u8, deadline: u64) -> Caller<Number> {
        let (metrics_flags, timeout) = (MetricsFlags::NOTHING, Duration::ZERO);
        let (ticket, start) = (Number(number, true), BEGAN);
        Caller { ticket, start, deadline: Tick(deadline), metrics_flags, timeout }
    }

    fn numbers(callers: Vec<Caller<Number>>) -> Vec<u8> {
        callers.into_iter().map(|caller| caller.ticket.0).collect()
    }

    #[test]
    fn the_callers_of_a_read_get_one_outcome_and_leave_alone() {
        let (mut first, shared) = TicketHandle::of_read(5, caller(1, 10));
        assert!(first.starts(|| PLACE) && shared.place().is_some());
        shared.join(caller(2, 30));
        shared.join(caller(3, 20));
        assert_eq!((shared.deadline(Ord::min), shared.deadline(Ord::max)), (Tick(10), Tick(30)));
        let (gone, is_over) = shared.leave(|caller| caller.deadline <= Tick(10));
        assert_eq!((numbers(gone), is_over, first.is_withdrawn()), (vec![1], false, false));
        assert_eq!(first.deadline(Tick::NEVER), Tick(30));
        assert_eq!(settle(&mut first, true), Settlement::Counts { supersedes: false });
        let (place, callers) = first.callers().unwrap();
        assert_eq!((place, numbers(callers)), (5, vec![2, 3]));
    }

    #[test]
    fn a_read_that_all_have_left_is_over() {
        let (mut first, shared) = TicketHandle::of_read(0, caller(1, 10));
        assert!(shared.leave(|_| true).1 && first.is_withdrawn() && !first.is_needed());
        assert_eq!(settle(&mut first, true), Settlement::Dropped);
    }

    #[test]
    fn a_shared_read_has_a_copy_as_well() {
        let (mut first, shared) = TicketHandle::of_read(0, caller(1, 10));
        let mut copy = first.share(BEGAN).unwrap();
        assert!(first.share(BEGAN).is_none(), "one copy");
        assert!(!shared.copy_began() && copy.copy_begins() && shared.copy_began());
        shared.join(caller(2, 10));
        assert_eq!(settle(&mut first, false), Settlement::Dropped);
        assert_eq!(settle(&mut copy, true), Settlement::Counts { supersedes: false });
        assert_eq!(numbers(copy.callers().unwrap().1), [1, 2]);
        assert!(numbers(first.callers().unwrap().1).is_empty());
    }
}
