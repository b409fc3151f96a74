//! Monotonic time as a plain integer.

use std::time::Duration;

#[cfg(not(loom))]
use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the system's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Tick(pub u64);

impl Tick {
    /// A time that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// The time as a test in loom has it.
    #[cfg(loom)]
    pub fn now() -> Self {
        Self(0).after(spikewire_sync::thread::elapsed())
    }

    /// The current time.
    #[cfg(not(loom))]
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::Monotonic);
        Self(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
    }

    /// This time plus `span`; [`Tick::NEVER`] on overflow.
    pub fn after(self, span: Duration) -> Self {
        let span = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(span))
    }

    /// Whole microseconds from `earlier` until this moment, from 1 to `most`.
    pub(crate) fn micros_since(self, earlier: Self, most: u32) -> u32 {
        (self.0.saturating_sub(earlier.0) / 1000).clamp(1, most.into()) as u32
    }

    /// The time from `now` until this moment: zero if it has passed, [`Duration::MAX`] for
    /// [`Tick::NEVER`].
    pub fn since(self, now: Self) -> Duration {
        if self == Self::NEVER {
            return Duration::MAX;
        }
        Duration::from_nanos(self.0.saturating_sub(now.0))
    }
}

/// A duration in four bytes, with microsecond precision below half an hour and second precision
/// above. Always rounded up, so that a positive duration never becomes zero. At most 68 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span(u32);

impl Span {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// Set if the value is in seconds.
    const SECONDS: u32 = 1 << 31;

    /// Whether it is zero.
    #[inline(always)]
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl From<Duration> for Span {
    fn from(span: Duration) -> Self {
        let micros = span.as_nanos().div_ceil(1000);
        if micros < u128::from(Self::SECONDS) {
            return Self(micros as u32);
        }
        let seconds = micros.div_ceil(1_000_000).min(u128::from(Self::SECONDS - 1));
        Self(Self::SECONDS | seconds as u32)
    }
}

impl From<Span> for Duration {
    #[inline]
    fn from(Span(span): Span) -> Self {
        match span & Span::SECONDS {
            0 => Self::from_micros(u64::from(span)),
            _ => Self::from_secs(u64::from(span & !Span::SECONDS)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_rounded_up() {
        for (duration, expected) in [
            (Duration::ZERO, Duration::ZERO),
            (Duration::from_nanos(1), Duration::from_micros(1)),
            (Duration::from_micros(12_345), Duration::from_micros(12_345)),
            (Duration::from_secs(2147), Duration::from_secs(2147)),
            (Duration::from_millis(2_147_484), Duration::from_secs(2148)),
            (Duration::from_secs(1 << 30), Duration::from_secs(1 << 30)),
            (Duration::MAX, Duration::from_secs((1 << 31) - 1)),
        ] {
            let span = Span::from(duration);
            assert_eq!(Duration::from(span), expected);
            assert_eq!(span.is_zero(), duration.is_zero());
        }
    }
}
