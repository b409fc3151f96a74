//! A limit on concurrent calls. Threads that exceed it wait in a queue.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicU8, Ordering::Acquire, Ordering::Release};
use spikewire_sync::thread::{self, Thread};

use crate::clock::Tick;

/// How often a waiting thread checks for signals.
pub const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// How long free permits are withheld from waiting callers, so that several are admitted together.
const WITHHELD: Duration = Duration::from_millis(2);

/// Parks this thread for `span`, but at most for `most`.
pub fn park(span: Duration, most: Option<Duration>) {
    match span.min(most.unwrap_or(Duration::MAX)) {
        Duration::MAX => thread::park(),
        span => thread::park_timeout(span),
    }
}

/// A bounded number of permits.
#[derive(Debug)]
pub struct Permits {
    limit: usize,
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    in_use: usize,
    /// In order of arrival.
    waiting: VecDeque<Arc<Waiting>>,
    closed: bool,
}

/// A thread that waits for a permit.
#[derive(Debug)]
struct Waiting {
    thread: Thread,
    answer: AtomicU8,
}

const NONE: u8 = 0;
const LET_IN: u8 = 1;
const CLOSED: u8 = 2;

/// The right to have one call in flight; dropping it makes room.
#[derive(Debug)]
pub struct Permit(Arc<Permits>);

/// Why no permit was issued.
#[derive(Debug, PartialEq, Eq)]
pub enum PermitError {
    /// None was free before the deadline.
    Late,
    /// The caller was interrupted.
    Interrupted,
    /// No more permits are issued.
    Closed,
}

impl Permits {
    /// A set of `limit` permits.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, line: Mutex::default() })
    }

    /// How many there are.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes a permit if one is free and no caller is waiting.
    pub fn enter(self: &Arc<Self>) -> Option<Permit> {
        let mut line = self.line.lock();
        if line.closed || line.in_use >= self.limit || !line.waiting.is_empty() {
            return None;
        }
        line.in_use += 1;
        Some(Permit(self.clone()))
    }

    /// Waits in the queue until the deadline or until `interrupted` returns `true`.
    pub fn wait(
        self: &Arc<Self>,
        deadline: Tick,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> Result<Permit, PermitError> {
        let own = Arc::new(Waiting { thread: thread::current(), answer: AtomicU8::new(NONE) });
        {
            let mut line = self.line.lock();
            if line.closed {
                return Err(PermitError::Closed);
            }
            // Permits may have been returned since `enter`, and possibly none will be returned
            // after this.
            if line.waiting.is_empty() && line.in_use < self.limit {
                line.in_use += 1;
                return Ok(Permit(self.clone()));
            }
            line.waiting.push_back(own.clone());
        }
        let (mut parked, mut admits_at) = (false, None);
        loop {
            match own.answer.load(Acquire) {
                LET_IN => return Ok(Permit(self.clone())),
                CLOSED => return Err(PermitError::Closed),
                _ => {}
            }
            let now = Tick::now();
            let error = if now >= deadline {
                Some(PermitError::Late)
            } else if parked && interrupted.is_some_and(|interrupted| interrupted()) {
                Some(PermitError::Interrupted)
            } else {
                None
            };
            if let Some(error) = error {
                if self.leave(&own) {
                    return Err(error);
                }
                // A permit was granted at the last moment: an interrupted caller returns it at
                // once.
                if error == PermitError::Interrupted && own.answer.load(Acquire) == LET_IN {
                    drop(Permit(self.clone()));
                    return Err(error);
                }
                continue;
            }
            // The first in the queue sees to it that free permits are not withheld for long: if the
            // calls in flight hang, no other permit is returned.
            if !self.withholds_from(&own) {
                admits_at = None;
            } else if *admits_at.get_or_insert(now.after(WITHHELD)) <= now {
                self.line.lock().admit(self.limit);
                continue;
            }
            parked = true;
            let next = deadline.min(admits_at.unwrap_or(Tick::NEVER));
            park(next.since(now), interrupted.is_some().then_some(SIGNAL_POLL));
        }
    }

    /// Leaves the queue; returns `false` if the caller was already taken out of it.
    fn leave(&self, own: &Arc<Waiting>) -> bool {
        let mut line = self.line.lock();
        let at = line.waiting.iter().position(|other| Arc::ptr_eq(other, own));
        let left = at.and_then(|at| line.waiting.remove(at)).is_some();
        if left && line.in_use < self.limit {
            line.wake_first();
        }
        left
    }

    /// Whether this caller is the first in the queue and a permit is free.
    fn withholds_from(&self, own: &Arc<Waiting>) -> bool {
        let line = self.line.lock();
        line.in_use < self.limit && line.waiting.front().is_some_and(|it| Arc::ptr_eq(it, own))
    }

    fn give_back(&self) {
        let mut line = self.line.lock();
        line.in_use -= 1;
        // Waiting callers are admitted when there is room for several calls, not one by one: waking
        // a thread for every reply costs more than the call it then makes. The first is told of the
        // first free permit, and does not wait for long.
        if line.in_use <= self.limit - self.limit / 8 {
            line.admit(self.limit);
        } else if line.in_use + 1 == self.limit {
            line.wake_first();
        }
    }

    /// Stops issuing permits.
    pub fn close(&self) {
        let mut line = self.line.lock();
        line.closed = true;
        for own in line.waiting.drain(..) {
            own.notify(CLOSED);
        }
    }
}

impl Line {
    /// Admits as many waiting callers as there are free permits.
    fn admit(&mut self, limit: usize) {
        while self.in_use < limit
            && let Some(own) = self.waiting.pop_front()
        {
            self.in_use += 1;
            own.notify(LET_IN);
        }
    }

    /// Wakes the first in the queue, to look at the free permits.
    fn wake_first(&self) {
        if let Some(first) = self.waiting.front() {
            first.thread.unpark();
        }
    }
}

impl Waiting {
    fn notify(&self, answer: u8) {
        self.answer.store(answer, Release);
        self.thread.unpark();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::thread;

    #[test]
    fn a_returned_permit_goes_to_the_queue() {
        let permits = Permits::new(1);
        let first = permits.enter().unwrap();
        assert!(permits.enter().is_none());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| permits.wait(Tick::NEVER, None).is_ok());
            while permits.line.lock().waiting.is_empty() {
                thread::yield_now();
            }
            drop(first);
            assert!(waiting.join().unwrap());
        });
        assert!(permits.enter().is_some(), "all came back");
    }

    /// Stands for every wake-up that is batched by count: it must be bounded in time, too.
    #[test]
    fn a_free_permit_is_used_while_all_other_calls_hang() {
        let permits = Permits::new(64);
        let mut held: Vec<_> = (0..64).map(|_| permits.enter().unwrap()).collect();
        thread::scope(|scope| {
            let wait = || permits.wait(Tick::NEVER, None).is_ok();
            let waiting = [scope.spawn(wait), scope.spawn(wait)];
            while permits.line.lock().waiting.len() < 2 {
                thread::yield_now();
            }
            // One of 64, far less than a batch; the first who waits returns it to the second.
            held.pop();
            assert!(waiting.into_iter().all(|thread| thread.join().unwrap()));
        });
        drop(held);
        assert_eq!(permits.line.lock().in_use, 0);
    }

    #[test]
    fn waiting_ends_by_permit_deadline_interrupt_or_close() {
        let permits = Permits::new(1);
        let held = permits.enter();
        assert_eq!(permits.wait(Tick(0), None).unwrap_err(), PermitError::Late);
        let checks = Cell::new(0);
        let interrupted = || {
            checks.set(checks.get() + 1);
            checks.get() == 2
        };
        assert_eq!(
            permits.wait(Tick::NEVER, Some(&interrupted)).unwrap_err(),
            PermitError::Interrupted
        );
        permits.close();
        assert_eq!(permits.wait(Tick::NEVER, None).unwrap_err(), PermitError::Closed);
        drop(held);
        assert!(permits.enter().is_none() && permits.line.lock().waiting.is_empty());
    }
}
