//! Waiting, with regular checks for signals.

use std::thread;
use std::time::Duration;

use crate::clock::Tick;
use crate::fault::{Fault, FaultKind};

/// How often a caller that can be interrupted checks for signals. A signal that arrives just before
/// a wait does not end that wait.
pub const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// How long a caller waits, and how it can be interrupted.
#[derive(Clone, Copy)]
pub struct CallerLimits<'a> {
    /// The time at the start of the call.
    pub now: Tick,
    /// When its commands time out.
    pub deadline: Tick,
    /// Whether its commands must not share connections with those of other callers.
    pub alone: bool,
    /// Whether it must not be late by a few milliseconds, which takes more system calls.
    pub punctual: bool,
    /// Runs the handlers of pending signals; returns whether the caller gives up.
    pub interrupted: Option<&'a dyn Fn() -> bool>,
}

/// When a caller last checked for signals.
pub(super) struct SignalCheck<'a> {
    interrupted: Option<&'a dyn Fn() -> bool>,
    looked: Tick,
}

impl<'a> SignalCheck<'a> {
    pub fn new(interrupted: Option<&'a dyn Fn() -> bool>, now: Tick) -> Self {
        Self { interrupted, looked: now }
    }

    /// Limits a wait so that signals are checked in time.
    pub fn bound(&self, wait: Duration) -> Duration {
        if self.interrupted.is_some() { wait.min(SIGNAL_POLL) } else { wait }
    }

    /// Whether it is time to check.
    pub fn is_due(&self, now: Tick) -> bool {
        self.interrupted.is_some() && self.looked.after(SIGNAL_POLL) <= now
    }

    /// A signal ended a wait: check now.
    pub fn hurry(&mut self) {
        self.looked = Tick(0);
    }

    /// Runs the handlers of pending signals. Must not be called while others wait for this thread:
    /// a handler may be slow, or make a call of its own.
    pub fn look(&mut self) -> Result<(), Fault> {
        let is_interrupted = self.interrupted.is_some_and(|interrupted| interrupted());
        self.looked = Tick::now();
        if is_interrupted { Err(interruption()) } else { Ok(()) }
    }
}

/// Sleeps until `at`.
pub fn pause(at: Tick, interrupted: Option<&dyn Fn() -> bool>) -> Result<(), Fault> {
    let mut now = Tick::now();
    let mut signals = SignalCheck::new(interrupted, now);
    while now < at {
        thread::sleep(signals.bound(at.since(now)));
        now = Tick::now();
        if signals.is_due(now) {
            signals.look()?;
        }
    }
    Ok(())
}

fn interruption() -> Fault {
    Fault::new(FaultKind::Withdrawn, "a signal interrupted the call")
}
