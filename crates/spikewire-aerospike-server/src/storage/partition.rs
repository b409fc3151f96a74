//! One partition of one namespace: all its copies, in the order of their roles.
//!
//! All copies of a partition share one lock. A write is applied to all of them before the lock is
//! released, so they never differ, and a copy is created or dropped in one step: no write can fall
//! between the old owner and the new one.

use std::sync::Arc;

use super::provisional::Provisionals;
use super::table::Table;
use crate::index::Index;
use crate::index::entries::Entries;
use crate::record::View;
use crate::record::sets::Sets;

/// One node's copy.
#[derive(Debug)]
pub struct Replica {
    /// The node that holds it.
    pub node: usize,
    /// Its records.
    pub table: Table,
}

/// The part of a set in a partition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The set's number.
    pub set: u16,
    /// Records in one copy.
    pub objects: u64,
    /// Bytes in one copy.
    pub bytes: u64,
}

/// A partition and its copies.
#[derive(Debug, Default)]
pub struct Partition {
    /// The copies, the master's first. Empty only while no node is alive.
    replicas: Vec<Replica>,
    usage: Vec<Usage>,
    /// Its entries in each index that has been built for it.
    entries: Vec<Entries>,
    /// Records as transactions have written them, which lock them.
    pub provisionals: Provisionals,
    /// No record expires before this time in seconds; 0 = none expires at all.
    next_expiry: u32,
}

impl Partition {
    /// The nodes that hold a copy, master first.
    pub fn owners(&self) -> impl Iterator<Item = usize> + '_ {
        self.replicas.iter().map(|replica| replica.node)
    }

    /// The role of a node: 0 is master.
    pub fn role(&self, node: usize) -> Option<usize> {
        self.owners().position(|owner| owner == node)
    }

    /// The master's records; `None` while no node owns the partition.
    pub fn master(&self) -> Option<&Table> {
        self.replicas.first().map(|replica| &replica.table)
    }

    /// The records for a read at `node`: its own copy, else the master's.
    pub fn nearest(&self, node: usize) -> Option<&Table> {
        let own = self.replicas.iter().find(|replica| replica.node == node);
        own.or(self.replicas.first()).map(|replica| &replica.table)
    }

    /// Records and bytes per set, of one copy.
    pub fn usage(&self) -> &[Usage] {
        &self.usage
    }

    /// Whether it contains records of a set.
    pub fn has_set(&self, set: u16) -> bool {
        self.usage.iter().any(|usage| usage.set == set && usage.objects > 0)
    }

    /// Updates the indexes for a change of a record, before the change.
    pub(super) fn reindex(&mut self, sets: &Sets, digest: &[u8; 20], new: Option<View<'_>>) {
        if self.entries.is_empty() {
            return;
        }
        let old = self.replicas.first().and_then(|replica| replica.table.get(digest));
        for entries in &mut self.entries {
            entries.update(sets, old, new);
        }
    }

    /// Removes the records selected by `dead` from the indexes, before they are removed.
    pub(super) fn unindex_all(&mut self, sets: &Sets, dead: impl Fn(View<'_>) -> bool) {
        let Some(master) = self.replicas.first().filter(|_| !self.entries.is_empty()) else {
            return;
        };
        for record in master.table.iter().filter(|record| dead(*record)) {
            for entries in &mut self.entries {
                entries.update(sets, Some(record), None);
            }
        }
    }

    /// Adds its entries to a new index; returns the number of examined records.
    pub(super) fn build_entries(&mut self, sets: &Sets, index: &Arc<Index>) -> usize {
        let records = self.replicas.first().map(|replica| &replica.table);
        let records = records.into_iter().flat_map(Table::iter);
        self.entries.push(Entries::build(index.clone(), sets, records));
        self.master().map_or(0, Table::len)
    }

    /// Its entries in an index.
    pub fn entries(&self, index: &Index) -> Option<&Entries> {
        self.entries.iter().find(|entries| entries.belong_to(index))
    }

    /// Removes its entries in an index.
    pub fn drop_index(&mut self, index: &Index) {
        self.entries.retain(|entries| !entries.belong_to(index));
    }

    /// Stores an image on every copy. `old` is the set and size of what it replaces. Returns whether
    /// it is the first record of its set.
    pub(super) fn put_image(&mut self, image: &[u8], old: Option<(u16, usize)>) -> bool {
        if let Some((set, bytes)) = old {
            self.count(set, -1, -(bytes as i64));
        }
        let view = View::new(image);
        let objects = self.count(view.set(), 1, image.len() as i64);
        let void_time = view.void_time();
        if void_time != 0 && (self.next_expiry == 0 || void_time < self.next_expiry) {
            self.next_expiry = void_time;
        }
        for replica in &mut self.replicas {
            replica.table.put(image);
        }
        old.is_none() && objects == 1
    }

    /// Removes a record from every copy; returns whether it existed.
    pub(super) fn remove_record(&mut self, digest: &[u8; 20]) -> bool {
        let Some(record) = self.master().and_then(|table| table.get(digest)) else { return false };
        let (set, bytes) = (record.set(), record.image().len());
        self.count(set, -1, -(bytes as i64));
        for replica in &mut self.replicas {
            replica.table.remove(digest);
        }
        true
    }

    /// Frees the records selected by `dead` on every copy; returns the number of examined records.
    pub(super) fn sweep_records(&mut self, dead: impl Fn(View<'_>) -> bool) -> usize {
        let Some(master) = self.master() else { return 0 };
        let looked_at = master.len();
        let mut next_expiry = 0;
        let mut usage: Vec<Usage> = Vec::new();
        let mut any_dead = false;
        for record in master.iter() {
            if dead(record) {
                any_dead = true;
                continue;
            }
            let void_time = record.void_time();
            if void_time != 0 && (next_expiry == 0 || void_time < next_expiry) {
                next_expiry = void_time;
            }
            let entry = entry(&mut usage, record.set());
            entry.objects += 1;
            entry.bytes += record.image().len() as u64;
        }
        self.next_expiry = next_expiry;
        if any_dead {
            self.usage = usage;
            for replica in &mut self.replicas {
                replica.table.retain(|record| !dead(record));
            }
        }
        looked_at
    }

    /// Whether any record may have expired at `now`.
    pub fn may_expire(&self, now: u32) -> bool {
        self.next_expiry != 0 && self.next_expiry < now
    }

    /// Removes a dead node's copy.
    pub fn drop_node(&mut self, node: usize) -> bool {
        let before = self.replicas.len();
        self.replicas.retain(|replica| replica.node != node);
        if self.replicas.is_empty() {
            self.usage.clear();
            self.next_expiry = 0;
            self.provisionals.clear();
            self.entries.iter_mut().for_each(Entries::clear);
        }
        self.replicas.len() != before
    }

    /// Sets the owners, in this order. New owners first get a copy of the master's records; others
    /// lose their copy. Returns whether anything changed.
    pub(super) fn assign_owners(&mut self, owners: &[usize]) -> bool {
        if self.owners().eq(owners.iter().copied()) {
            return false;
        }
        let mut old = std::mem::take(&mut self.replicas);
        let mut new: Vec<Replica> = Vec::with_capacity(owners.len());
        for &node in owners {
            let position = old.iter().position(|replica| replica.node == node);
            let table = if let Some(at) = position {
                old.remove(at).table
            } else {
                let source = old.first().or(new.first());
                source.map(|replica| replica.table.duplicate()).unwrap_or_default()
            };
            new.push(Replica { node, table });
        }
        self.replicas = new;
        true
    }

    /// Adds to the usage of a set; returns its number of objects.
    fn count(&mut self, set: u16, objects: i64, bytes: i64) -> u64 {
        let entry = entry(&mut self.usage, set);
        entry.objects = entry.objects.wrapping_add_signed(objects);
        entry.bytes = entry.bytes.wrapping_add_signed(bytes);
        entry.objects
    }
}

fn entry(usage: &mut Vec<Usage>, set: u16) -> &mut Usage {
    let at = usage.iter().position(|entry| entry.set == set).unwrap_or_else(|| {
        usage.push(Usage { set, ..Usage::default() });
        usage.len() - 1
    });
    &mut usage[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Draft;
    use spikewire_aerospike_protocol::key::Digest;

    fn image(id: u8, void_time: u32) -> Vec<u8> {
        let draft = Draft {
            digest: Digest([id; 20]),
            generation: 1,
            set: u16::from(id % 2),
            void_time,
            last_update: 5,
            bins: 0,
        };
        let mut image = Vec::new();
        draft.compose(&mut image, b"", None);
        image
    }

    #[test]
    fn owners_change_and_records_stay() {
        let mut partition = Partition::default();
        assert!(partition.assign_owners(&[0, 1]));
        partition.put_image(&image(7, 0), None);
        assert!(partition.drop_node(0) && !partition.drop_node(0));
        assert!(partition.assign_owners(&[2, 1]) && !partition.assign_owners(&[2, 1]));
        assert_eq!(
            (partition.role(2), partition.role(1), partition.role(0)),
            (Some(0), Some(1), None)
        );
        assert!(partition.nearest(2).unwrap().get(&[7; 20]).is_some());
        assert!(partition.nearest(0).unwrap().get(&[7; 20]).is_some());
        assert!(partition.remove_record(&[7; 20]) && !partition.remove_record(&[7; 20]));
        assert!(partition.usage().iter().all(|usage| usage.objects == 0 && usage.bytes == 0));
    }

    #[test]
    fn a_sweep_frees_and_remembers_what_expires_next() {
        let mut partition = Partition::default();
        partition.assign_owners(&[0, 1]);
        for (id, void_time) in [(1, 10), (2, 20), (3, 0)] {
            partition.put_image(&image(id, void_time), None);
        }
        assert!(partition.may_expire(11) && !partition.may_expire(10));
        assert_eq!(partition.sweep_records(|record| record.is_expired(11)), 3);
        assert!(!partition.may_expire(20) && partition.may_expire(21));
        let usage: u64 = partition.usage().iter().map(|usage| usage.objects).sum();
        assert_eq!(usage, 2);
    }
}
