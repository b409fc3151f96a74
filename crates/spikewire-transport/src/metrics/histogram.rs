//! Latencies in buckets from 1 µs to 17 s, eight per doubling, so that a bucket is an eighth wide.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Buckets per doubling.
const STEPS: usize = 8;
/// Number of doublings, from 1 µs.
const DOUBLINGS: usize = 24;
/// Number of buckets: one up to 1 µs, those in between, one for everything beyond.
pub const BUCKETS: usize = 1 + STEPS * DOUBLINGS + 1;
/// Nanoseconds in an eighth of a microsecond.
const UNIT: u64 = 125;

/// The bucket of a latency in nanoseconds. Upper bounds are inclusive, lower ones exclusive.
#[inline]
pub(super) fn bucket(nanos: u64) -> usize {
    let units = nanos.saturating_sub(1) / UNIT;
    if units < STEPS as u64 {
        return 0;
    }
    let doubling = units.ilog2() as usize - 3;
    if doubling >= DOUBLINGS {
        return BUCKETS - 1;
    }
    1 + doubling * STEPS + (units >> doubling) as usize % STEPS
}

/// The upper bound of every bucket but the last, which has none.
pub fn bounds() -> impl ExactSizeIterator<Item = Duration> {
    (0..BUCKETS - 1).map(|bucket| {
        let (doubling, step) = (bucket / STEPS, (bucket % STEPS) as u64);
        Duration::from_nanos((UNIT * (STEPS as u64 + step)) << doubling)
    })
}

/// A histogram of latencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    nanos: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], nanos: 0 }
    }
}

impl Histogram {
    /// Number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of values per bucket; see [`bounds`].
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Sum of all values.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.nanos)
    }

    /// An upper bound of this quantile (0.5 for the median), at most an eighth above the latency
    /// itself. Zero if there are no values, [`Duration::MAX`] beyond the buckets.
    pub fn quantile(&self, share: f64) -> Duration {
        let count = self.count();
        if count == 0 {
            return Duration::ZERO;
        }
        let rank = ((share.clamp(0.0, 1.0) * count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bound, count) in bounds().zip(&self.counts) {
            seen += count;
            if seen >= rank {
                return bound;
            }
        }
        Duration::MAX
    }

    /// Adds the values of another histogram.
    pub fn add(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(own, other)| *own += other);
        self.nanos += other.nanos;
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        let both = self.counts.iter_mut().zip(&other.counts);
        both.for_each(|(own, other)| *own = own.saturating_sub(*other));
        self.nanos = self.nanos.saturating_sub(other.nanos);
    }
}

/// A histogram with one writing thread at a time.
#[derive(Debug)]
pub(super) struct LiveHistogram {
    counts: [AtomicU64; BUCKETS],
    nanos: AtomicU64,
}

impl Default for LiveHistogram {
    fn default() -> Self {
        Self { counts: [const { AtomicU64::new(0) }; BUCKETS], nanos: AtomicU64::new(0) }
    }
}

impl LiveHistogram {
    /// Counts a value; only for the single writer.
    #[inline]
    pub fn record(&self, nanos: u64) {
        raise(&self.counts[bucket(nanos)], 1);
        raise(&self.nanos, nanos);
    }

    /// Counts a value; for any thread.
    pub fn record_any(&self, nanos: u64) {
        self.counts[bucket(nanos)].fetch_add(1, Relaxed);
        self.nanos.fetch_add(nanos, Relaxed);
    }

    pub fn read(&self) -> Histogram {
        let counts = self.counts.iter().map(|count| count.load(Relaxed)).collect();
        Histogram { counts, nanos: self.nanos.load(Relaxed) }
    }
}

/// Increments a counter that only the caller writes, without a locked instruction.
#[inline]
pub(super) fn raise(number: &AtomicU64, by: u64) {
    number.store(number.load(Relaxed).wrapping_add(by), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_begin_where_the_ones_before_end() {
        let mut before = 0;
        for (at, bound) in bounds().enumerate() {
            let bound = bound.as_nanos() as u64;
            assert_eq!((bucket(before + 1), bucket(bound)), (at, at), "{before}..{bound}");
            assert!(at == 0 || bound - before <= before / 8, "an eighth wide");
            before = bound;
        }
        assert_eq!(before, 1_000 << 24);
        assert_eq!((bucket(before + 1), bucket(u64::MAX), bucket(0)), (193, 193, 0));
    }

    #[test]
    fn every_doubling_of_a_microsecond_is_a_bound() {
        let bounds: Vec<_> = bounds().collect();
        for doubling in 0..=24 {
            assert!(bounds.contains(&Duration::from_micros(1 << doubling)));
        }
    }

    #[test]
    fn quantiles_are_at_most_an_eighth_too_long() {
        let live = LiveHistogram::default();
        assert_eq!(live.read().quantile(0.5), Duration::ZERO);
        (1..=1000).for_each(|micros| live.record(micros * 1000));
        let all = live.read();
        assert_eq!((all.count(), all.sum()), (1000, Duration::from_micros(500_500)));
        for share in [0.001, 0.5, 0.9, 0.99, 1.0] {
            let exact = Duration::from_micros((share * 1000.0) as u64);
            let estimate = all.quantile(share);
            assert!(estimate >= exact && estimate <= exact.mul_f64(1.125), "{share}: {estimate:?}");
        }
        live.record(u64::MAX / 2);
        assert_eq!(live.read().quantile(1.0), Duration::MAX);
    }
}
