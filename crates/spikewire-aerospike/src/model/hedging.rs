//! Hedged reads: a second request, to another replica, for a read whose reply is late.
//!
//! - A read of one record that may go to any replica can be hedged: after a fixed delay, or after a
//!   percentile of the recent latencies of the other node. Writes, batches, reads that only the
//!   master may serve, and records with one replica are not hedged.
//! - The first reply counts. The later one is dropped; see
//!   [`TicketHandle`](spikewire_transport::TicketHandle).
//! - The percentage of hedged reads is limited: if all nodes are slow, more requests make it worse.
//!   A client starts with a budget of [`FIRST`]; unused budget is kept, up to [`KEPT`].

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spikewire_options::{Form, InvalidArgument, OptionValue, percentile, percentile_of};

/// Hedge requests that a client may send before its reads have earned any.
pub const FIRST: i64 = 10;
/// Largest budget.
pub const KEPT: i64 = 100;
/// Cost of one hedge request; each read earns the percentage.
const COST: i64 = 100;
/// The shortest delay: timers of event loops are not accurate below it.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_secs(600);
const SHARE: u32 = 1 << 31;

/// When a hedgeable read is hedged.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Hedge(u32);

impl Hedge {
    /// Never.
    pub const NEVER: Self = Self(0);

    /// After this time, from 1 ms to 10 minutes; zero: never.
    pub fn after(delay: Duration) -> Result<Self, InvalidArgument> {
        Self::time("hedge", delay, format_args!("{} s", delay.as_secs_f64()))
    }

    /// After a percentile of recent latencies, from 50 to 99.9.
    pub fn percentile(percent: f64) -> Result<Self, InvalidArgument> {
        Self::of_percent("hedge", percent, percent)
    }

    /// When a host says: a time, or the name of a percentile.
    pub fn of<V: OptionValue>(name: &str, value: &V) -> Result<Self, V::Error> {
        Ok(match value.form() {
            Form::Text => Self::word(name, &value.text(name)?)?,
            _ => Self::time(name, value.span(name)?, value.describe_span())?,
        })
    }

    /// The same for hosts; `text` is the value as the caller wrote it.
    pub fn time(what: &str, delay: Duration, text: impl Display) -> Result<Self, InvalidArgument> {
        if delay.is_zero() {
            return Ok(Self::NEVER);
        }
        if !(SHORTEST..=LONGEST).contains(&delay) {
            let (least, most) = (SHORTEST.as_secs_f64(), LONGEST.as_secs());
            return Err(InvalidArgument::of_value(format!(
                "{what} must be from {least} s to {most} s, or 0 for none, got {text}"
            )));
        }
        Ok(Self(delay.as_micros() as u32))
    }

    /// After a percentile of latencies: `"p99"`, from `"p50"` to `"p99.9"`.
    pub fn word(what: &str, word: &str) -> Result<Self, InvalidArgument> {
        percentile(what, word).map(Self::share)
    }

    fn of_percent(what: &str, percent: f64, text: impl Display) -> Result<Self, InvalidArgument> {
        percentile_of(what, percent, text).map(Self::share)
    }

    fn share(share: u16) -> Self {
        Self(SHARE | u32::from(share))
    }

    /// Whether hedging is disabled.
    #[inline(always)]
    pub const fn is_never(self) -> bool {
        self.0 == 0
    }

    /// The delay before the hedge request; `known` returns a percentile of the other node's
    /// latencies.
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

/// The hedging budget of a client.
#[derive(Debug)]
pub struct Hedging {
    percent: i64,
    /// The remaining budget.
    left: AtomicI64,
    sent: AtomicU64,
    won: AtomicU64,
    late: AtomicU64,
}

impl Hedging {
    /// A budget for this percentage of reads.
    pub fn new(percent: u32) -> Self {
        let left = AtomicI64::new(FIRST * COST);
        let (sent, won, late) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Self { percent: i64::from(percent), left, sent, won, late }
    }

    /// Call when a hedgeable read starts.
    pub(crate) fn earn(&self) {
        if self.left.load(Relaxed) < KEPT * COST {
            self.left.fetch_add(self.percent, Relaxed);
        }
    }

    /// Call when a hedge request is due; returns whether it may be sent.
    pub(crate) fn spend(&self) -> bool {
        if self.percent < COST && self.left.fetch_sub(COST, Relaxed) < COST {
            self.left.fetch_add(COST, Relaxed);
            return false;
        }
        self.sent.fetch_add(1, Relaxed);
        true
    }

    /// Call when a hedge request was answered first.
    pub(crate) fn win(&self) {
        self.won.fetch_add(1, Relaxed);
    }

    /// A batch with a deadline is complete: how many requests repeated rows of slow nodes, how many
    /// of these were answered first, and how many rows were late.
    pub(crate) fn note_rows(&self, sent: u32, won: u32, late: u64) {
        self.sent.fetch_add(sent.into(), Relaxed);
        self.won.fetch_add(won.into(), Relaxed);
        self.late.fetch_add(late, Relaxed);
    }

    /// Number of rows of batches that were late.
    pub fn late(&self) -> u64 {
        self.late.load(Relaxed)
    }

    /// Number of hedge requests sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    /// Number of hedge requests that were answered first.
    pub fn won(&self) -> u64 {
        self.won.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hedges_are_delays_or_percentiles() {
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
            let error = Hedge::word("hedge", wrong).unwrap_err();
            assert!(error.message().contains("from 'p50' to 'p99.9'"), "{wrong}: {error}");
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
