//! Set names and their numbers within a namespace. A set is never removed once it was written to.
//!
//! As on servers, each node knows only the sets of which it ever held a record, or that have an
//! index; a restart forgets them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use spikewire_sync::RwLock;

/// Maximum number of nodes in a cluster.
pub const MAX_NODES: usize = 128;
/// Maximum number of sets in a namespace.
pub const MAX_SETS: usize = 4095;

/// A set.
#[derive(Debug)]
pub struct Set {
    /// Its name.
    pub name: Box<[u8]>,
    /// Records last updated before this time (ms since 2010) no longer exist.
    pub truncated: AtomicU64,
    /// The nodes that know it, one bit each.
    known: [AtomicU64; MAX_NODES / 64],
    /// Whether it has, or had, an index: those are defined on all nodes.
    is_everywhere: AtomicBool,
}

impl Set {
    fn new(name: &[u8]) -> Self {
        Self {
            name: name.into(),
            truncated: AtomicU64::new(0),
            known: Default::default(),
            is_everywhere: AtomicBool::new(false),
        }
    }

    /// Whether a node knows it.
    pub fn is_known(&self, node: usize) -> bool {
        let nodes = self.known[node / 64].load(Ordering::Acquire);
        nodes & 1 << (node % 64) != 0 || self.is_everywhere.load(Ordering::Acquire)
    }

    fn learn(&self, node: usize) {
        self.known[node / 64].fetch_or(1 << (node % 64), Ordering::AcqRel);
    }

    fn forget(&self, node: usize) {
        self.known[node / 64].fetch_and(!(1 << (node % 64)), Ordering::AcqRel);
    }
}

#[derive(Debug, Default)]
struct SetTable {
    numbers: HashMap<Box<[u8]>, u16>,
    sets: Vec<Arc<Set>>,
}

/// The sets of a namespace, numbered from 1.
#[derive(Debug, Default)]
pub struct Sets(RwLock<SetTable>);

impl Sets {
    /// The number of a set; 0 for the empty name, `None` if it was never written to.
    pub fn find(&self, name: &[u8]) -> Option<u16> {
        if name.is_empty() {
            return Some(0);
        }
        self.0.read().numbers.get(name).copied()
    }

    /// The number of a set, assigned now if it is new; `None` if there are too many.
    pub fn intern(&self, name: &[u8]) -> Option<u16> {
        if let Some(number) = self.find(name) {
            return Some(number);
        }
        let mut known = self.0.write();
        if let Some(number) = known.numbers.get(name) {
            return Some(*number);
        }
        if known.sets.len() >= MAX_SETS {
            return None;
        }
        known.sets.push(Arc::new(Set::new(name)));
        let number = known.sets.len() as u16;
        known.numbers.insert(name.into(), number);
        Some(number)
    }

    /// The number of a set that has an index, which makes it known to all nodes.
    pub fn intern_everywhere(&self, name: &[u8]) -> Option<u16> {
        let number = self.intern(name)?;
        if let Some(set) = self.get(number) {
            set.is_everywhere.store(true, Ordering::Release);
        }
        Some(number)
    }

    /// Whether a node knows a set. The empty name stands for all records.
    pub fn is_known(&self, name: &[u8], node: usize) -> bool {
        match self.find(name) {
            Some(0) => true,
            Some(number) => self.get(number).is_some_and(|set| set.is_known(node)),
            None => false,
        }
    }

    /// Nodes received a record of the set with this number.
    pub fn learn(&self, number: u16, nodes: impl Iterator<Item = usize>) {
        if let Some(set) = self.get(number) {
            nodes.for_each(|node| set.learn(node));
        }
    }

    /// A node lost its memory.
    pub fn forget(&self, node: usize) {
        self.0.read().sets.iter().for_each(|set| set.forget(node));
    }

    /// The set with this number; `None` for 0.
    pub fn get(&self, number: u16) -> Option<Arc<Set>> {
        let at = usize::from(number).checked_sub(1)?;
        self.0.read().sets.get(at).cloned()
    }

    /// The truncation of the set with this number; 0 if there is none.
    pub fn truncated(&self, number: u16) -> u64 {
        let Some(at) = usize::from(number).checked_sub(1) else { return 0 };
        let known = self.0.read();
        known.sets.get(at).map_or(0, |set| set.truncated.load(Ordering::Acquire))
    }

    /// The length of the name of the set with this number; 0 for none.
    pub fn name_len(&self, number: u16) -> usize {
        self.get(number).map_or(0, |set| set.name.len())
    }

    /// Every set with its number.
    pub fn all(&self) -> Vec<(u16, Arc<Set>)> {
        let known = self.0.read();
        known.sets.iter().enumerate().map(|(at, set)| (at as u16 + 1, set.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_numbered_once_and_limited() {
        let sets = Sets::default();
        assert_eq!((sets.find(b""), sets.find(b"a")), (Some(0), None));
        for at in 1..=MAX_SETS {
            assert_eq!(sets.intern(at.to_string().as_bytes()), Some(at as u16));
        }
        assert_eq!((sets.intern(b"1"), sets.intern(b"more")), (Some(1), None));
        assert_eq!(&*sets.get(2).unwrap().name, b"2");
        assert!(sets.get(0).is_none());
    }

    #[test]
    fn each_node_knows_the_sets_of_its_records() {
        let sets = Sets::default();
        assert!(sets.is_known(b"", 5) && !sets.is_known(b"a", 5));
        let a = sets.intern(b"a").unwrap();
        sets.learn(a, [5, 127].into_iter());
        sets.learn(0, [5].into_iter());
        let known = |name: &[u8]| [0, 5, 63, 127].map(|node| sets.is_known(name, node));
        assert_eq!(known(b"a"), [false, true, false, true]);
        sets.forget(127);
        assert_eq!(known(b"a"), [false, true, false, false]);
        sets.intern_everywhere(b"indexed").unwrap();
        sets.forget(0);
        assert_eq!(known(b"indexed"), [true; 4]);
    }
}
