//! Help for the tests of this crate.

#![allow(dead_code, reason = "each test binary uses its part")]

pub mod fake;

use std::time::{Duration, Instant};

/// Much longer than anything here takes, so that a slow machine does not fail a test.
pub const LONG: Duration = Duration::from_secs(60);

/// Waits until `holds` returns true; panics with `what` if that takes too long.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}
