//! Copies of a statement that are sent to further nodes while no answer comes.
//!
//! Only what is known to be idempotent has copies, and only of what reads or writes rows: no
//! counters, no changes of the schema, no `USE`, nothing that names its node. The rules:
//!
//! - A copy begins when the one before it began so long ago, up to so many. It goes to the next
//!   node of the plan to which no other copy was sent; where none is left, it does not begin.
//! - The first answer is the statement's. From then on the other copies are withdrawn: what comes
//!   for them is dropped, and until then their ids are taken.
//! - What an attempt failed with is tried again by the same copy, as often as a statement without
//!   copies would be, on a node that no copy was sent to. Where none is left, the copy ends if
//!   another one is on its way, and begins the plan anew if not.
//! - A refusal that is about the statement ends it at once, and so do its deadline, which is one for
//!   all copies, and the end of the session. Any other failure ends its copy only, as long as
//!   another one is on its way; the last copy's is the statement's. One that has not begun
//!   is not waited for: copies are there for slow nodes, retries for failures.
//! - The attempts of all copies are counted together, and what they failed with is told together.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use spikewire_cql::response::Code;
use spikewire_sync::Mutex;

use crate::error::{Error, Kind};

/// What the copies of a statement have in common.
#[derive(Debug)]
struct Copies {
    delay: Duration,
    /// How many there may be besides the first.
    most: u32,
    writes: bool,
    over: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Those on their way, a bit for each.
    running: u64,
    /// Where copies were sent.
    sent: Vec<(u32, SocketAddr)>,
    /// How attempts failed that were not the last.
    failed: Vec<(u32, Error)>,
    /// Whether a write of a copy that ended may have been applied.
    in_doubt: bool,
}

impl State {
    fn note(&mut self, number: u32, error: &Error) {
        self.failed.extend(error.alone().map(|error| (number, error)));
    }

    /// The copies on their way, and where each was sent last.
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
    /// Whether it is still to begin.
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

    /// The same copy, where its requests follow on others.
    pub fn begun(&self) -> Self {
        Self { begins: false, ..self.clone() }
    }

    /// The one after it.
    pub fn next(&self) -> Self {
        Self { number: self.number + 1, ..self.clone() }
    }

    /// It begins; the one after it and when that is to begin, if there is to be one.
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

    /// Whether the statement has its answer.
    pub fn is_over(&self) -> bool {
        self.copies.over.load(Relaxed)
    }

    /// Whether another one is on its way.
    pub fn is_accompanied(&self) -> bool {
        self.copies.state.lock().running & !self.bit() != 0
    }

    /// Where the others were sent.
    pub fn taken(&self) -> Vec<SocketAddr> {
        let state = self.copies.state.lock();
        let others = state.sent.iter().filter(|(number, _)| *number != self.number);
        others.map(|(_, node)| *node).collect()
    }

    /// It is about to be sent to this node.
    pub fn goes_to(&self, node: SocketAddr) {
        let mut state = self.copies.state.lock();
        if !state.sent.contains(&(self.number, node)) {
            state.sent.push((self.number, node));
        }
    }

    /// An attempt failed, and another one follows.
    pub fn note(&self, error: &Error) {
        self.copies.state.lock().note(self.number, error);
    }

    /// It was answered: how often the others were attempted, if it is the first one.
    pub fn wins(&self) -> Option<u32> {
        let state = self.copies.state.lock();
        let is_first = !self.copies.over.swap(true, Relaxed);
        is_first.then(|| self.attempts_of_others(&state))
    }

    fn attempts_of_others(&self, state: &State) -> u32 {
        let failed = state.failed.iter().filter(|(number, _)| *number != self.number).count();
        failed as u32 + (state.running & !self.bit()).count_ones()
    }

    /// It failed for good: the statement's error, if that has failed by it.
    pub fn fails(&self, error: Error) -> Option<Error> {
        let mut state = self.copies.state.lock();
        if self.is_over() {
            return None;
        }
        state.running &= !self.bit();
        // There was no node for it: why it was looking for one is known.
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
        // What a copy on its way may do, a refusal by another node leaves open as well.
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
    pub fn twin(&mut self) -> Self {
        let common = match std::mem::replace(self, Self::Common(Arc::default())) {
            Self::Own(waiting) => Arc::new(Mutex::new(Some(waiting))),
            Self::Common(common) => common,
        };
        *self = Self::Common(common.clone());
        Self::Common(common)
    }

    /// Asks what waits; `None` when it was taken.
    #[inline]
    pub fn ask<R>(&self, ask: impl FnOnce(&W) -> R) -> Option<R> {
        match self {
            Self::Own(waiting) => Some(ask(waiting)),
            Self::Common(common) => common.lock().as_ref().map(ask),
        }
    }

    /// Tells it something, unless it was taken.
    pub fn tell(&mut self, tell: impl FnOnce(&mut W)) {
        match self {
            Self::Own(waiting) => tell(waiting),
            Self::Common(common) => {
                if let Some(waiting) = &mut *common.lock() {
                    tell(waiting);
                }
            }
        }
    }

    /// Takes it; `None` when it was taken.
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

    /// The same for good.
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
