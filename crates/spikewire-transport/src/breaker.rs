//! A circuit breaker that keeps commands away from a node that fails too often.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Counts a node's errors per window. Above the limit the circuit is open, and commands to the node
/// fail at once.
///
/// A window that exceeded the limit halves it for the next one; a quiet window doubles it again.
#[derive(Debug, Default)]
pub struct Breaker {
    errors: AtomicU32,
    /// 0 means that no limit is set yet.
    limit: AtomicU32,
}

impl Breaker {
    /// Counts one error.
    pub fn record(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// Whether commands should avoid the node for the rest of this window.
    pub fn is_open(&self) -> bool {
        let limit = self.limit.load(Relaxed);
        limit != 0 && self.errors.load(Relaxed) > limit
    }

    /// Errors in this window.
    pub fn errors(&self) -> u32 {
        self.errors.load(Relaxed)
    }

    /// Starts over with the configured limit (0 for none), for a node that is new or has restarted.
    pub fn reset(&self, full: u32) {
        self.errors.store(0, Relaxed);
        self.limit.store(full, Relaxed);
    }

    /// Starts a new window; `full` is the configured limit, 0 for none.
    pub fn roll(&self, full: u32) {
        let errors = self.errors.swap(0, Relaxed);
        let limit = self.limit.load(Relaxed);
        let next = if full == 0 {
            0
        } else if limit == 0 {
            full
        } else if errors > limit {
            (limit / 2).max(1)
        } else {
            (limit * 2).min(full)
        };
        self.limit.store(next, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_node_rests_and_recovers() {
        let breaker = Breaker::default();
        breaker.roll(4);
        (0..4).for_each(|_| breaker.record());
        assert!(!breaker.is_open());
        breaker.record();
        assert!(breaker.is_open());
        breaker.roll(4);
        (0..3).for_each(|_| breaker.record());
        assert!(breaker.is_open(), "the limit was halved to 2");
        breaker.roll(4);
        breaker.roll(4);
        breaker.roll(4);
        (0..4).for_each(|_| breaker.record());
        assert!(!breaker.is_open(), "quiet windows brought the limit back to 4");
        breaker.roll(0);
        (0..1000).for_each(|_| breaker.record());
        assert!(!breaker.is_open(), "no limit");
    }
}
