//! The records of one partition on one node.

use hashbrown::HashTable;

use crate::record::{Record, View};

/// A hash table of records, keyed by the digests inside them.
#[derive(Debug, Default)]
pub struct Table(HashTable<Record>);

/// Digests are hashes already; their first bytes determine the partition, so others are used.
fn hash(digest: &[u8; 20]) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[8..16]);
    u64::from_le_bytes(bytes)
}

impl Table {
    /// The record with this digest.
    pub fn get(&self, digest: &[u8; 20]) -> Option<View<'_>> {
        self.0.find(hash(digest), |record| record.view().digest() == digest).map(Record::view)
    }

    /// Stores an image under its digest.
    pub fn put(&mut self, image: &[u8]) {
        let digest = View::new(image).digest();
        let known = self.0.find_mut(hash(digest), |record| record.view().digest() == digest);
        if let Some(record) = known {
            return record.replace(image);
        }
        let rehash = |record: &Record| hash(record.view().digest());
        self.0.insert_unique(hash(digest), Record::new(image), rehash);
    }

    /// Removes the record with this digest.
    pub fn remove(&mut self, digest: &[u8; 20]) {
        if let Ok(entry) =
            self.0.find_entry(hash(digest), |record| record.view().digest() == digest)
        {
            entry.remove();
        }
    }

    /// Its records, in no order.
    pub fn iter(&self) -> impl Iterator<Item = View<'_>> {
        self.0.iter().map(Record::view)
    }

    /// Keeps only the records for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(View<'_>) -> bool) {
        self.0.retain(|record| keep(record.view()));
        if self.0.is_empty() {
            self.0 = HashTable::new();
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A copy, record by record.
    pub fn duplicate(&self) -> Self {
        let mut copy = HashTable::with_capacity(self.0.len());
        for record in self.iter() {
            copy.insert_unique(hash(record.digest()), Record::new(record.image()), |record| {
                hash(record.view().digest())
            });
        }
        Self(copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Draft;
    use spikewire_aerospike_protocol::key::{UserKey, digest};

    #[test]
    fn inserted_records_can_be_looked_up_and_removed() {
        let mut table = Table::default();
        let mut image = Vec::new();
        let digests: Vec<_> = (0..1000).map(|key| digest("s", &UserKey::Int(key))).collect();
        for (at, digest) in digests.iter().enumerate() {
            let draft = Draft {
                digest: *digest,
                generation: at as u16,
                set: 0,
                void_time: 0,
                last_update: 0,
                bins: 0,
            };
            draft.compose(&mut image, &vec![1; at % 50], None);
            table.put(&image);
            draft.compose(&mut image, &vec![2; at % 51], None);
            table.put(&image);
        }
        assert_eq!((table.len(), table.duplicate().len()), (1000, 1000));
        for (at, digest) in digests.iter().enumerate() {
            let record = table.get(&digest.0).unwrap();
            assert_eq!((record.generation(), record.bins()), (at as u16, &vec![2; at % 51][..]));
            table.remove(&digest.0);
            assert!(table.get(&digest.0).is_none());
        }
        assert!(table.is_empty());
    }
}
