//! The connections to a node.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How many connections lead to a node, and how many were opened. Always kept, for connections
/// come and go seldom.
#[derive(Debug, Default)]
pub struct Gauges {
    open: AtomicUsize,
    opened: AtomicU64,
}

impl Gauges {
    /// A connection was opened, or begins to be.
    pub fn opens(&self) {
        self.open.fetch_add(1, Relaxed);
        self.opened.fetch_add(1, Relaxed);
    }

    /// One of them was closed.
    pub fn closes(&self) {
        self.open.fetch_sub(1, Relaxed);
    }

    /// Connections there are, those included that are being opened.
    pub fn open(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// Connections there were.
    pub fn opened(&self) -> u64 {
        self.opened.load(Relaxed)
    }
}
