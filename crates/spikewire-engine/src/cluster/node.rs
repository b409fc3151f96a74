//! One node of the cluster.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::Build;

/// A node: identity that transports key their connections by.
#[derive(Debug)]
pub struct Node {
    /// A number unique within the client and never used again: nodes that leave and come back get
    /// a new one, so connections of the former life cannot be mistaken.
    pub slot: u32,
    /// The server's node id.
    pub name: String,
    /// Where commands go.
    pub address: SocketAddr,
    /// The name to check certificates against.
    pub tls_name: Option<String>,
    /// The server's version; all zero when it was not asked.
    pub build: Build,
    /// Gives the node a rest when it fails too often.
    pub breaker: Breaker,
    active: AtomicBool,
}

impl Node {
    /// A node that was just found.
    pub fn new(slot: u32, name: String, address: SocketAddr, tls_name: Option<String>) -> Self {
        let (build, breaker) = (Build::default(), Breaker::default());
        Self { slot, name, address, tls_name, build, breaker, active: AtomicBool::new(true) }
    }

    /// The same node, whose server has this version.
    #[must_use]
    pub fn with_build(self, build: Build) -> Self {
        Self { build, ..self }
    }

    /// Whether the node is part of the cluster; once false it stays so.
    pub fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Takes the node out; transports drop its connections.
    pub fn retire(&self) {
        self.active.store(false, Relaxed);
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.address)
    }
}

/// Counts a node's errors per window; above the limit the node is given a rest.
///
/// A window in which the limit was hit halves it for the next one, a quiet window doubles it back.
#[derive(Debug, Default)]
pub struct Breaker {
    errors: AtomicU32,
    /// 0: no limit yet.
    limit: AtomicU32,
}

impl Breaker {
    /// Counts one error.
    pub fn record(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// Whether commands should leave the node alone for the rest of this window.
    pub fn is_open(&self) -> bool {
        let limit = self.limit.load(Relaxed);
        limit != 0 && self.errors.load(Relaxed) > limit
    }

    /// Starts over with the configured limit, 0 for none: the node is new or has restarted.
    pub fn reset(&self, full: u32) {
        self.errors.store(0, Relaxed);
        self.limit.store(full, Relaxed);
    }

    /// Starts a new window; `full` is the configured limit, 0 for none.
    pub fn roll(&self, full: u32) {
        let errors = self.errors.swap(0, Relaxed);
        let limit = self.limit.load(Relaxed);
        let next = if full == 0 {
            0
        } else if limit == 0 {
            full
        } else if errors > limit {
            (limit / 2).max(1)
        } else {
            (limit * 2).min(full)
        };
        self.limit.store(next, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_node_rests_and_recovers() {
        let breaker = Breaker::default();
        breaker.roll(4);
        (0..4).for_each(|_| breaker.record());
        assert!(!breaker.is_open());
        breaker.record();
        assert!(breaker.is_open());
        breaker.roll(4);
        (0..3).for_each(|_| breaker.record());
        assert!(breaker.is_open(), "the limit was halved to 2");
        breaker.roll(4);
        breaker.roll(4);
        breaker.roll(4);
        (0..4).for_each(|_| breaker.record());
        assert!(!breaker.is_open(), "quiet windows brought the limit back to 4");
        breaker.roll(0);
        (0..1000).for_each(|_| breaker.record());
        assert!(!breaker.is_open(), "no limit");
    }
}
