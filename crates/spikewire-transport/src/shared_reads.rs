//! What a client has to know to let identical reads share one request.
//!
//! A read may take the reply to an earlier one only if the client has not written the record since
//! that was sent. So the client counts its writes by record, once as they start and once before they
//! are completed: a read that finds the same count as an earlier one was called neither after a
//! write that the earlier one may have missed, nor after the end of one. Counts belong to hashes of
//! records ([`OrderKey`]); those of batches and of other work on many records belong to all.

use std::sync::OnceLock;

use spikewire_sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

use crate::keys::OrderKey;

/// Which requests a read may share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShareReads {
    /// None: each read has its own.
    #[default]
    Off,
    /// Those of which no byte was written yet. The reply is as recent as that to an own request.
    Unsent,
    /// Also those on their way: the reply may be older than the call, at most by one round trip.
    InFlight,
}

/// The reads of one client that share requests, over all of its drivers.
#[derive(Debug, Default)]
pub struct SharedReads {
    /// Writes that started or ended, by the hash of their record; those about many come first.
    /// Empty until the first read that may share a request.
    writes: OnceLock<Box<[AtomicU64]>>,
    /// How many reads were answered by the request of another one.
    joined: AtomicU64,
}

impl SharedReads {
    /// Whether any read may share a request, so that writes are counted.
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        self.writes.get().is_some()
    }

    /// How many reads were answered by the request of another one.
    pub fn joined(&self) -> u64 {
        self.joined.load(Relaxed)
    }

    /// Counts a write that starts, or that is about to be completed. Without a key it may be about
    /// any record.
    #[inline]
    pub fn count_write(&self, key: OrderKey) {
        if let Some(writes) = self.writes.get() {
            writes[key.index()].fetch_add(1, AcqRel);
        }
    }

    /// The number of writes that may have been about the record with this key. It never decreases.
    /// Writes are counted from the first call on.
    pub(crate) fn writes(&self, key: OrderKey) -> u64 {
        let writes = self
            .writes
            .get_or_init(|| (0..OrderKey::COUNT).map(|_| AtomicU64::new(0)).collect::<Box<[_]>>());
        let of_many = writes[OrderKey::NONE.index()].load(Acquire);
        of_many.wrapping_add(writes[key.index()].load(Acquire))
    }

    /// Counts a read that shares a request.
    pub(crate) fn count_joined(&self) {
        self.joined.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_counted_by_record() {
        let reads = SharedReads::default();
        let (key, other) = (OrderKey::of(3), OrderKey::of(4));
        let counts = |reads: &SharedReads| [reads.writes(key), reads.writes(other)];
        reads.count_write(key);
        assert!(!reads.is_enabled());
        assert_eq!((counts(&reads), reads.is_enabled()), ([0, 0], true));
        reads.count_write(key);
        assert_eq!(counts(&reads), [1, 0]);
        reads.count_write(OrderKey::NONE);
        assert_eq!(counts(&reads), [2, 1], "a write of many records may be about any");
    }
}
