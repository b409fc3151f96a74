//! A namespace: its partitions, its sets and its limits.

use std::sync::atomic::{AtomicU64, Ordering};

use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::transaction::MONITOR_SET;
use spikewire_sync::Mutex;

use super::locked_partition::LockedPartition;
use super::options::NamespaceOptions;
use super::partition::{Partition, Usage};
use crate::index::definition::Definition;
use crate::index::list::{IndexCreation, Indexes};
use crate::record::View;
use crate::record::clock::Moment;
use crate::record::device;
use crate::record::sets::Sets;

/// A namespace of a cluster, with the copies of all its nodes.
#[derive(Debug)]
pub struct Namespace {
    /// Its options.
    pub options: NamespaceOptions,
    /// Its sets.
    pub sets: Sets,
    /// Its indexes.
    pub indexes: Indexes,
    partitions: Box<[Mutex<Partition>]>,
    /// Records last updated before this time no longer exist.
    truncated: AtomicU64,
    /// The number of the set of transactions' monitors, in a strongly consistent namespace.
    monitors: Option<u16>,
    /// The latest truncation of the namespace or any set: newer records need no further check.
    newest_truncation: AtomicU64,
}

impl Namespace {
    /// An empty namespace whose partitions have no owner yet.
    pub fn new(options: NamespaceOptions) -> Self {
        let sets = Sets::default();
        let strong = options.strong_consistency;
        let monitors = strong.then(|| sets.intern(MONITOR_SET.as_bytes())).flatten();
        Self {
            options,
            sets,
            monitors,
            indexes: Indexes::default(),
            partitions: (0..PARTITIONS).map(|_| Mutex::default()).collect(),
            truncated: AtomicU64::new(0),
            newest_truncation: AtomicU64::new(0),
        }
    }

    /// Locks one partition.
    pub fn partition(&self, pid: u16) -> LockedPartition<'_> {
        LockedPartition::new(&self.sets, self.partitions[usize::from(pid)].lock())
    }

    /// Every partition id.
    pub fn ids() -> impl Iterator<Item = u16> {
        0..PARTITIONS as u16
    }

    /// Creates the index of all records of a set, and the set if it was never written to; `None`:
    /// there are too many sets.
    pub fn index_set(&self, name: &str, set: &str) -> Option<IndexCreation> {
        let number = self.sets.intern_everywhere(set.as_bytes())?;
        Some(self.indexes.create(name, Definition::of_set(set, number)))
    }

    /// Whether this record was truncated.
    pub fn is_truncated(&self, record: View<'_>) -> bool {
        let updated = record.last_update();
        !self.is_monitor(record)
            && updated < self.newest_truncation.load(Ordering::Acquire)
            && (updated < self.truncated.load(Ordering::Acquire)
                || updated < self.sets.truncated(record.set()))
    }

    /// The number of the set of transactions' monitors, if the namespace can have them.
    pub fn monitors(&self) -> Option<u16> {
        self.monitors
    }

    /// Whether this record is the monitor of a transaction.
    pub fn is_monitor(&self, record: View<'_>) -> bool {
        self.monitors == Some(record.set())
    }

    /// Whether this record is no longer visible.
    pub fn is_gone(&self, record: View<'_>, now: Moment) -> bool {
        record.is_expired(now.seconds()) || self.is_truncated(record)
    }

    /// Whether a record exceeds the maximum size.
    pub fn is_too_big(&self, record: View<'_>) -> bool {
        let limit = self.options.max_record_size;
        device::is_too_big(record, limit, || self.sets.name_len(record.set()))
    }

    /// Hides the records of one set, or of all, last updated before `moment`.
    pub fn truncate(&self, set: Option<&[u8]>, moment: Moment) {
        let moment = moment.millis();
        match set {
            None => self.truncated.fetch_max(moment, Ordering::AcqRel),
            Some(name) => match self.sets.intern(name).and_then(|number| self.sets.get(number)) {
                Some(set) => set.truncated.fetch_max(moment, Ordering::AcqRel),
                None => return,
            },
        };
        self.newest_truncation.fetch_max(moment, Ordering::AcqRel);
    }

    /// Reverts the truncation of one set, or of the namespace.
    pub fn undo_truncate(&self, set: Option<&[u8]>) {
        match set {
            None => self.truncated.store(0, Ordering::Release),
            Some(name) => {
                let number = self.sets.find(name).unwrap_or(0);
                if let Some(set) = self.sets.get(number) {
                    set.truncated.store(0, Ordering::Release);
                }
            }
        }
    }

    /// Number of records that transactions lock, of those of which `node` is the master.
    pub fn locked(&self, node: usize) -> usize {
        if self.monitors.is_none() {
            return 0;
        }
        let locked = |pid| {
            let partition = self.partition(pid);
            if partition.role(node) == Some(0) { partition.provisionals.len() } else { 0 }
        };
        Self::ids().map(locked).sum()
    }

    /// Records and bytes per set on `node`, first of all its copies, then as master.
    pub fn usage(&self, node: usize) -> (Vec<Usage>, Vec<Usage>) {
        let mut all: Vec<Usage> = Vec::new();
        let mut master: Vec<Usage> = Vec::new();
        let add = |total: &mut Vec<Usage>, part: &Usage| {
            let at = usize::from(part.set);
            if total.len() <= at {
                total.resize_with(at + 1, Usage::default);
            }
            total[at].set = part.set;
            total[at].objects += part.objects;
            total[at].bytes += part.bytes;
        };
        for pid in Self::ids() {
            let partition = self.partition(pid);
            let Some(role) = partition.role(node) else { continue };
            for part in partition.usage() {
                add(&mut all, part);
                if role == 0 {
                    add(&mut master, part);
                }
            }
        }
        (all, master)
    }
}
