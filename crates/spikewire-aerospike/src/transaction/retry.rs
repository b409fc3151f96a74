//! Trying a whole transaction again after a conflict with another one.

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::result_code::ResultCode;

use super::ending::EndingPart;
use crate::model::{Error, Kind};
use crate::query::task_id;

/// The first pause after a record was locked, and the longest; each is drawn between half of it and
/// the whole.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How often, and how long, a whole transaction is tried again.
#[derive(Debug, Clone)]
pub struct Retries {
    left: u32,
    ends: Option<Instant>,
    pause: Duration,
}

impl Retries {
    /// So many attempts in all, and none that begins after this time; zero: no limit.
    pub fn new(attempts: u32, limit: Duration, now: Instant) -> Self {
        let ends = if limit.is_zero() { None } else { now.checked_add(limit) };
        Self { left: attempts.saturating_sub(1), ends, pause: FIRST_PAUSE }
    }

    /// The pause before the next attempt, after an error of a call, or one of a commit with the part
    /// that failed; `None` if there is none. Nothing is tried again whose outcome is in doubt.
    pub fn pause(
        &mut self,
        error: &Error,
        part: Option<EndingPart>,
        now: Instant,
    ) -> Option<Duration> {
        if self.left == 0 || error.in_doubt() || self.ends.is_some_and(|ends| now >= ends) {
            return None;
        }
        let pause = match (error.kind(), part) {
            (
                Kind::Server(ResultCode::TRANSACTION_VERSION | ResultCode::TRANSACTION_BLOCKED),
                Some(EndingPart::Verify),
            )
            | (Kind::Server(ResultCode::TRANSACTION_VERSION), None) => Duration::ZERO,
            (Kind::Server(ResultCode::TRANSACTION_BLOCKED), None) => self.draw(),
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

    fn error(code: ResultCode) -> Error {
        Error::server(code)
    }

    #[test]
    fn conflicts_are_tried_again_and_nothing_else() {
        let now = Instant::now();
        let pause =
            |error: Error, part| Retries::new(2, Duration::ZERO, now).pause(&error, part, now);
        let verify = Some(EndingPart::Verify);
        assert_eq!(pause(error(ResultCode::TRANSACTION_VERSION), None), Some(Duration::ZERO));
        assert_eq!(pause(error(ResultCode::TRANSACTION_VERSION), verify), Some(Duration::ZERO));
        assert_eq!(pause(error(ResultCode::TRANSACTION_BLOCKED), verify), Some(Duration::ZERO));
        let locked = pause(error(ResultCode::TRANSACTION_BLOCKED), None).unwrap();
        assert!(locked >= FIRST_PAUSE / 2 && locked <= FIRST_PAUSE);
        for code in 122..=127 {
            assert_eq!(pause(error(ResultCode(code)), None), None);
            assert_eq!(pause(error(ResultCode(code)), Some(EndingPart::Mark)), None);
        }
        assert_eq!(pause(error(ResultCode::TRANSACTION_VERSION).after(1, true), verify), None);
        assert_eq!(pause(error(ResultCode::TIMEOUT), verify), None);
    }

    #[test]
    fn attempts_and_time_are_limited() {
        let now = Instant::now();
        let mut retries = Retries::new(3, Duration::from_secs(5), now);
        let changed = error(ResultCode::TRANSACTION_VERSION);
        assert!(retries.pause(&changed, None, now).is_some());
        assert!(retries.pause(&changed, None, now + Duration::from_secs(4)).is_some());
        assert!(retries.pause(&changed, None, now).is_none(), "that was the third");
        let mut late = Retries::new(3, Duration::from_secs(5), now);
        assert!(late.pause(&changed, None, now + Duration::from_secs(5)).is_none());
    }
}
