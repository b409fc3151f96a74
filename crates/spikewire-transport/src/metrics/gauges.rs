//! Connection counts of a node.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// How many connections to a node are open, and how many were opened. Always counted, since
/// connections are rarely opened.
#[derive(Debug, Default)]
pub struct Gauges {
    open: AtomicUsize,
    opened: AtomicU64,
}

impl Gauges {
    /// A connection was opened, or is being opened.
    pub fn opens(&self) {
        self.open.fetch_add(1, Relaxed);
        self.opened.fetch_add(1, Relaxed);
    }

    /// A connection was closed.
    pub fn closes(&self) {
        self.open.fetch_sub(1, Relaxed);
    }

    /// Number of open connections, including those being opened.
    pub fn open(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// Number of connections opened so far.
    pub fn opened(&self) -> u64 {
        self.opened.load(Relaxed)
    }
}
