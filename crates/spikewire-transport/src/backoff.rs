//! The pauses between attempts at a command.

use std::time::Duration;

use crate::jitter::drawn;

/// How the pauses between attempts at a command grow and vary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    /// Factor by which each pause is longer than the one before; at least 1.
    pub multiplier: f32,
    /// The longest pause; zero means no limit.
    pub longest: Duration,
    /// Whether each pause is chosen at random between zero and its computed length, so that callers
    /// that failed together do not retry together.
    pub jitter: bool,
}

impl Default for Backoff {
    /// All pauses are as long as the first.
    fn default() -> Self {
        Self { multiplier: 1.0, longest: Duration::ZERO, jitter: false }
    }
}

impl Backoff {
    /// The pause after `earlier` previous ones, the first of which was `first`.
    pub fn pause(&self, first: Duration, earlier: u32) -> Duration {
        if first.is_zero() {
            return first;
        }
        let mut pause = first;
        if self.multiplier > 1.0 && earlier > 0 {
            let grown = first.as_secs_f64() * f64::from(self.multiplier).powf(f64::from(earlier));
            pause = Duration::try_from_secs_f64(grown).unwrap_or(Duration::MAX);
        }
        if !self.longest.is_zero() {
            pause = pause.min(self.longest);
        }
        if self.jitter { drawn(pause) } else { pause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn pauses_grow_up_to_the_longest() {
        let backoff = Backoff { multiplier: 2.0, longest: 50 * MS, jitter: false };
        let pauses: Vec<_> = (0..5).map(|earlier| backoff.pause(10 * MS, earlier)).collect();
        assert_eq!(pauses, [10, 20, 40, 50, 50].map(Duration::from_millis));
        assert_eq!(backoff.pause(Duration::ZERO, 9), Duration::ZERO);
        assert_eq!(Backoff::default().pause(MS, 9), MS);
        let endless = Backoff { multiplier: 100.0, ..Backoff::default() };
        assert_eq!(endless.pause(MS, u32::MAX), Duration::MAX);
    }

    #[test]
    fn jitter_spreads_pauses_over_the_whole_span() {
        let backoff = Backoff { jitter: true, ..Backoff::default() };
        let pauses: Vec<_> = (0..400).map(|_| backoff.pause(10 * MS, 0)).collect();
        assert!(pauses.iter().all(|pause| *pause <= 10 * MS));
        for quarter in 0..4 {
            let within = quarter * 10 * MS / 4..(quarter + 1) * 10 * MS / 4;
            assert!(pauses.iter().any(|pause| within.contains(pause)), "quarter {quarter}");
        }
    }
}
