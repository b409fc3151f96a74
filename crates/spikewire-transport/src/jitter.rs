//! Randomness in pauses: many clients that lost a node at the same moment must not return in step.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use crate::clock::Tick;

/// A random duration of at most `most`.
pub fn drawn(most: Duration) -> Duration {
    // Each hasher state of the standard library differs from the previous one of its thread.
    // Children of a fork start with the same state, but differ in process id and time.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.write_u64(Tick::now().0);
    let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
    let part = u128::from(hasher.finish()) * (u128::from(nanos) + 1);
    Duration::from_nanos((part >> 64) as u64)
}

/// The pause before another attempt to reach a server: between half of `pause` and all of it.
pub fn jittered(pause: Duration) -> Duration {
    let half = pause / 2;
    half + drawn(pause.saturating_sub(half))
}

/// An interval between 90 % and 110 % of `interval`, for what is done again and again.
pub fn about(interval: Duration) -> Duration {
    let tenth = interval / 10;
    interval.saturating_sub(tenth).saturating_add(drawn(tenth.saturating_mul(2)))
}

/// A random number below `count`; 0 if that is 0.
pub fn any_of(count: usize) -> usize {
    let last = u64::try_from(count).unwrap_or(u64::MAX).saturating_sub(1);
    usize::try_from(drawn(Duration::from_nanos(last)).as_nanos()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Whether 400 draws lie between the two and reach into each quarter in between.
    fn is_spread(draw: impl Fn() -> Duration, from: Duration, to: Duration) -> bool {
        let draws: Vec<_> = (0..400).map(|_| draw()).collect();
        let quarter = |at: u32| from + to.saturating_sub(from) * at / 4;
        draws.iter().all(|draw| (from..=to).contains(draw))
            && (0..4).all(|at| draws.iter().any(|it| (quarter(at)..quarter(at + 1)).contains(it)))
    }

    #[test]
    fn pauses_differ_over_their_whole_span() {
        assert!(is_spread(|| drawn(10 * MS), Duration::ZERO, 10 * MS));
        assert!(is_spread(|| jittered(10 * MS), 5 * MS, 10 * MS));
        assert!(is_spread(|| about(10 * MS), 9 * MS, 11 * MS));
        for none in [drawn(Duration::ZERO), jittered(Duration::ZERO), about(Duration::ZERO)] {
            assert_eq!(none, Duration::ZERO);
        }
        assert!(about(Duration::MAX) > Duration::MAX / 2 && jittered(Duration::MAX) > MS);
    }

    #[test]
    fn every_number_below_the_count_is_drawn() {
        let draws: Vec<_> = (0..400).map(|_| any_of(3)).collect();
        assert!((0..3).all(|one| draws.contains(&one)) && draws.iter().all(|one| *one < 3));
        assert_eq!((any_of(0), any_of(1)), (0, 0));
    }

    /// Five hundred clients lose a node at the same moment and try again until it is back: at no
    /// time do many of them arrive together.
    #[test]
    fn five_hundred_clients_do_not_return_in_step() {
        let (first, longest, back) = (100 * MS, 30_000 * MS, 20_000 * MS);
        let mut arrivals: Vec<Duration> = Vec::new();
        for _ in 0..500 {
            let (mut at, mut pause) = (Duration::ZERO, first);
            while at < back {
                at += jittered(pause);
                pause = (pause * 2).min(longest);
            }
            arrivals.push(at);
        }
        arrivals.sort();
        let within = |start: &Duration| {
            arrivals.iter().filter(|at| (*start..*start + 100 * MS).contains(*at)).count()
        };
        let most = arrivals.iter().map(within).max().unwrap_or_default();
        assert!(most < 50, "{most} within a tenth of a second");
    }
}
