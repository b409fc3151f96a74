//! The clock of a cluster: milliseconds since 2010, never before its last truncation.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use spikewire_aerospike_protocol::limits::EPOCH_2010;

/// A time as stored in records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(u64);

impl Moment {
    /// The time at this many milliseconds since 2010.
    pub fn from_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 2010.
    pub fn millis(self) -> u64 {
        self.0
    }

    /// Seconds since 2010.
    pub fn seconds(self) -> u32 {
        (self.0 / 1000) as u32
    }
}

/// The clock shared by all nodes of a cluster.
#[derive(Debug, Default)]
pub struct Clock {
    floor: AtomicU64,
}

impl Clock {
    /// The time now.
    pub fn now(&self) -> Moment {
        Moment(wall().max(self.floor.load(Ordering::Acquire)))
    }

    /// A time after everything written so far, and not after anything written later: a truncation
    /// at this time hides the former but not the latter.
    pub fn divide(&self) -> Moment {
        let next = self.now().0 + 1;
        Moment(self.floor.fetch_max(next, Ordering::AcqRel).max(next))
    }
}

fn wall() -> u64 {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (unix.as_millis() as u64).saturating_sub(EPOCH_2010 * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divide_separates_earlier_from_later_times() {
        let clock = Clock::default();
        for _ in 0..100 {
            let before = clock.now();
            let line = clock.divide();
            assert!(before < line && line <= clock.now());
        }
    }
}
