//! The right to do what others wait for.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spikewire_transport::Tick;

/// How long one request is relied on to find out what a statement is.
pub(super) const RELIANCE: Duration = Duration::from_secs(1);

/// The right to ask a node what a statement is, which is one request's for a while.
#[derive(Debug, Default)]
pub(super) struct Lease(AtomicU64);

impl Lease {
    /// Takes it, and returns when it ends; `None` if another request has it.
    pub fn take(&self, now: Tick) -> Option<u64> {
        let until = now.after(RELIANCE).0;
        let take = |before: u64| (before <= now.0).then_some(until);
        self.0.fetch_update(Relaxed, Relaxed, take).ok().map(|_| until)
    }

    /// Gives back one that ends then, unless another request has taken over.
    pub fn give_back(&self, until: u64) {
        let _ = self.0.compare_exchange(until, 0, Relaxed, Relaxed);
    }

    /// Ends it, whoever has it.
    pub fn end(&self) {
        self.0.store(0, Relaxed);
    }
}
