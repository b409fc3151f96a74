//! What a command is, whatever drives it: where it goes, when it is tried again, and whether a
//! failed write may have been applied.
//!
//! | module | what it holds |
//! |---|---|
//! | here | a command on one record |
//! | `route` | which node it goes to |
//! | `retry` | whether a failed attempt is followed by another, and what is in doubt |
//! | [`batch`] | many records in one call |
//! | `underway` | a batch, for drivers of many commands |
//! | [`query`] | scans and index queries |
//! | `function` | a function that the cluster runs on records |

pub mod batch;
mod function;
pub mod query;
mod retry;
mod route;
mod underway;

pub use function::Function;
pub use retry::{Attempts, Failure, Verdict};
pub use route::{Aim, Router, Target};
pub use underway::{Step, Underway};

use crate::clock::Tick;
use crate::options::Policy;
use crate::transport::Collect;

/// A request on its way, owned by the transport until `ticket` is completed.
#[derive(Debug)]
pub struct Command<T> {
    /// The whole request frame.
    pub bytes: Vec<u8>,
    /// Which record it is about.
    pub target: Target,
    /// Its limits.
    pub policy: Policy,
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
    /// Who is told.
    pub ticket: T,
}

impl<T> Command<T> {
    /// A command that starts now.
    pub fn new(bytes: Vec<u8>, target: Target, policy: Policy, now: Tick, ticket: T) -> Self {
        let deadline = deadline(&policy, now);
        let attempts = Attempts::default();
        let (start, stream, rows) = (now, false, 1);
        Self { bytes, target, policy, start, deadline, stream, rows, attempts, ticket }
    }

    /// The same command with somebody else to be told.
    pub fn map<U>(self, ticket: impl FnOnce(T) -> U) -> Command<U> {
        let Self { bytes, target, policy, start, deadline, stream, rows, attempts, .. } = self;
        let ticket = ticket(self.ticket);
        Command { bytes, target, policy, start, deadline, stream, rows, attempts, ticket }
    }
}

impl<T: Collect> Command<T> {
    /// Whether nobody waits for it any longer.
    pub fn is_over(&self, now: Tick) -> bool {
        self.deadline <= now || self.ticket.is_withdrawn()
    }
}

/// When a command that starts now must be over.
pub fn deadline(policy: &Policy, now: Tick) -> Tick {
    if policy.timeout.is_zero() { Tick::NEVER } else { now.after(policy.timeout) }
}
