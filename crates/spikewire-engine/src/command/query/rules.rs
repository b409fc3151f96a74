//! The limits of a query, and which of its failures are tried again.

use std::time::Duration;

use spikewire_protocol::result_code::ResultCode;

use crate::options::ReplicaPolicy;

/// The limits of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Total time; zero: no limit.
    pub timeout: Duration,
    /// Longest silence of a node while records are wanted, and longest time that a node waits for
    /// a reader that wants none; zero: no limit.
    pub socket_timeout: Duration,
    /// Failures in a row without a record or an end of a partition in between.
    pub max_retries: u32,
    /// Choice of replica.
    pub replica: ReplicaPolicy,
    /// Nodes that are read at the same time; zero: all.
    pub nodes: usize,
    /// Bytes that are read ahead from each node.
    pub window: usize,
}

/// What [`Limits::window`] is where nothing else was said.
pub const WINDOW: usize = 128 << 10;

/// The pause before the first retry; it doubles from failure to failure.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Counts failures in a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retries {
    failures: u32,
}

impl Retries {
    /// How many there are.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// A record came, or a request ended well.
    pub fn progress(&mut self) {
        self.failures = 0;
    }

    /// Something failed that may be tried again. The pause before that, or `None` when it was
    /// tried often enough.
    pub fn failed(&mut self, limits: &Limits) -> Option<Duration> {
        self.failures += 1;
        let doubled = FIRST_PAUSE * 2u32.saturating_pow(self.failures.saturating_sub(1).min(10));
        (self.failures <= limits.max_retries).then(|| doubled.min(LONGEST_PAUSE))
    }
}

/// Whether what a node refused with this code may succeed later or elsewhere. An index that the
/// node does not have may only be late there, if other nodes have it (`known`).
pub fn is_retryable(code: ResultCode, known: bool) -> bool {
    match code {
        ResultCode::TIMEOUT | ResultCode::PARTITION_UNAVAILABLE | ResultCode::DEVICE_OVERLOAD => {
            true
        }
        ResultCode::INDEX_NOT_FOUND | ResultCode::INDEX_NOT_READABLE => known,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_progress_starts_over() {
        let limits = Limits {
            timeout: Duration::ZERO,
            socket_timeout: Duration::ZERO,
            max_retries: 8,
            replica: ReplicaPolicy::Sequence,
            nodes: 0,
            window: WINDOW,
        };
        let mut retries = Retries::default();
        let pauses: Vec<_> = (0..9).map(|_| retries.failed(&limits)).collect();
        let millis = [20, 40, 80, 160, 320, 640, 1000, 1000].map(Duration::from_millis);
        assert_eq!(pauses[..8], millis.map(Some));
        assert_eq!(pauses[8], None);
        retries.progress();
        assert_eq!(retries.failed(&limits), Some(FIRST_PAUSE));
        assert_eq!(Retries::default().failed(&Limits { max_retries: 0, ..limits }), None);
    }

    #[test]
    fn codes() {
        assert!(is_retryable(ResultCode::PARTITION_UNAVAILABLE, false));
        assert!(is_retryable(ResultCode::INDEX_NOT_FOUND, true));
        assert!(!is_retryable(ResultCode::INDEX_NOT_FOUND, false));
        assert!(!is_retryable(ResultCode::PARAMETER, true));
    }
}
