//! How many submitted calls are in flight at once; whoever comes when it is full waits in line.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Acquire, Ordering::Release};
use std::thread::{self, Thread};

use spikewire_sync::Mutex;

use spikewire_engine::clock::Tick;

use super::GLANCE;

/// A bounded number of permits.
#[derive(Debug)]
pub(super) struct Window {
    limit: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    taken: usize,
    /// First come, first served.
    line: VecDeque<Arc<Seat>>,
    closed: bool,
}

/// A place in the line.
#[derive(Debug)]
struct Seat {
    thread: Thread,
    news: AtomicU8,
}

const WAITING: u8 = 0;
const LET_IN: u8 = 1;
const CLOSED: u8 = 2;

/// The right to have one call in flight; dropping it makes room.
#[derive(Debug)]
pub(super) struct Permit(Arc<Window>);

/// Why there is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Late,
    Interrupted,
    Closed,
}

impl Window {
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, state: Mutex::default() })
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// A permit if there is one and nobody waits for it.
    pub fn enter(self: &Arc<Self>) -> Option<Permit> {
        let mut state = self.state.lock();
        if state.closed || state.taken >= self.limit || !state.line.is_empty() {
            return None;
        }
        state.taken += 1;
        Some(Permit(self.clone()))
    }

    /// Waits in line, up to the deadline or until `interrupted` says to give up.
    pub fn wait(
        self: &Arc<Self>,
        deadline: Tick,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> Result<Permit, Refused> {
        let seat = Arc::new(Seat { thread: thread::current(), news: AtomicU8::new(WAITING) });
        {
            let mut state = self.state.lock();
            if state.closed {
                return Err(Refused::Closed);
            }
            // Permits may have come back since `enter`; who gives the next one back need not.
            if state.line.is_empty() && state.taken < self.limit {
                state.taken += 1;
                return Ok(Permit(self.clone()));
            }
            state.line.push_back(seat.clone());
        }
        let mut parked = false;
        loop {
            match seat.news.load(Acquire) {
                LET_IN => return Ok(Permit(self.clone())),
                CLOSED => return Err(Refused::Closed),
                _ => {}
            }
            let now = Tick::now();
            let refused = if now >= deadline {
                Some(Refused::Late)
            } else if parked && interrupted.is_some_and(|interrupted| interrupted()) {
                Some(Refused::Interrupted)
            } else {
                None
            };
            if let Some(refused) = refused {
                if self.leave(&seat) {
                    return Err(refused);
                }
                // Let in at the last moment: an interrupted caller gives the permit back at once.
                if refused == Refused::Interrupted && seat.news.load(Acquire) == LET_IN {
                    drop(Permit(self.clone()));
                    return Err(refused);
                }
                continue;
            }
            parked = true;
            super::park(deadline.since(now), interrupted.is_some().then_some(GLANCE));
        }
    }

    /// Gives up a place in the line; `false` when it was called already.
    fn leave(&self, seat: &Arc<Seat>) -> bool {
        let mut state = self.state.lock();
        let at = state.line.iter().position(|other| Arc::ptr_eq(other, seat));
        at.and_then(|at| state.line.remove(at)).is_some()
    }

    fn give_back(&self) {
        let mut state = self.state.lock();
        state.taken -= 1;
        // Whoever waits is let in when there is room for several calls, not one by one: a thread
        // that wakes for every reply costs more than the call it then makes.
        if state.line.is_empty() || state.taken > self.limit - self.limit / 8 {
            return;
        }
        while state.taken < self.limit
            && let Some(seat) = state.line.pop_front()
        {
            state.taken += 1;
            seat.tell(LET_IN);
        }
    }

    /// Nobody is let in any more.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        for seat in state.line.drain(..) {
            seat.tell(CLOSED);
        }
    }
}

impl Seat {
    fn tell(&self, news: u8) {
        self.news.store(news, Release);
        self.thread.unpark();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
