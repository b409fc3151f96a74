//! Monotonic time as a plain number.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the system's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Tick(pub u64);

impl Tick {
    /// A moment that never comes.
    pub const NEVER: Self = Self(u64::MAX);

    /// The current time.
    pub fn now() -> Self {
        let now = clock_gettime(ClockId::Monotonic);
        Self(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
    }

    /// This moment plus `span`; [`Tick::NEVER`] when that is beyond all time.
    pub fn after(self, span: Duration) -> Self {
        let span = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(span))
    }

    /// Time from `now` until this moment, zero when it has passed; [`Duration::MAX`] for
    /// [`Tick::NEVER`].
    pub fn since(self, now: Self) -> Duration {
        if self == Self::NEVER {
            return Duration::MAX;
        }
        Duration::from_nanos(self.0.saturating_sub(now.0))
    }
}
