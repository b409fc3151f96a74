//! A node that returns gets its share of the requests back little by little: its caches are cold,
//! and all clients would return at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::clock::Tick;

/// The share of a node that returned, of the requests that may as well go elsewhere. It grows evenly
/// from nothing to all of them, in as much time as the node was away, up to a limit.
#[derive(Debug, Default)]
pub struct SlowStart {
    longest: Duration,
    begins: AtomicU64,
    /// 0 if the share is whole.
    ends: AtomicU64,
    /// What requests before have left of a whole one, in units of 2^-32.
    rest: AtomicU32,
}

impl SlowStart {
    /// Takes at most this time; zero disables it.
    pub fn new(longest: Duration) -> Self {
        Self { longest, ..Self::default() }
    }

    /// Whether the share may not be whole yet.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.ends.load(Relaxed) != 0
    }

    /// The node is back after it was `away` for so long.
    #[cold]
    pub fn begin(&self, now: Tick, away: Duration) {
        let ends = now.after(away.min(self.longest));
        if ends > now && ends.0 > self.ends.load(Relaxed) {
            self.begins.store(now.0, Relaxed);
            self.ends.store(ends.0, Relaxed);
        }
    }

    /// The share, from 0 to 1.
    #[cold]
    pub fn share(&self, now: Tick) -> f64 {
        let (begins, ends) = (self.begins.load(Relaxed), self.ends.load(Relaxed));
        if ends <= now.0 {
            if ends != 0 {
                let _ = self.ends.compare_exchange(ends, 0, Relaxed, Relaxed);
            }
            return 1.0;
        }
        now.0.saturating_sub(begins) as f64 / ends.saturating_sub(begins).max(1) as f64
    }

    /// Whether the node gets this request: of many, it gets its share, evenly spread.
    #[cold]
    pub fn admits(&self, now: Tick) -> bool {
        let share = self.share(now);
        let part = (share * f64::from(u32::MAX)) as u32;
        share >= 1.0 || self.rest.fetch_add(part, Relaxed).checked_add(part).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Tick {
        Tick(1).after(Duration::from_millis(ms))
    }

    #[test]
    fn the_share_grows_evenly_to_all() {
        let slow = SlowStart::new(Duration::from_secs(4));
        assert!(!slow.is_on() && slow.admits(at(0)));
        slow.begin(at(1000), Duration::MAX);
        for (ms, expected) in [(1000, 0), (2000, 25), (3000, 50), (4000, 75), (5000, 100)] {
            let admitted = (0..100).filter(|_| slow.admits(at(ms))).count();
            assert!(admitted.abs_diff(expected) <= 1, "{admitted} of 100 at {ms} ms");
        }
        assert!(!slow.is_on(), "it is over");
    }

    #[test]
    fn the_share_of_a_request_in_three_is_spread_evenly() {
        let slow = SlowStart::new(Duration::from_secs(3));
        slow.begin(at(0), Duration::MAX);
        let admitted: Vec<_> = (0..30).filter(|_| slow.admits(at(1000))).collect();
        let gaps = admitted.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.clone().min() == Some(3) && gaps.max() == Some(3), "{admitted:?}");
    }

    #[test]
    fn it_takes_no_longer_than_the_absence() {
        let slow = SlowStart::new(Duration::from_secs(5));
        slow.begin(at(0), Duration::from_millis(100));
        assert!((slow.share(at(50)) - 0.5).abs() < 0.01);
        assert!(slow.share(at(100)) >= 1.0);
        // One that lasts longer replaces another, and not the reverse.
        slow.begin(at(200), Duration::from_secs(1));
        slow.begin(at(250), Duration::from_millis(10));
        assert!((slow.share(at(700)) - 0.5).abs() < 0.01);
        slow.begin(at(1300), Duration::ZERO);
        assert!(slow.share(at(1300)) >= 1.0 && !slow.is_on());
    }
}
