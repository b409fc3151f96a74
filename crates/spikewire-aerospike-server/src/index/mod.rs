//! Secondary indexes: find records by value.
//!
//! An index belongs to a namespace, or to one of its sets, and its entries to the partitions: an
//! entry is a key derived from the value, and the record's digest. It is updated under the lock of
//! its partition, in the same step as the record, so it is always consistent with the records;
//! entries move together with their partition. Keys are short and may stand for several values, so
//! a query checks each record it finds.
//!
//! An index may also contain all records of a set, so that a scan of the set visits no others.
//!
//! | module | what it holds |
//! |---|---|
//! | [`definition`] | what is indexed |
//! | [`key`] | values, and the keys that stand for them |
//! | [`entries`] | the entries of one partition |
//! | [`query_range`] | the values a query asks for |
//! | [`list`] | the indexes of a namespace |
//! | [`unknown_namespaces`] | indexes of namespaces that are not there |

pub mod definition;
pub mod entries;
pub mod key;
pub mod list;
pub mod query_range;
pub mod unknown_namespaces;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_sync::RwLock;

use self::definition::{Definition, Source};

/// An index.
#[derive(Debug)]
pub struct Index {
    /// Its name, which can change; empty for an index created by the configuration of a set.
    name: RwLock<String>,
    /// What is indexed.
    pub definition: Definition,
    /// Number of partitions whose entries are complete.
    built: AtomicUsize,
    dropped: AtomicBool,
    started: Instant,
    /// Build time in seconds.
    took: AtomicU64,
}

impl Index {
    /// An index without entries.
    pub fn new(name: &str, definition: Definition) -> Self {
        Self {
            name: RwLock::new(name.to_owned()),
            definition,
            built: AtomicUsize::new(0),
            dropped: AtomicBool::new(false),
            started: Instant::now(),
            took: AtomicU64::new(0),
        }
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.name.read().clone()
    }

    /// Whether it contains all records of a set instead of values.
    pub fn is_of_set(&self) -> bool {
        matches!(self.definition.source, Source::Set)
    }

    /// Whether it contains all records of this set.
    fn is_all_of(&self, set: u16) -> bool {
        self.is_of_set() && self.definition.set.as_ref().is_some_and(|(_, number)| *number == set)
    }

    /// Whether it is complete.
    pub fn is_ready(&self) -> bool {
        self.built.load(Ordering::Acquire) >= PARTITIONS
    }

    /// Build progress in percent; 100 only when it is ready.
    pub fn percent(&self) -> usize {
        self.built.load(Ordering::Acquire).min(PARTITIONS) * 100 / PARTITIONS
    }

    /// Build time in seconds, so far if unfinished.
    pub fn load_time(&self) -> u64 {
        if self.is_ready() {
            self.took.load(Ordering::Acquire)
        } else {
            self.started.elapsed().as_secs()
        }
    }

    /// Records that one more partition is complete.
    pub fn pass_partition(&self) {
        self.took.store(self.started.elapsed().as_secs(), Ordering::Release);
        self.built.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether it was deleted; a query that still uses it finds nothing.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }
}
