//! Secondary indexes: which records hold a value.
//!
//! An index belongs to a namespace, or to one of its sets, and its entries to the partitions: an
//! entry is a key that stands for the value, and the record's digest. It is changed under the lock
//! of its partition, in the same step as the record, so it always says what the records say; where
//! partitions go, their entries go with them. Keys are short and may stand for several values, so
//! a query looks at each record it finds.
//!
//! An index may also be of all records of a set, so that a scan of the set meets no others.
//!
//! | module | what it holds |
//! |---|---|
//! | [`definition`] | what is indexed |
//! | [`key`] | values, and the keys that stand for them |
//! | [`entries`] | the entries of one partition |
//! | [`query_range`] | the values a query asks for |
//! | [`list`] | the indexes of a namespace |
//! | [`unknown`] | indexes of namespaces that are not there |
//! | [`build`] | filling an index from the records that are there, and emptying it |

pub mod build;
pub mod definition;
pub mod entries;
pub mod key;
pub mod list;
pub mod query_range;
pub mod unknown;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_sync::RwLock;

use self::definition::{Definition, Source};

/// An index.
#[derive(Debug)]
pub struct Index {
    /// Its name, which may change; empty for an index that the configuration of a set made.
    name: RwLock<String>,
    /// What is indexed.
    pub definition: Definition,
    /// Partitions that have their entries.
    built: AtomicUsize,
    dropped: AtomicBool,
    started: Instant,
    /// How long filling it took, in seconds.
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

    /// Whether it is of all records of a set, not of values.
    pub fn is_of_set(&self) -> bool {
        matches!(self.definition.source, Source::Set)
    }

    /// Whether it is of all records of this set.
    fn is_all_of(&self, set: u16) -> bool {
        self.is_of_set() && self.definition.set.as_ref().is_some_and(|(_, number)| *number == set)
    }

    /// Whether every partition has its entries.
    pub fn is_ready(&self) -> bool {
        self.built.load(Ordering::Acquire) >= PARTITIONS
    }

    /// How much of it is filled, in percent; 100 only when it is ready.
    pub fn percent(&self) -> usize {
        self.built.load(Ordering::Acquire).min(PARTITIONS) * 100 / PARTITIONS
    }

    /// Seconds that filling it took, or has taken so far.
    pub fn load_time(&self) -> u64 {
        if self.is_ready() {
            self.took.load(Ordering::Acquire)
        } else {
            self.started.elapsed().as_secs()
        }
    }

    /// Notes that one more partition has its entries.
    fn pass_partition(&self) {
        self.took.store(self.started.elapsed().as_secs(), Ordering::Release);
        self.built.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether it was deleted: a query that still holds it finds nothing.
    pub fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::Acquire)
    }
}
