//! Iterates over a partition in the order of a query, while records are being written.
//!
//! A scan goes by descending digest; an index query by ascending key, then digest.

use crate::index::entries::Entry;
use crate::storage::partition::Partition;
use crate::storage::table::Table;
use crate::storage::walk::Walk;

use super::record_sender::{IndexRange, Selection, SetFilter};

/// A position in a partition.
#[derive(Debug)]
pub enum PartitionCursor {
    /// By digest.
    Digests(Walk),
    /// By index entries, after this one.
    Entries(Option<Entry>),
}

impl PartitionCursor {
    /// Continues in a locked partition until `each` stops or there are no more records. `each`
    /// returns whether it wants the next one; a record it rejects with `Err` is visited again.
    pub fn go<E>(
        &mut self,
        partition: &Partition,
        node: usize,
        by_index: Option<&IndexRange>,
        mut each: impl FnMut(Option<crate::record::View<'_>>, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(table) = partition.nearest(node) else { return Ok(()) };
        match (self, by_index) {
            (Self::Digests(walk), _) => {
                while let Some(digest) = walk.next() {
                    each(table.get(digest), 0)?;
                    walk.pass();
                }
            }
            (Self::Entries(after), Some(by_index)) => {
                let Some(entries) = partition.entries(&by_index.index) else { return Ok(()) };
                for (first, last) in &by_index.range.spans {
                    for entry in entries.between(*first, *last, *after) {
                        each(table.get(&entry.1), entry.0)?;
                        *after = Some(*entry);
                    }
                }
            }
            (Self::Entries(_), None) => {}
        }
        Ok(())
    }
}

/// Notes the digests of a partition's records for a scan, below `after` if given. Must be followed
/// by [`Walk::sort`].
pub fn gather(
    walk: &mut Walk,
    selection: &Selection,
    partition: &Partition,
    table: &Table,
    after: Option<&[u8; 20]>,
) {
    match selection.set_filter {
        SetFilter::All => walk.gather(table, None, after),
        SetFilter::Set(set) if partition.has_set(set) => {
            let entries = selection.of_set.as_ref().and_then(|index| partition.entries(index));
            match entries {
                Some(entries) => walk.note(entries.digests(after)),
                None => walk.gather(table, Some(set), after),
            }
        }
        SetFilter::Set(_) | SetFilter::Nothing => walk.note(std::iter::empty()),
    }
}
