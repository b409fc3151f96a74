//! Trying a whole transaction again after a conflict with another one: which errors, how often, for
//! how long, and after which pauses.
//!
//! | error | what follows |
//! |---|---|
//! | a record of it has changed ([`ResultCode::TRANSACTION_VERSION`]) | again, at once |
//! | a commit whose verification failed for that, or for a lock | again, at once |
//! | a record is locked ([`ResultCode::TRANSACTION_BLOCKED`]) | again, after a pause that grows |
//! | the same in doubt: what was sent may have been applied | nothing, the error is raised |
//! | any other, of servers, of the function, or of a commit that may have been marked | the same |
//!
//! A commit in doubt is never tried again as a whole, because the first one may have taken effect:
//! only committing the same transaction again tells.

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_options::OptionValue;

use super::ending::{CommitError, EndingPart};
use crate::model::InvalidArgument;
use crate::query::task_id;

/// The first pause after a record was locked, and the longest; each is drawn between half of it and
/// the whole.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How often, and how long, a whole transaction is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryOptions {
    /// How often it is tried in all, at least once. Default: 10.
    pub attempts: u32,
    /// No attempt begins after this time; zero: no limit. Default: 30 s.
    pub limit: Duration,
}

impl Default for RetryOptions {
    fn default() -> Self {
        Self { attempts: 10, limit: Duration::from_secs(30) }
    }
}

impl RetryOptions {
    /// From a host's values; `None` for the default.
    pub fn of<V: OptionValue>(attempts: Option<&V>, limit: Option<&V>) -> Result<Self, V::Error> {
        let mut options = Self::default();
        if let Some(attempts) = attempts {
            options.attempts = attempts.count("attempts", (1, u64::from(u32::MAX)))? as u32;
        }
        if let Some(limit) = limit {
            options.limit = limit.span("limit")?;
        }
        Ok(options)
    }
}

/// An error that ended a transaction, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    /// Its code.
    pub code: i32,
    /// The part of the commit that failed; `None` for an error of a call.
    pub part: Option<EndingPart>,
    /// Whether what failed may have taken effect.
    pub in_doubt: bool,
}

impl From<&CommitError> for Failure {
    fn from(failure: &CommitError) -> Self {
        let CommitError { part, error, .. } = failure;
        Self { code: error.kind().code(), part: *part, in_doubt: error.in_doubt() }
    }
}

/// The attempts of one transaction.
#[derive(Debug, Clone)]
pub struct Retries {
    left: u32,
    ends: Option<Instant>,
    pause: Duration,
}

impl Retries {
    /// Begins with the first attempt.
    pub fn new(options: RetryOptions, now: Instant) -> Result<Self, InvalidArgument> {
        let RetryOptions { attempts, limit } = options;
        let left = attempts.checked_sub(1);
        let left = left.ok_or_else(|| InvalidArgument::of_value("attempts must be at least 1"))?;
        let ends = if limit.is_zero() { None } else { now.checked_add(limit) };
        Ok(Self { left, ends, pause: FIRST_PAUSE })
    }

    /// The pause before the next attempt; `None` if there is none.
    pub fn pause(&mut self, failure: &Failure, now: Instant) -> Option<Duration> {
        if self.left == 0 || failure.in_doubt || self.ends.is_some_and(|ends| now >= ends) {
            return None;
        }
        let pause = match (ResultCode(u8::try_from(failure.code).ok()?), failure.part) {
            (
                ResultCode::TRANSACTION_VERSION | ResultCode::TRANSACTION_BLOCKED,
                Some(EndingPart::Verify),
            )
            | (ResultCode::TRANSACTION_VERSION, None) => Duration::ZERO,
            (ResultCode::TRANSACTION_BLOCKED, None) => self.draw(),
            _ => return None,
        };
        if self.ends.is_some_and(|ends| now + pause >= ends) {
            return None;
        }
        self.left -= 1;
        Some(pause)
    }

    fn draw(&mut self) -> Duration {
        let share =
            (task_id().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24);
        let pause = self.pause.mul_f64(0.5 + share / 2.0);
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: ResultCode, part: Option<EndingPart>) -> Failure {
        Failure { code: i32::from(code.0), part, in_doubt: false }
    }

    fn begin(attempts: u32, limit: u64) -> (Retries, Instant) {
        let (now, limit) = (Instant::now(), Duration::from_secs(limit));
        (Retries::new(RetryOptions { attempts, limit }, now).unwrap(), now)
    }

    #[test]
    fn conflicts_are_tried_again_and_nothing_else() {
        let pause = |failure: Failure| {
            let (mut retries, now) = begin(2, 0);
            retries.pause(&failure, now)
        };
        let verify = Some(EndingPart::Verify);
        let (changed, locked) = (ResultCode::TRANSACTION_VERSION, ResultCode::TRANSACTION_BLOCKED);
        assert_eq!(pause(failure(changed, None)), Some(Duration::ZERO));
        assert_eq!(pause(failure(changed, verify)), Some(Duration::ZERO));
        assert_eq!(pause(failure(locked, verify)), Some(Duration::ZERO));
        let drawn = pause(failure(locked, None)).unwrap();
        assert!(drawn >= FIRST_PAUSE / 2 && drawn <= FIRST_PAUSE);
        for code in (0..=u8::MAX).filter(|code| !(120..=121).contains(code)) {
            assert_eq!(pause(failure(ResultCode(code), None)), None);
            assert_eq!(pause(failure(ResultCode(code), verify)), None);
        }
        for code in (0..=u8::MAX).map(ResultCode) {
            assert_eq!(pause(failure(code, Some(EndingPart::Mark))), None);
            for part in [None, verify] {
                let in_doubt = Failure { in_doubt: true, ..failure(code, part) };
                assert_eq!(pause(in_doubt), None);
            }
        }
        // Errors of the client have codes below zero.
        assert_eq!(pause(Failure { code: -9, part: None, in_doubt: false }), None);
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        let (mut retries, now) = begin(u32::MAX, 0);
        let locked = failure(ResultCode::TRANSACTION_BLOCKED, None);
        let pauses: Vec<_> = (0..20).map(|_| retries.pause(&locked, now).unwrap()).collect();
        for (at, pause) in pauses.iter().enumerate() {
            let whole = (FIRST_PAUSE * (1 << at.min(10))).min(LONGEST_PAUSE);
            assert!(*pause >= whole / 2 && *pause <= whole, "{at}: {pause:?}");
        }
    }

    #[test]
    fn attempts_and_time_are_limited() {
        let changed = failure(ResultCode::TRANSACTION_VERSION, None);
        let (mut retries, now) = begin(3, 5);
        assert!(retries.pause(&changed, now).is_some());
        assert!(retries.pause(&changed, now + Duration::from_secs(4)).is_some());
        assert!(retries.pause(&changed, now).is_none(), "that was the third");
        let (mut late, now) = begin(3, 5);
        assert!(late.pause(&changed, now + Duration::from_secs(5)).is_none());
        let options = RetryOptions { attempts: 0, ..RetryOptions::default() };
        let error = Retries::new(options, now).unwrap_err();
        assert!(error.to_string().contains("attempts must be at least 1"), "{error}");
    }
}
