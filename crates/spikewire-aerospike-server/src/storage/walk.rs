//! Iterates over a partition in scan order while it is being read and written.
//!
//! A walk stores only the digests that exist at its start. Each record is looked up when its turn
//! comes, so its current version is returned; a record removed in the meantime is skipped, and an
//! added one is not visited. A record that exists all the time is visited exactly once.

use super::table::Table;

/// The digests of a partition still to be visited, the next one last.
#[derive(Debug, Default)]
pub struct Walk(Vec<[u8; 20]>);

impl Walk {
    /// Stores the digests below `after`, or all of them, of one set or of all. Must be followed by
    /// [`Walk::sort`], which does not need the table and should run without its lock.
    pub fn gather(&mut self, table: &Table, set: Option<u16>, after: Option<&[u8; 20]>) {
        self.0.clear();
        if set.is_none() {
            self.0.reserve(table.len());
        }
        let records = table.iter().filter(|record| set.is_none_or(|set| set == record.set()));
        let digests = records.map(|record| *record.digest());
        self.0.extend(digests.filter(|digest| after.is_none_or(|after| digest < after)));
    }

    /// Stores these digests. Must be followed by [`Walk::sort`].
    pub fn note(&mut self, digests: impl Iterator<Item = [u8; 20]>) {
        self.0.clear();
        self.0.extend(digests);
    }

    /// Sorts the digests and removes duplicates.
    pub fn sort(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
    }

    /// The next digest, in descending order.
    pub fn next(&self) -> Option<&[u8; 20]> {
        self.0.last()
    }

    /// Skips the next digest.
    pub fn pass(&mut self) {
        self.0.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Draft;
    use spikewire_aerospike_protocol::key::Digest;

    #[test]
    fn digests_fall_and_start_below_a_point() {
        let mut table = Table::default();
        let mut image = Vec::new();
        for id in [5, 1, 9, 7] {
            let draft = Draft {
                digest: Digest([id; 20]),
                generation: 1,
                set: 0,
                void_time: 0,
                last_update: 0,
                bins: 0,
            };
            draft.compose(&mut image, b"", None);
            table.put(&image);
        }
        let mut walk = Walk::default();
        let met = |walk: &mut Walk, after: Option<u8>| {
            walk.gather(&table, None, after.map(|id| [id; 20]).as_ref());
            walk.sort();
            let mut ids = Vec::new();
            while let Some(digest) = walk.next() {
                ids.push(digest[0]);
                walk.pass();
            }
            ids
        };
        assert_eq!(met(&mut walk, None), [9, 7, 5, 1]);
        assert_eq!(met(&mut walk, Some(7)), [5, 1]);
        assert_eq!(met(&mut walk, Some(8)), [7, 5, 1]);
        assert!(met(&mut walk, Some(0)).is_empty());
    }
}
