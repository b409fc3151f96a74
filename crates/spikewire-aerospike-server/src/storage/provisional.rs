//! Records of a partition as transactions have written them. Each locks its record until its
//! transaction is over. Copies of a partition never differ, so there is one for all of them.

use std::collections::HashMap;

use crate::record::View;

/// A record as a transaction has written it.
#[derive(Debug)]
pub struct Provisional {
    /// The id of the transaction.
    pub transaction: u64,
    /// When the transaction expires, in seconds since 2010.
    pub deadline: u32,
    /// The record; `None` if the transaction has deleted it.
    pub image: Option<Box<[u8]>>,
}

impl Provisional {
    /// The record.
    pub fn view(&self) -> Option<View<'_>> {
        self.image.as_deref().map(View::new)
    }
}

/// The provisional records of a partition.
#[derive(Debug, Default)]
pub struct Provisionals(HashMap<[u8; 20], Provisional>);

impl Provisionals {
    /// What locks this record.
    #[inline]
    pub fn get(&self, digest: &[u8; 20]) -> Option<&Provisional> {
        if self.0.is_empty() { None } else { self.0.get(digest) }
    }

    /// Locks a record, or replaces what the same transaction wrote before.
    pub fn put(&mut self, digest: [u8; 20], provisional: Provisional) {
        self.0.insert(digest, provisional);
    }

    /// Unlocks a record if this transaction locks it.
    pub fn take(&mut self, digest: &[u8; 20], transaction: u64) -> Option<Provisional> {
        if self.get(digest)?.transaction != transaction {
            return None;
        }
        let removed = self.0.remove(digest);
        if self.0.is_empty() {
            self.0 = HashMap::new();
        }
        removed
    }

    /// All of them, with their digests.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8; 20], &Provisional)> {
        self.0.iter()
    }

    /// Number of locked records.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no record is locked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.0 = HashMap::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_transaction_unlocks_a_record() {
        let mut provisionals = Provisionals::default();
        let of = |transaction| Provisional { transaction, deadline: 9, image: None };
        provisionals.put([7; 20], of(1));
        assert!(provisionals.take(&[7; 20], 2).is_none() && provisionals.get(&[7; 20]).is_some());
        assert!(provisionals.take(&[7; 20], 1).is_some() && provisionals.is_empty());
        assert!(provisionals.take(&[7; 20], 1).is_none());
    }
}
