//! The limits of one command.

use std::time::Duration;

use crate::clock::Tick;

/// When a command that starts now must be over.
pub fn deadline<R>(policy: &Policy<R>, now: Tick) -> Tick {
    if policy.timeout.is_zero() { Tick::NEVER } else { now.after(policy.timeout) }
}

/// How a command chooses among nodes.
pub trait Preference: Copy + std::fmt::Debug {
    /// Whether a retry may go to another node.
    fn moves_on(self) -> bool;
}

/// The limits of one command.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy<R> {
    /// Total time for the command with all its retries; zero: no limit.
    pub timeout: Duration,
    /// Longest silence on a socket before the attempt is given up; zero: no limit.
    pub socket_timeout: Duration,
    /// Further attempts after the first one.
    pub max_retries: u32,
    /// Pause before a retry on the same node.
    pub sleep: Duration,
    /// Whether a write that may have been applied is tried again.
    pub retry_in_doubt: bool,
    /// Choice of replica.
    pub replica: R,
}

impl<R: Default> Default for Policy<R> {
    /// 1 s in total, 2 retries, no pause, writes in doubt are not repeated.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1),
            socket_timeout: Duration::ZERO,
            max_retries: 2,
            sleep: Duration::ZERO,
            retry_in_doubt: false,
            replica: R::default(),
        }
    }
}
