//! The limits of a query, and the rules for its retries.

use std::time::Duration;

use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::query::{Query, Row};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use crate::model::{Backoff, Policy, ReplicaPolicy};
use crate::model::{Error, Result};

/// The limits of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Total time; zero: no limit.
    pub timeout: Duration,
    /// Longest silence of a node while records are awaited, and longest time that a node waits for
    /// a reader that does not read; zero: no limit.
    pub socket_timeout: Duration,
    /// Consecutive failures without a record or a finished partition in between.
    pub max_retries: u32,
    /// The pause before the first retry, and its backoff.
    pub pauses: (Duration, Backoff),
    /// Choice of replica.
    pub replica: ReplicaPolicy,
    /// Number of nodes read concurrently; zero: all.
    pub nodes: usize,
    /// Bytes read ahead from each node.
    pub window: usize,
    /// How much nodes are asked to say about errors.
    pub details: DetailLevel,
}

/// Default of [`Limits::window`].
pub const WINDOW: usize = 128 << 10;

/// First pause of a query whose policy has none; pauses double from failure to failure.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// The first pause of a query with this policy, and its backoff.
pub fn pauses(policy: &Policy) -> (Duration, Backoff) {
    let backoff = policy.backoff();
    if !policy.sleep.is_zero() {
        return (policy.sleep.into(), backoff);
    }
    let own = Backoff::default();
    let grows = backoff.multiplier > own.multiplier;
    let multiplier = if grows { backoff.multiplier } else { 2.0 };
    let longest = if backoff.longest.is_zero() { LONGEST_PAUSE } else { backoff.longest };
    (FIRST_PAUSE, Backoff { multiplier, longest, ..backoff })
}

/// Counts consecutive failures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retries {
    failures: u32,
}

impl Retries {
    /// Number of failures.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Call after a record or a successful request.
    pub fn progress(&mut self) {
        self.failures = 0;
    }

    /// Call after a retryable failure. Returns the pause before the retry, or `None` if there have
    /// been too many.
    pub fn failed(&mut self, limits: &Limits) -> Option<Duration> {
        let (first, backoff) = limits.pauses;
        let earlier = self.failures;
        self.failures += 1;
        (self.failures <= limits.max_retries).then(|| backoff.pause(first, earlier))
    }
}

/// The meaning of the end of a node's reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEnd {
    /// The reply is complete.
    Whole,
    /// A retry, possibly on another node, may return the rest.
    TryAgain,
    /// No node will accept the request.
    Failed,
}

impl AnswerEnd {
    /// The meaning of this final code. An index that the node does not have may just not have been
    /// created there yet, if other nodes have it (`known`).
    pub fn of(code: ResultCode, known: bool) -> Self {
        match code {
            code if is_whole(code) => Self::Whole,
            ResultCode::TIMEOUT
            | ResultCode::PARTITION_UNAVAILABLE
            | ResultCode::DEVICE_OVERLOAD => Self::TryAgain,
            code if code.needs_login() => Self::TryAgain,
            ResultCode::INDEX_NOT_FOUND | ResultCode::INDEX_NOT_READABLE if known => Self::TryAgain,
            _ => Self::Failed,
        }
    }
}

/// Whether a reply that ends with this code is complete. A node that does not know the set has no
/// records of it.
pub fn is_whole(code: ResultCode) -> bool {
    matches!(code, ResultCode::OK | ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT)
}

/// Whether the record has none of the requested bins. Nodes that return a result for each operation
/// send such records too, because they count towards the record limit of a node.
pub fn is_empty_answer(query: &Query, row: &Row<'_>) -> bool {
    query.respond_all_ops && row.ops().all(|op| op.particle == particle::NULL)
}

/// Rejects a row that does not have one result for each of `total` operations.
pub fn check_results(total: usize, got: usize) -> Result<()> {
    if got == total {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "a node gave {got} results for {total} operations; operations in queries need server \
         8.1.2 or later"
    )))
}

/// The number of records to request from node `number` of `count`, out of `total`: an equal share,
/// with the remainder going to the first ones.
pub fn share_of(total: u64, count: u64, number: u64) -> u64 {
    total / count + u64::from(number < total % count)
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
            pauses: pauses(&Policy::default()),
            replica: ReplicaPolicy::Sequence,
            nodes: 0,
            window: WINDOW,
            details: DetailLevel::Off,
        };
        let mut retries = Retries::default();
        let pauses: Vec<_> = (0..9).map(|_| retries.failed(&limits)).collect();
        let millis = [20, 40, 80, 160, 320, 640, 1000, 1000].map(Duration::from_millis);
        assert_eq!(pauses[..8], millis.map(Some));
        assert_eq!(pauses[8], None);
        retries.progress();
        assert_eq!(retries.failed(&limits), Some(FIRST_PAUSE));
        assert_eq!(Retries::default().failed(&Limits { max_retries: 0, ..limits }), None);
        let second = Duration::from_secs(1);
        let policy = Policy { sleep: second.into(), ..Policy::default() };
        let own = Limits { pauses: super::pauses(&policy), ..limits };
        let mut retries = Retries::default();
        let both = [retries.failed(&own), retries.failed(&own)];
        assert_eq!(both, [Some(second); 2], "as for other commands");
    }

    #[test]
    fn result_codes_decide_between_done_retry_and_failure() {
        use AnswerEnd::{Failed, TryAgain, Whole};
        for (code, fresh, known) in [
            (ResultCode::OK, Whole, Whole),
            (ResultCode::NOT_FOUND, Whole, Whole),
            (ResultCode::FILTERED_OUT, Whole, Whole),
            (ResultCode::PARTITION_UNAVAILABLE, TryAgain, TryAgain),
            (ResultCode::INDEX_NOT_FOUND, Failed, TryAgain),
            (ResultCode::INDEX_NOT_READABLE, Failed, TryAgain),
            (ResultCode::PARAMETER, Failed, Failed),
        ] {
            assert_eq!((AnswerEnd::of(code, false), AnswerEnd::of(code, true)), (fresh, known));
        }
    }

    #[test]
    fn shares_of_a_limit_add_up() {
        for (total, count) in [(0, 3), (1, 3), (7, 3), (9, 3), (100, 7)] {
            let shares: Vec<u64> = (0..count).map(|it| share_of(total, count, it)).collect();
            assert_eq!(shares.iter().sum::<u64>(), total);
            assert!(shares[0] - shares[shares.len() - 1] <= 1, "{shares:?}");
        }
    }
}
