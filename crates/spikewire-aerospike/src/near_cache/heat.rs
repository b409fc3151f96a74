//! How often keys are read: exactly for those that are kept, estimated for all others.

use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rustc_hash::FxBuildHasher;
use spikewire_transport::clock::Tick;

use super::key::ReadRequest;

/// Reads are counted in windows of this many nanoseconds.
const WINDOW: u64 = 250_000_000;
const WINDOWS_PER_SECOND: u32 = 4;
/// Counters in each row of the sketch.
const WIDTH: usize = 1 << 12;

/// Reads in one window from which a key with so many reads per second is hot.
pub(super) fn threshold(per_second: u32) -> u32 {
    per_second.div_ceil(WINDOWS_PER_SECOND).min(u32::from(u16::MAX))
}

/// The reads of one key.
#[derive(Debug, Default)]
pub(crate) struct Rate {
    window: AtomicU64,
    count: AtomicU32,
    /// The count of the window before.
    last: AtomicU32,
}

impl Rate {
    /// Counts a read.
    #[inline]
    pub fn count(&self, now: Tick) {
        let (window, known) = (now.0 / WINDOW, self.window.load(Relaxed));
        if window > known {
            self.begin(known, window);
        }
        self.count.fetch_add(1, Relaxed);
    }

    #[cold]
    fn begin(&self, known: u64, window: u64) {
        if self.window.compare_exchange(known, window, Relaxed, Relaxed).is_ok() {
            let count = self.count.swap(0, Relaxed);
            self.last.store(if window == known + 1 { count } else { 0 }, Relaxed);
        }
    }

    /// Whether this or the previous window has so many reads.
    pub fn is_hot(&self, threshold: u32) -> bool {
        self.count.load(Relaxed).max(self.last.load(Relaxed)) >= threshold
    }

    /// Reads per second, of the last complete window.
    pub fn per_second(&self, now: Tick) -> u32 {
        let (count, last) = (self.count.load(Relaxed), self.last.load(Relaxed));
        let reads = match (now.0 / WINDOW).saturating_sub(self.window.load(Relaxed)) {
            0 => count.max(last),
            1 => count,
            _ => 0,
        };
        reads.saturating_mul(WINDOWS_PER_SECOND)
    }
}

/// A count-min sketch of the reads in the current window: an estimate is never too low, but for
/// reads that are counted at the very same time. A counter has its window and the count.
#[derive(Debug)]
pub(crate) struct Sketch([Box<[AtomicU32]>; 2]);

impl Default for Sketch {
    fn default() -> Self {
        Self([(); 2].map(|()| (0..WIDTH).map(|_| AtomicU32::default()).collect()))
    }
}

impl Sketch {
    /// Counts a read; returns how many of its key this window has.
    pub fn count(&self, read: &ReadRequest<'_>, now: Tick) -> u32 {
        let hash = FxBuildHasher.hash_one(read);
        let window = (now.0 / WINDOW) as u32 & 0xFFFF;
        let at = [hash >> 48, hash >> 20].map(|hash| hash as usize % WIDTH);
        let counts = self.0.iter().zip(at).map(|(row, at)| add(&row[at], window));
        counts.min().unwrap_or_default()
    }
}

/// Adds a read to a counter of this window.
fn add(counter: &AtomicU32, window: u32) -> u32 {
    let known = counter.load(Relaxed);
    let count = if known >> 16 == window { (known & 0xFFFF) + 1 } else { 1 };
    if count <= 0xFFFF {
        counter.store(window << 16 | count, Relaxed);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(digest: &[u8]) -> ReadRequest<'_> {
        ReadRequest { info1: 3, fields: &[], digest, ops: &[], count: 0 }
    }

    #[test]
    fn the_sketch_counts_keys_apart_and_forgets() {
        let (sketch, now) = (Sketch::default(), Tick(5 * WINDOW));
        let (hot, cold) = ([7; 20], [9; 20]);
        for count in 1..=100 {
            assert_eq!(sketch.count(&read(&hot), now), count);
        }
        assert_eq!(sketch.count(&read(&cold), now), 1);
        assert_eq!(sketch.count(&read(&hot), Tick(6 * WINDOW)), 1);
    }

    #[test]
    fn rates_are_those_of_the_latest_windows() {
        let rate = Rate::default();
        (0..50).for_each(|_| rate.count(Tick(WINDOW)));
        assert!(rate.is_hot(50) && !rate.is_hot(51));
        assert_eq!(rate.per_second(Tick(WINDOW)), 200);
        rate.count(Tick(2 * WINDOW));
        assert!(rate.is_hot(50), "the window before counts");
        assert_eq!(rate.per_second(Tick(2 * WINDOW)), 200);
        rate.count(Tick(4 * WINDOW));
        assert!(!rate.is_hot(50));
        assert_eq!(rate.per_second(Tick(9 * WINDOW)), 0);
    }

    #[test]
    fn thresholds_are_per_window() {
        assert_eq!([0, 1, 4, 5, 100].map(threshold), [0, 1, 1, 2, 25]);
    }
}
