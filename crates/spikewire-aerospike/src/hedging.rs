//! A second request for a read whose answer is late, to another replica.
//!
//! - A read of one record that may go to any replica has one: after a time, or after as long as this
//!   share of the requests to the other node took of late. Writes, batches and reads that only the
//!   master may answer have none, nor has a record with one replica.
//! - The first answer counts. What the node says that is later is dropped; see
//!   [`Carried`](spikewire_transport::Carried).
//! - So many in a hundred of the reads may have one: where all nodes are slow, more requests make it
//!   worse. A client begins with [`FIRST`], and what its reads do not need is kept for later, up to
//!   [`KEPT`].

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::command::Refusal;

/// Second requests that a client may send before its reads have earned any.
pub const FIRST: i64 = 10;
/// Most of them that are kept for later.
pub const KEPT: i64 = 100;
/// What one costs; a read earns as many as it has percent.
const COST: i64 = 100;
/// The shortest delay: no loop's timer is punctual below it.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(600);
const SHARE: u32 = 1 << 31;

/// When a read that may have a second request has one.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Hedge(u32);

impl Hedge {
    /// Never.
    pub const NEVER: Self = Self(0);

    /// After this time, from 1 ms to 10 minutes; zero: never.
    pub fn after(delay: Duration) -> Result<Self, Refusal> {
        Self::time("hedge", delay, format_args!("{} s", delay.as_secs_f64()))
    }

    /// After as long as so many in a hundred requests take, from 50 to 99.9.
    pub fn percentile(percent: f64) -> Result<Self, Refusal> {
        Self::of_percent("hedge", percent, percent)
    }

    /// The same for a host; `given` is what the caller wrote.
    pub fn time(what: &str, delay: Duration, given: impl Display) -> Result<Self, Refusal> {
        if delay.is_zero() {
            return Ok(Self::NEVER);
        }
        if !(SHORTEST..=LONGEST).contains(&delay) {
            let (least, most) = (SHORTEST.as_secs_f64(), LONGEST.as_secs());
            return Err(Refusal::of_value(format!(
                "{what} must be from {least} s to {most} s, or 0 for none, got {given}"
            )));
        }
        Ok(Self(delay.as_micros() as u32))
    }

    /// After as long as a share of the requests take: `"p99"`, from `"p50"` to `"p99.9"`.
    pub fn word(what: &str, word: &str) -> Result<Self, Refusal> {
        let number = word.strip_prefix('p').filter(|number| {
            number.starts_with(|first: char| first.is_ascii_digit())
                && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        });
        let percent = number.and_then(|number| number.parse().ok()).unwrap_or_default();
        Self::of_percent(what, percent, format_args!("{word:?}"))
    }

    fn of_percent(what: &str, percent: f64, given: impl Display) -> Result<Self, Refusal> {
        if (50.0..=99.9).contains(&percent) {
            return Ok(Self(SHARE | (percent * 100.0).round() as u32));
        }
        Err(Refusal::of_value(format!(
            "{what} must be a time, or a percentile from 'p50' to 'p99.9', got {given}"
        )))
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_never(self) -> bool {
        self.0 == 0
    }

    /// How long an answer is waited for, if the other node is `known` to take so long for a share of
    /// requests.
    pub(crate) fn delay(self, known: impl FnOnce(u16) -> Option<Duration>) -> Option<Duration> {
        match self.0 {
            0 => None,
            delay if delay & SHARE == 0 => Some(Duration::from_micros(u64::from(delay))),
            share => known((share & !SHARE) as u16).map(|delay| delay.max(SHORTEST)),
        }
    }
}

impl fmt::Debug for Hedge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("never"),
            delay if delay & SHARE == 0 => write!(f, "after {delay} µs"),
            share => write!(f, "p{}", f64::from(share & !SHARE) / 100.0),
        }
    }
}

/// The second requests of a client.
#[derive(Debug)]
pub struct Hedging {
    percent: i64,
    /// What reads have earned and second requests have not cost.
    left: AtomicI64,
    sent: AtomicU64,
    won: AtomicU64,
}

impl Hedging {
    /// For so many in a hundred reads.
    pub fn new(percent: u32) -> Self {
        let (left, sent, won) =
            (AtomicI64::new(FIRST * COST), AtomicU64::new(0), AtomicU64::new(0));
        Self { percent: i64::from(percent), left, sent, won }
    }

    /// A read begins that may have one.
    pub(crate) fn earn(&self) {
        if self.left.load(Relaxed) < KEPT * COST {
            self.left.fetch_add(self.percent, Relaxed);
        }
    }

    /// One is due: whether it may be sent.
    pub(crate) fn spend(&self) -> bool {
        if self.percent < COST && self.left.fetch_sub(COST, Relaxed) < COST {
            self.left.fetch_add(COST, Relaxed);
            return false;
        }
        self.sent.fetch_add(1, Relaxed);
        true
    }

    /// One was answered first.
    pub(crate) fn win(&self) {
        self.won.fetch_add(1, Relaxed);
    }

    /// How many were sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// How many of them were answered first.
    pub fn won(&self) -> u64 {
        self.won.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_times() {
        let delay = |hedge: Hedge| hedge.delay(|share| Some(Duration::from_secs(u64::from(share))));
        let of = |micros| Hedge::after(Duration::from_micros(micros));
        assert_eq!(delay(of(20_000).unwrap()), Some(Duration::from_millis(20)));
        assert!(of(0).unwrap().is_never());
        for wrong in [1, 999, 600_000_001] {
            assert!(of(wrong).unwrap_err().message().starts_with("hedge must be from 0.001 s"));
        }
        assert_eq!(delay(Hedge::word("hedge", "p99").unwrap()), Some(Duration::from_secs(9900)));
        let fine = Hedge::word("hedge", "p99.9").unwrap();
        assert_eq!(delay(fine), Some(Duration::from_secs(9990)));
        assert_eq!(fine.delay(|_| None), None);
        assert_eq!(fine.delay(|_| Some(Duration::from_micros(3))), Some(SHORTEST));
        for wrong in ["", "p", "99", "p49", "p100", "p99.99", "pp99", "p+99", "pnan", "p9e1", "P99"]
        {
            let refused = Hedge::word("hedge", wrong).unwrap_err();
            assert!(refused.message().contains("from 'p50' to 'p99.9'"), "{wrong}: {refused}");
        }
    }

    #[test]
    fn a_share_of_the_reads_and_a_few_at_first() {
        let hedging = Hedging::new(10);
        let sent = (0..50).filter(|_| hedging.spend()).count();
        assert_eq!(sent as i64, FIRST);
        let sent = (0..1000).filter(|_| {
            hedging.earn();
            hedging.spend()
        });
        assert_eq!(sent.count(), 100);
        assert_eq!(hedging.sent(), 110);
        (0..100_000).for_each(|_| hedging.earn());
        let sent = (0..500).filter(|_| hedging.spend()).count();
        assert_eq!(sent as i64, KEPT, "no more is kept");
        let all = Hedging::new(100);
        assert!((0..500).all(|_| all.spend()));
    }
}
