//! What is always counted of a node, because it happens rarely.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use super::histogram::{Histogram, LiveHistogram};

/// How many connections to a node are open, how many were opened and how long that took, and the
/// bytes of the client's own requests.
#[derive(Debug, Default)]
pub struct Gauges {
    open: AtomicUsize,
    opened: AtomicU64,
    connect_times: LiveHistogram,
    control_sent: AtomicU64,
    control_received: AtomicU64,
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

    /// A connection became ready for commands after this time.
    pub fn connected(&self, took: Duration) {
        self.connect_times.record_any(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// A request of the client's own was sent, and answered with this many bytes.
    pub fn controls(&self, sent: usize, received: usize) {
        self.control_sent.fetch_add(sent as u64, Relaxed);
        self.control_received.fetch_add(received as u64, Relaxed);
    }

    /// How long it took until connections were ready, with their handshakes.
    pub fn connect_times(&self) -> Histogram {
        self.connect_times.read()
    }

    /// Bytes of the client's own requests: those sent, those received.
    pub fn control_bytes(&self) -> (u64, u64) {
        (self.control_sent.load(Relaxed), self.control_received.load(Relaxed))
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
