//! The partitions that a query reads.

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::limits::PARTITIONS;

use crate::model::{Error, Result};

/// A range of partitions; the first one may start after a given record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partitions {
    first: u16,
    count: u16,
    after: Option<Digest>,
}

impl Partitions {
    /// All partitions.
    pub const ALL: Self = Self { first: 0, count: PARTITIONS as u16, after: None };

    /// `count` partitions from `first` on.
    pub fn range(first: u64, count: u64) -> Result<Self> {
        let all = PARTITIONS as u64;
        if count == 0 || first >= all || count > all - first {
            return Err(Error::invalid(format!(
                "partitions are numbered from 0 to {}, and at least one is wanted; got {count} \
                 from {first} on",
                all - 1
            )));
        }
        Ok(Self { first: first as u16, count: count as u16, after: None })
    }

    /// The rest of the record's partition after it.
    pub fn after(digest: Digest) -> Self {
        Self { first: digest.partition(), count: 1, after: Some(digest) }
    }

    /// Their ids, ascending.
    pub fn ids(&self) -> std::ops::Range<u16> {
        self.first..self.first + self.count
    }

    /// The record to start after, if any.
    pub fn start(&self) -> Option<Digest> {
        self.after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_ranges_must_lie_within_4096() {
        assert_eq!(Partitions::ALL.ids(), 0..4096);
        assert_eq!(Partitions::range(4095, 1).unwrap().ids(), 4095..4096);
        for (first, count) in [(0, 0), (4096, 1), (4095, 2), (0, 4097), (u64::MAX, 1)] {
            assert!(Partitions::range(first, count).is_err(), "{first}, {count}");
        }
        let digest = Digest([7; 20]);
        let after = Partitions::after(digest);
        assert_eq!((after.ids().len(), after.start()), (1, Some(digest)));
    }
}
