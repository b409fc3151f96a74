//! Timestamps of writes, strictly increasing within a session.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{SystemTime, UNIX_EPOCH};

/// Generates timestamps in microseconds since 1970. If the clock stands still or goes back, they
/// increase by one.
#[derive(Debug, Default)]
pub struct Timestamps(AtomicI64);

impl Timestamps {
    /// The next timestamp.
    pub fn next(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.after(since.as_micros() as i64)
    }

    fn after(&self, now: i64) -> i64 {
        let mut last = self.0.load(Relaxed);
        loop {
            let next = now.max(last + 1);
            match self.0.compare_exchange_weak(last, next, Relaxed, Relaxed) {
                Ok(_) => return next,
                Err(other) => last = other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_grow_even_if_the_clock_does_not() {
        let timestamps = Timestamps::default();
        assert_eq!([10, 10, 5, 20].map(|now| timestamps.after(now)), [10, 11, 12, 20]);
        let (one, other) = (timestamps.next(), timestamps.next());
        assert!(1_700_000_000_000_000 < one && one < other);
    }
}
