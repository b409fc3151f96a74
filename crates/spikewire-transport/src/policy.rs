//! The limits of one command.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::clock::{Span, Tick};
use crate::metrics::Keeps;

/// When a command that starts now must be over.
pub fn deadline<R>(policy: &Policy<R>, now: Tick) -> Tick {
    if policy.timeout.is_zero() { Tick::NEVER } else { now.after(policy.timeout) }
}

/// How a command chooses among nodes.
pub trait Preference: Copy + std::fmt::Debug {
    /// Whether a retry may go to another node.
    fn moves_on(self) -> bool;
}

/// The limits of one command, which carries them: they take as little room as they can.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy<R> {
    /// Total time for the command with all its retries; zero: no limit.
    pub timeout: Duration,
    /// Longest silence on a socket before the attempt is given up; zero: no limit.
    pub socket_timeout: Span,
    /// Further attempts after the first one.
    pub max_retries: u32,
    /// Pause before a retry on the same node; the first of them where pauses grow.
    pub sleep: Span,
    /// [`Backoff::multiplier`].
    pub multiplier: f32,
    /// [`Backoff::longest`].
    pub longest: Span,
    /// [`Backoff::jitter`].
    pub jitter: bool,
    /// Whether a write that may have been applied is tried again.
    pub retry_in_doubt: bool,
    /// What is kept of it, as far as that is decided.
    pub keeps: Keeps,
    /// Choice of replica.
    pub replica: R,
}

impl<R: Default> Default for Policy<R> {
    /// 1 s in total, 2 retries, no pause, writes in doubt are not repeated.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(1),
            socket_timeout: Span::ZERO,
            max_retries: 2,
            sleep: Span::ZERO,
            multiplier: 1.0,
            longest: Span::ZERO,
            jitter: false,
            retry_in_doubt: false,
            keeps: Keeps::default(),
            replica: R::default(),
        }
    }
}

impl<R> Policy<R> {
    /// How pauses grow and vary.
    pub fn backoff(&self) -> Backoff {
        let Self { multiplier, longest, jitter, .. } = *self;
        Backoff { multiplier, longest: longest.into(), jitter }
    }

    /// Says that anew.
    pub fn set_backoff(&mut self, backoff: Backoff) {
        let Backoff { multiplier, longest, jitter } = backoff;
        (self.multiplier, self.longest, self.jitter) = (multiplier, longest.into(), jitter);
    }

    /// The pause before the next attempt on the same node, where so many were `made` and the
    /// command moved on to another replica by `step`. The first move needs no pause.
    pub fn pause(&self, made: u32, step: u32) -> Duration {
        let earlier = made.saturating_sub(1 + u32::from(step > 0));
        self.backoff().pause(self.sleep.into(), earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_move_to_another_replica_is_no_pause() {
        let ms = Duration::from_millis(1);
        let mut policy = Policy::<()> { sleep: ms.into(), ..Policy::default() };
        policy.set_backoff(Backoff { multiplier: 3.0, ..Backoff::default() });
        assert_eq!([policy.pause(1, 0), policy.pause(2, 0)], [ms, 3 * ms]);
        assert_eq!([policy.pause(2, 1), policy.pause(3, 2)], [ms, 3 * ms]);
    }
}
