//! Stamps: whether a record may have been written by this client since something was read.
//!
//! Records share counters by parts of their digests; a write of one makes what is kept of others
//! with the same counter useless, which is rare and costs a read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire};

/// Number of counters.
const STRIPES: usize = 1 << 14;
/// A counter has the writes in flight in its lower bits and, above, how many began or ended.
const EPOCH: u64 = 1 << 24;

/// What a write of the record changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    stripe: u64,
    all: u64,
}

impl Stamp {
    /// Whether a write is in flight: what is read meanwhile may be the value before it.
    pub fn is_written(self) -> bool {
        !self.stripe.is_multiple_of(EPOCH)
    }
}

/// The counters.
#[derive(Debug)]
pub(crate) struct Writes {
    stripes: Box<[AtomicU64]>,
    /// Writes of unknown records.
    all: AtomicU64,
}

impl Default for Writes {
    fn default() -> Self {
        let stripes = (0..STRIPES).map(|_| AtomicU64::default()).collect();
        Self { stripes, all: AtomicU64::default() }
    }
}

impl Writes {
    /// The record's stamp at this time.
    #[inline]
    pub fn stamp(&self, digest: &[u8]) -> Stamp {
        let stripe = self.stripes[stripe_of(digest)].load(Acquire);
        Stamp { stripe, all: self.all.load(Acquire) }
    }

    /// A write of this record begins; it is over when the guard is dropped.
    pub fn begin(own: &Arc<Self>, digest: &[u8]) -> WriteGuard {
        let stripe = stripe_of(digest);
        own.stripes[stripe].fetch_add(EPOCH + 1, AcqRel);
        WriteGuard { writes: own.clone(), stripe }
    }

    /// Every record may have been written.
    pub fn invalidate_all(&self) {
        self.all.fetch_add(1, AcqRel);
    }
}

/// Other bytes than those of the partition, which rows of a node share.
fn stripe_of(digest: &[u8]) -> usize {
    match digest {
        [_, _, _, _, a, b, ..] => usize::from(u16::from_le_bytes([*a, *b])) % STRIPES,
        _ => 0,
    }
}

/// A write in flight.
#[derive(Debug)]
pub(crate) struct WriteGuard {
    writes: Arc<Writes>,
    stripe: usize,
}

impl Drop for WriteGuard {
    fn drop(&mut self) {
        self.writes.stripes[self.stripe].fetch_add(EPOCH - 1, AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_change_with_every_write_and_never_return() {
        let writes = Arc::new(Writes::default());
        let (one, other) = ([1; 20], [2; 20]);
        let (before, apart) = (writes.stamp(&one), writes.stamp(&other));
        let guards = [Writes::begin(&writes, &one), Writes::begin(&writes, &one)];
        let during = writes.stamp(&one);
        assert!(during.is_written() && !before.is_written());
        drop(guards);
        let after = writes.stamp(&one);
        assert!(!after.is_written());
        assert_ne!(before, after);
        assert_eq!(apart, writes.stamp(&other));
        writes.invalidate_all();
        assert_ne!(apart, writes.stamp(&other));
    }
}
