//! A locked partition.
//!
//! All changes to records go through here, so that the indexes of the namespace are updated in the
//! same step.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use spikewire_sync::MutexGuard;

use super::partition::Partition;
use crate::index::Index;
use crate::record::View;
use crate::record::sets::Sets;

/// A locked partition.
#[derive(Debug)]
pub struct LockedPartition<'a> {
    sets: &'a Sets,
    partition: MutexGuard<'a, Partition>,
}

impl<'a> LockedPartition<'a> {
    pub(super) fn new(sets: &'a Sets, partition: MutexGuard<'a, Partition>) -> Self {
        Self { sets, partition }
    }

    /// Stores an image on every copy. `old` is the set and size of what it replaces.
    pub fn put(&mut self, image: &[u8], old: Option<(u16, usize)>) {
        self.partition.reindex(self.sets, View::new(image).digest(), Some(View::new(image)));
        if self.partition.put_image(image, old) {
            self.sets.learn(View::new(image).set(), self.partition.owners());
        }
    }

    /// Sets the owners, in this order. New owners first get a copy of the master's records, and
    /// learn the sets of those; others lose their copy. Returns whether anything changed.
    pub fn assign(&mut self, owners: &[usize]) -> bool {
        let changed = self.partition.assign_owners(owners);
        if changed {
            for usage in self.partition.usage().iter().filter(|usage| usage.objects > 0) {
                self.sets.learn(usage.set, self.partition.owners());
            }
        }
        changed
    }

    /// Removes a record from every copy; returns whether it existed.
    pub fn remove(&mut self, digest: &[u8; 20]) -> bool {
        self.partition.reindex(self.sets, digest, None);
        self.partition.remove_record(digest)
    }

    /// Makes what a transaction wrote the record, or drops it, and unlocks the record.
    pub fn roll(&mut self, digest: &[u8; 20], transaction: u64, forward: bool) {
        let Some(written) = self.partition.provisionals.take(digest, transaction) else { return };
        match written.image {
            _ if !forward => {}
            Some(image) => {
                let old = self.partition.master().and_then(|table| table.get(digest));
                let old = old.map(|record| (record.set(), record.image().len()));
                self.put(&image, old);
            }
            None => {
                self.remove(digest);
            }
        }
    }

    /// Frees the records selected by `dead` on every copy; returns the number of examined records.
    pub fn sweep(&mut self, dead: impl Fn(View<'_>) -> bool) -> usize {
        self.partition.unindex_all(self.sets, &dead);
        self.partition.sweep_records(dead)
    }

    /// Adds the partition's entries to a new index; returns the number of examined records.
    pub fn add_index(&mut self, index: &Arc<Index>) -> usize {
        self.partition.build_entries(self.sets, index)
    }
}

impl Deref for LockedPartition<'_> {
    type Target = Partition;

    fn deref(&self) -> &Partition {
        &self.partition
    }
}

impl DerefMut for LockedPartition<'_> {
    fn deref_mut(&mut self) -> &mut Partition {
        &mut self.partition
    }
}
