//! Speculative execution: copies of a statement that are sent to further nodes if the answer is
//! slow.
//!
//! Only statements known to be idempotent have copies, and only those that read or write rows: no
//! counters, no schema changes, no `USE`, nothing bound to one node. The rules:
//!
//! - A copy starts a delay after the previous one, up to a maximum number of copies. It goes to the
//!   next node of the plan to which no other copy was sent; if there is none, it does not start.
//! - The first answer is the statement's. The other copies are then withdrawn: their replies are
//!   dropped, and their ids stay taken until then.
//! - After a failed attempt the same copy retries, as often as a statement without copies would, on
//!   a node to which no copy was sent. If there is none, the copy ends if another one is in flight,
//!   and otherwise starts the plan over.
//! - An error about the statement itself ends it at once, and so do its deadline, which all copies
//!   share, and the end of the session. Any other failure ends only its copy while another one is
//!   in flight; the failure of the last copy is the statement's. A copy that has not started is not
//!   waited for: copies are for slow nodes, retries for failures.
//! - The attempts of all copies are counted together, and their errors are reported together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use spikewire_cql::response::Code;
use spikewire_sync::Mutex;

use crate::error::{Error, Kind};

/// State shared by the copies of a statement.
#[derive(Debug)]
struct Copies {
    delay: Duration,
    /// Maximum number of copies besides the first request.
    most: u32,
    writes: bool,
    over: AtomicBool,
    state: Mutex<CopiesState>,
}

#[derive(Debug, Default)]
struct CopiesState {
    /// Copies in flight, one bit each.
    running: u64,
    /// The nodes to which copies were sent.
    sent: Vec<(u32, SocketAddr)>,
    /// Errors of attempts that were not the last.
    failed: Vec<(u32, Error)>,
    /// Whether a write of a copy that ended may have been applied.
    in_doubt: bool,
}

impl CopiesState {
    fn note(&mut self, number: u32, error: &Error) {
        self.failed.extend(error.alone().map(|error| (number, error)));
    }

    /// The copies in flight, and the latest node of each.
    fn waiting(&self) -> Vec<(u32, SocketAddr)> {
        let latest = |number| self.sent.iter().rev().find(|(copy, _)| *copy == number).copied();
        let running = (0..u64::BITS).filter(|number| self.running & (1 << number) != 0);
        running.filter_map(latest).collect()
    }
}

/// One of the copies of a statement.
#[derive(Debug, Clone)]
pub(crate) struct Contender {
    copies: Arc<Copies>,
    number: u32,
    /// Whether it has not started yet.
    begins: bool,
}

impl Contender {
    /// The first one, which is the statement itself.
    #[cold]
    pub fn first(delay: Duration, most: u32, writes: bool) -> Self {
        let (over, state) = (AtomicBool::new(false), Mutex::default());
        let copies = Arc::new(Copies { delay, most, writes, over, state });
        Self { copies, number: 0, begins: true }
    }

    /// The same copy, for its follow-up requests.
    pub fn begun(&self) -> Self {
        Self { begins: false, ..self.clone() }
    }

    /// The next copy.
    pub fn next(&self) -> Self {
        Self { number: self.number + 1, ..self.clone() }
    }

    /// Starts this copy. Returns the next one and its delay, if there is to be one.
    pub fn begin(&mut self) -> Option<(Duration, Self)> {
        let next = self.next();
        if !std::mem::take(&mut self.begins) {
            return None;
        }
        let Copies { delay, most, state, .. } = &*self.copies;
        state.lock().running |= self.bit();
        (self.number < *most).then_some((*delay, next))
    }

    /// Whether it is not the first one.
    pub fn follows(&self) -> bool {
        self.number > 0
    }

    fn bit(&self) -> u64 {
        1 << self.number
    }

    /// Whether the statement was answered.
    pub fn is_over(&self) -> bool {
        self.copies.over.load(Relaxed)
    }

    /// Whether another copy is in flight.
    pub fn is_accompanied(&self) -> bool {
        self.copies.state.lock().running & !self.bit() != 0
    }

    /// The nodes to which the others were sent.
    pub fn nodes_of_others(&self) -> Vec<SocketAddr> {
        let state = self.copies.state.lock();
        let others = state.sent.iter().filter(|(number, _)| *number != self.number);
        others.map(|(_, node)| *node).collect()
    }

    /// Records that it is about to be sent to this node.
    pub fn goes_to(&self, node: SocketAddr) {
        let mut state = self.copies.state.lock();
        if !state.sent.contains(&(self.number, node)) {
            state.sent.push((self.number, node));
        }
    }

    /// Records that an attempt failed and another one follows.
    pub fn note(&self, error: &Error) {
        self.copies.state.lock().note(self.number, error);
    }

    /// Records that it was answered. If it is the first, returns the number of attempts of the
    /// others.
    pub fn wins(&self) -> Option<u32> {
        let state = self.copies.state.lock();
        let is_first = !self.copies.over.swap(true, Relaxed);
        is_first.then(|| self.attempts_of_others(&state))
    }

    fn attempts_of_others(&self, state: &CopiesState) -> u32 {
        let failed = state.failed.iter().filter(|(number, _)| *number != self.number).count();
        failed as u32 + (state.running & !self.bit()).count_ones()
    }

    /// Records that it failed for good. Returns the statement's error, if that has failed thereby.
    pub fn fails(&self, error: Error) -> Option<Error> {
        let mut state = self.copies.state.lock();
        if self.is_over() {
            return None;
        }
        state.running &= !self.bit();
        // There was no node for it, and the reason why it looked for one is already recorded.
        let is_withheld = error.kind() == Kind::NoNode && !state.sent.is_empty();
        if state.running != 0 && !concerns_all(&error) {
            if !is_withheld {
                state.in_doubt |= error.in_doubt();
                state.note(self.number, &error);
            }
            return None;
        }
        self.copies.over.store(true, Relaxed);
        let last = if is_withheld { state.failed.pop() } else { None };
        let (number, error) = last.unwrap_or((self.number, error));
        for (_, node) in state.waiting() {
            let message = format!("no answer came from node {node} before the statement was over");
            let error = Error::new(Kind::Timeout, message).on(node.to_string());
            state.failed.push((u32::MAX, error));
        }
        let others = state.failed.iter().filter(|(copy, _)| *copy != number).count() as u32;
        // A copy in flight may still be executed, even if another node returned an error.
        let may_be_applied = self.copies.writes && state.running != 0 && error.server().is_none();
        let in_doubt = error.in_doubt() || state.in_doubt || may_be_applied;
        let earlier = std::mem::take(&mut state.failed).into_iter().map(|(_, error)| error);
        let attempts = error.attempts() + others;
        Some(error.after(attempts, in_doubt).with_earlier(earlier.collect()))
    }
}

/// Whether an error is about the statement or its session, so that no other node would do better.
fn concerns_all(error: &Error) -> bool {
    match error.server() {
        Some(server) => matches!(
            server.code,
            Code::Protocol
                | Code::BadCredentials
                | Code::FunctionFailure
                | Code::Syntax
                | Code::Unauthorized
                | Code::Invalid
                | Code::Config
                | Code::AlreadyExists
        ),
        None => matches!(
            error.kind(),
            Kind::Timeout | Kind::Closed | Kind::Interrupted | Kind::Invalid | Kind::Authentication
        ),
    }
}

/// What waits for a statement's answer, shared by its copies if there are any.
#[derive(Debug)]
pub enum Share<W> {
    /// The statement has no copies.
    Own(W),
    /// The copy that is answered first takes it.
    Common(Arc<Mutex<Option<W>>>),
}

impl<W> Share<W> {
    /// The share of another copy.
    #[cold]
    pub fn share(&mut self) -> Self {
        let common = match std::mem::replace(self, Self::Common(Arc::default())) {
            Self::Own(waiting) => Arc::new(Mutex::new(Some(waiting))),
            Self::Common(common) => common,
        };
        *self = Self::Common(common.clone());
        Self::Common(common)
    }

    /// Calls `ask` with the waiting value; `None` if it was taken.
    #[inline]
    pub fn ask<R>(&self, ask: impl FnOnce(&W) -> R) -> Option<R> {
        match self {
            Self::Own(waiting) => Some(ask(waiting)),
            Self::Common(common) => common.lock().as_ref().map(ask),
        }
    }

    /// Calls `look` with the waiting value, unless it was taken or another copy is at it.
    pub fn look(&self, look: impl FnOnce(&W)) {
        match self {
            Self::Own(waiting) => look(waiting),
            Self::Common(common) => {
                if let Some(waiting) = common.try_lock().as_deref().and_then(Option::as_ref) {
                    look(waiting);
                }
            }
        }
    }

    /// Calls `update` with the waiting value, unless it was taken.
    pub fn update(&mut self, update: impl FnOnce(&mut W)) {
        match self {
            Self::Own(waiting) => update(waiting),
            Self::Common(common) => {
                if let Some(waiting) = &mut *common.lock() {
                    update(waiting);
                }
            }
        }
    }

    /// Takes the waiting value; `None` if it was taken already.
    #[inline]
    pub fn take(&mut self) -> Option<&mut W> {
        if let Self::Common(common) = self {
            let waiting = common.lock().take()?;
            *self = Self::Own(waiting);
        }
        match self {
            Self::Own(waiting) => Some(waiting),
            Self::Common(_) => None,
        }
    }

    /// Like [`Share::take`], by value.
    #[inline]
    pub fn into_own(self) -> Option<W> {
        match self {
            Self::Own(waiting) => Some(waiting),
            Self::Common(common) => common.lock().take(),
        }
    }
}

#[cfg(test)]
mod tests;
