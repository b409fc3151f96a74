//! Whether a failed attempt is followed by another, and whether a write is in doubt.

use spikewire_protocol::result_code::ResultCode;

use crate::clock::Tick;
use crate::error::{Error, Kind};
use crate::options::{Policy, ReplicaPolicy};

/// How one attempt ended badly.
#[derive(Debug)]
pub enum Failure {
    /// Nothing left this machine: no connection, no place, no node.
    NotSent(Error),
    /// The request was written, and no whole answer came.
    Lost(Error),
    /// The server answered with a code.
    Refused(ResultCode),
}

/// What was tried so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Attempts made, counting the one under way.
    pub made: u32,
    /// Replicas to move on by for the next attempt.
    pub step: u32,
    /// Whether an attempt to write may have been applied.
    pub in_doubt: bool,
}

/// What follows a failed attempt.
#[derive(Debug)]
pub enum Verdict {
    /// Try again, at this time.
    Retry(Tick),
    /// Tell the caller.
    Fail(Error),
}

impl Attempts {
    /// Records how the latest attempt failed and decides what follows.
    pub fn failed(
        &mut self,
        failure: Failure,
        write: bool,
        policy: &Policy,
        deadline: Tick,
        now: Tick,
    ) -> Verdict {
        let (error, retryable, moves_on) = match failure {
            Failure::NotSent(error) => {
                let waits_in_vain = matches!(
                    error.kind(),
                    Kind::NoNamespace | Kind::Closed | Kind::Invalid | Kind::Busy
                );
                (error, !waits_in_vain, true)
            }
            Failure::Lost(error) => {
                self.in_doubt |= write;
                (error, !write || policy.retry_in_doubt, true)
            }
            Failure::Refused(code) => {
                // The server's own timeout says nothing about whether it wrote.
                let doubt = write && code == ResultCode::TIMEOUT;
                self.in_doubt |= doubt;
                let retryable = code.is_retryable() && (!doubt || policy.retry_in_doubt);
                (Error::server(code), retryable, code != ResultCode::TIMEOUT || !write)
            }
        };
        if !retryable || self.made > policy.max_retries {
            return Verdict::Fail(self.dress(error));
        }
        let rotates = moves_on && policy.replica != ReplicaPolicy::Master;
        // A different replica is worth trying at once, but only the first time round.
        let at = if rotates && self.step == 0 { now } else { now.after(policy.sleep) };
        self.step += u32::from(rotates);
        if at >= deadline {
            return Verdict::Fail(self.dress(error));
        }
        Verdict::Retry(at)
    }

    /// The error of a command whose total deadline passed; `sent` tells whether the attempt under
    /// way had been written.
    pub fn timed_out(&mut self, write: bool, sent: bool, policy: &Policy) -> Error {
        self.in_doubt |= write && sent;
        let limit = policy.timeout.as_secs_f64();
        let place = if sent { "no answer came" } else { "it was still waiting to be sent" };
        self.dress(Error::new(
            Kind::Timeout,
            format!("the command's total timeout of {limit} s passed: {place}"),
        ))
    }

    /// Adds what was tried to an error.
    pub fn dress(&self, error: Error) -> Error {
        error.after(self.made, self.in_doubt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const NOW: Tick = Tick(1_000);

    fn policy() -> Policy {
        Policy { max_retries: 1, sleep: Duration::from_nanos(10), ..Policy::default() }
    }

    fn lost() -> Failure {
        Failure::Lost(Error::new(Kind::Connection, "cut"))
    }

    fn not_sent() -> Failure {
        Failure::NotSent(Error::new(Kind::Connection, "refused"))
    }

    fn fails(verdict: Verdict) -> Error {
        match verdict {
            Verdict::Fail(error) => error,
            Verdict::Retry(at) => panic!("retried at {at:?}"),
        }
    }

    #[test]
    fn a_lost_read_moves_to_the_next_replica_at_once() {
        let mut attempts = Attempts { made: 1, ..Attempts::default() };
        let verdict = attempts.failed(lost(), false, &policy(), Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(NOW)));
        assert_eq!((attempts.step, attempts.in_doubt), (1, false));
        attempts.made = 2;
        let error = fails(attempts.failed(lost(), false, &policy(), Tick::NEVER, NOW));
        assert_eq!((error.attempts(), error.in_doubt()), (2, false));
    }

    #[test]
    fn a_lost_write_is_in_doubt_and_only_repeated_on_request() {
        let mut attempts = Attempts { made: 1, ..Attempts::default() };
        let error = fails(attempts.failed(lost(), true, &policy(), Tick::NEVER, NOW));
        assert!(error.in_doubt());
        let mut attempts = Attempts { made: 1, ..Attempts::default() };
        let policy = Policy { retry_in_doubt: true, ..policy() };
        assert!(matches!(
            attempts.failed(lost(), true, &policy, Tick::NEVER, NOW),
            Verdict::Retry(_)
        ));
        attempts.made = 2;
        // The second attempt is refused for good, but the first may still have been applied.
        let refused = Failure::Refused(ResultCode::GENERATION);
        let error = fails(attempts.failed(refused, true, &policy, Tick::NEVER, NOW));
        assert!(error.in_doubt());
    }

    #[test]
    fn a_write_that_never_left_is_retried_and_not_in_doubt() {
        let mut attempts = Attempts { made: 1, ..Attempts::default() };
        let verdict = attempts.failed(not_sent(), true, &policy(), Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(_)));
        attempts.made = 2;
        assert!(!fails(attempts.failed(not_sent(), true, &policy(), Tick::NEVER, NOW)).in_doubt());
    }

    #[test]
    fn codes() {
        let ask = |code, write| {
            let mut attempts = Attempts { made: 1, ..Attempts::default() };
            let verdict =
                attempts.failed(Failure::Refused(code), write, &policy(), Tick::NEVER, NOW);
            (matches!(verdict, Verdict::Retry(_)), attempts.in_doubt)
        };
        assert_eq!(ask(ResultCode::PARTITION_UNAVAILABLE, true), (true, false));
        assert_eq!(ask(ResultCode::TIMEOUT, false), (true, false));
        assert_eq!(ask(ResultCode::TIMEOUT, true), (false, true));
        assert_eq!(ask(ResultCode::NOT_FOUND, false), (false, false));
    }

    #[test]
    fn no_retry_is_planned_beyond_the_deadline() {
        let mut attempts = Attempts { made: 1, step: 1, in_doubt: false };
        fails(attempts.failed(lost(), false, &policy(), Tick(1_005), NOW));
    }

    #[test]
    fn the_master_policy_stays_and_sleeps() {
        let policy = Policy { replica: ReplicaPolicy::Master, ..policy() };
        let mut attempts = Attempts { made: 1, ..Attempts::default() };
        let verdict = attempts.failed(lost(), false, &policy, Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(Tick(1_010))));
        assert_eq!(attempts.step, 0);
    }
}
