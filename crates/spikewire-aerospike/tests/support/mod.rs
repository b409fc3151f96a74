//! Help for the tests of this crate.

#![allow(dead_code, reason = "each test binary uses its part")]

pub mod fake;

use std::time::{Duration, Instant};

/// Far more than anything here takes, so that a slow machine does not fail a test.
pub const LONG: Duration = Duration::from_secs(60);

/// Waits until `holds`; panics with `what` when it does not for a long time.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
