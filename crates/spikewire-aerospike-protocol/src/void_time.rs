//! Void times: when a record expires, in seconds since 2010-01-01T00:00:00Z; 0 is never.
//!
//! Replies contain the void time, while callers use the seconds left (the TTL). `now` is in seconds
//! since the Unix epoch and is passed in, so that tests need no clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::limits::EPOCH_2010;

/// Seconds since the Unix epoch, by the local clock.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The TTL of a record with this void time; `None` if it never expires. Clocks of node and client
/// may differ a little, so the result is at least one second for a record that was just returned.
pub fn seconds_left(void_time: u32, now: u64) -> Option<u32> {
    (void_time != 0).then(|| {
        let left = (EPOCH_2010 + u64::from(void_time)).saturating_sub(now);
        u32::try_from(left.max(1)).unwrap_or(u32::MAX)
    })
}

/// The TTL of a record that was just read. Records that never expire do not need the clock.
#[inline]
pub fn ttl(void_time: u32) -> Option<u32> {
    if void_time == 0 { None } else { seconds_left(void_time, now()) }
}

/// The void time of a record with this TTL, `None` for no expiry. Clamped: never 0, which would
/// mean no expiry, and never more than 32 bits.
pub fn after(seconds: Option<u32>, now: u64) -> u32 {
    seconds.map_or(0, |seconds| {
        let since_2010 = now.saturating_add(u64::from(seconds)).saturating_sub(EPOCH_2010);
        u32::try_from(since_2010.max(1)).unwrap_or(u32::MAX)
    })
}

/// Whether a record with this void time has expired, by the server's rule.
pub fn is_expired(void_time: u32, now: u64) -> bool {
    void_time != 0 && EPOCH_2010 + u64::from(void_time) < now
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = EPOCH_2010 + 500_000_000;

    #[test]
    fn a_void_time_of_zero_never_expires() {
        assert_eq!(seconds_left(0, NOW), None);
        assert_eq!(after(None, NOW), 0);
        assert!(!is_expired(0, u64::MAX));
    }

    #[test]
    fn seconds_round_trip() {
        for seconds in [1, 60, 86_400, 315_360_000] {
            let void_time = after(Some(seconds), NOW);
            assert_eq!(void_time, 500_000_000 + seconds);
            assert_eq!(seconds_left(void_time, NOW), Some(seconds));
        }
    }

    #[test]
    fn an_expired_void_time_leaves_one_second() {
        assert_eq!(seconds_left(500_000_000, NOW), Some(1));
        assert_eq!(seconds_left(1, NOW), Some(1));
        assert_eq!(seconds_left(1, u64::MAX), Some(1));
    }

    #[test]
    fn out_of_range_void_times_are_clamped() {
        assert_eq!(after(Some(5), 0), 1);
        assert_eq!(after(Some(u32::MAX), NOW), u32::MAX);
        assert_eq!(after(Some(1), u64::MAX), u32::MAX);
        assert_eq!(seconds_left(u32::MAX, 0), Some(u32::MAX));
    }

    /// A record has expired once its void time is less than now; it is still alive in its last
    /// second.
    #[test]
    fn a_record_lives_through_its_last_second() {
        assert!(!is_expired(500_000_000, NOW));
        assert!(is_expired(499_999_999, NOW));
    }
}
