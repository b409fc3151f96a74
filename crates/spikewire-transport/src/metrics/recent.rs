//! Recent latencies, with decaying weights; any thread can add to them.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::histogram::{BUCKETS, bounds, bucket};

/// When there are this many, all counts are halved.
const WINDOW: u32 = 2048;
/// With fewer there is no quantile.
const FEWEST: u32 = 100;
/// After this many more, a quantile is computed again.
const REFRESH: u32 = 64;

/// Recent latencies, by bucket. Counts may be slightly off if threads race.
#[derive(Debug)]
pub struct Recent {
    counts: [AtomicU32; BUCKETS],
    total: AtomicU32,
    /// The latest computed quantile: its share in ten thousandths, and the latency in microseconds.
    /// Zero if there is none.
    known: AtomicU64,
}

impl Default for Recent {
    fn default() -> Self {
        let counts = [const { AtomicU32::new(0) }; BUCKETS];
        Self { counts, total: AtomicU32::new(0), known: AtomicU64::new(0) }
    }
}

impl Recent {
    /// Adds a latency.
    pub fn record(&self, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.counts[bucket(nanos)].fetch_add(1, Relaxed);
        let total = self.total.fetch_add(1, Relaxed) + 1;
        if total.is_multiple_of(REFRESH) {
            self.known.store(0, Relaxed);
        }
        if total == WINDOW {
            self.decay();
        }
    }

    #[cold]
    fn decay(&self) {
        let mut total = 0;
        for count in &self.counts {
            let half = count.load(Relaxed) / 2;
            count.store(half, Relaxed);
            total += half;
        }
        self.total.store(total, Relaxed);
    }

    /// An upper bound of this quantile (share in ten thousandths), in whole microseconds; `None` if
    /// there are too few latencies.
    pub fn quantile(&self, share: u16) -> Option<Duration> {
        let known = self.known.load(Relaxed);
        if known >> 48 == u64::from(share) {
            return Some(Duration::from_micros(known & ((1 << 48) - 1)));
        }
        let total = self.total.load(Relaxed);
        if total < FEWEST {
            return None;
        }
        let rank = (u64::from(total) * u64::from(share)).div_ceil(10_000).max(1);
        let mut seen = 0;
        let bucket = bounds().zip(&self.counts).find(|(_, count)| {
            seen += u64::from(count.load(Relaxed));
            seen >= rank
        });
        let bound = bucket.or_else(|| bounds().zip(&self.counts).last())?.0;
        let micros = bound.as_micros() as u64 + 1;
        self.known.store(u64::from(share) << 48 | micros, Relaxed);
        Some(Duration::from_micros(micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_needs_a_hundred_samples() {
        let recent = Recent::default();
        for micros in 1..100 {
            recent.record(Duration::from_micros(micros));
        }
        assert_eq!(recent.quantile(9900), None);
        recent.record(Duration::from_micros(100));
        let estimate = recent.quantile(9900).unwrap();
        let exact = Duration::from_micros(99);
        assert!(estimate >= exact && estimate <= exact.mul_f64(1.125) + Duration::from_micros(1));
        let median = recent.quantile(5000).unwrap();
        assert!(median < estimate, "another share is computed anew");
    }

    #[test]
    fn older_samples_weigh_less() {
        let recent = Recent::default();
        let (slow, fast) = (Duration::from_millis(50), Duration::from_millis(1));
        (0..1000).for_each(|_| recent.record(slow));
        assert!(recent.quantile(9000).unwrap() >= slow);
        (0..40_000).for_each(|_| recent.record(fast));
        assert!(recent.quantile(9900).unwrap() < 2 * fast);
        assert!(recent.total.load(Relaxed) <= WINDOW, "bounded");
    }

    #[test]
    fn durations_beyond_the_last_bucket_count_as_its_bound() {
        let recent = Recent::default();
        (0..100).for_each(|_| recent.record(Duration::MAX));
        assert_eq!(recent.quantile(5000).unwrap().as_secs(), 16);
    }
}
