//! Commands about the same record, or the same partition of a table, keep their order.
//!
//! A program may send a command without waiting for it and then another one about the same record:
//! the second must not overtake the first. The rule: a command takes the connection on which a
//! command with the same key is unanswered. Keys are hashes; commands about different records with
//! equal hashes share a connection for no other reason, which does no harm.

use std::sync::Arc;

use spikewire_sync::atomic::{AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed};

/// Different keys of records. More would make coincidences rarer and tables larger.
const RECORDS: u16 = if cfg!(loom) { 2 } else { 2048 };

/// What a command is about. Commands with equal keys keep their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OrderKey(u16);

impl OrderKey {
    /// About no record in particular, or about many: no order is kept.
    pub const NONE: Self = Self(0);

    /// It cannot be told what it is about. These commands keep their order on each node.
    pub const UNKNOWN: Self = Self(1);

    /// Length of tables with an entry for each key.
    pub(crate) const COUNT: usize = RECORDS as usize + 2;

    /// About the record or partition with this hash.
    #[inline(always)]
    pub const fn of(hash: u16) -> Self {
        Self(2 + hash % RECORDS)
    }

    /// Whether an order is kept.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }

    /// Which of several drivers keeps the order of commands with this key; `None` if none has to.
    #[inline]
    pub fn share(self, drivers: usize) -> Option<usize> {
        if self.is_some() { self.index().checked_rem(drivers) } else { None }
    }

    /// Its place in tables.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// How many commands with each key a connection has not answered.
#[derive(Debug, Default)]
pub(crate) struct Unanswered(Vec<u32>);

impl Unanswered {
    /// Whether there is a command with this key.
    #[inline(always)]
    pub fn contains(&self, key: OrderKey) -> bool {
        self.0.get(key.index()).is_some_and(|count| *count > 0)
    }

    /// A command was queued; returns whether there is an earlier one with its key.
    #[inline(always)]
    pub fn add(&mut self, key: OrderKey) -> bool {
        if !key.is_some() {
            return false;
        }
        if self.0.is_empty() {
            self.allocate();
        }
        let count = &mut self.0[key.index()];
        *count += 1;
        *count > 1
    }

    #[cold]
    fn allocate(&mut self) {
        self.0 = vec![0; OrderKey::COUNT];
    }

    /// A command was answered or given up.
    #[inline(always)]
    pub fn remove(&mut self, key: OrderKey) {
        if key.is_some() {
            self.0[key.index()] -= 1;
        }
    }

    /// All were given up.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}

/// The keys of calls that another thread drives, for threads that drive their calls themselves: a
/// call about the same record has to take the same way.
#[derive(Debug)]
pub struct KeysInFlight(Box<[AtomicU32]>);

/// A call in flight; dropping it ends it.
#[derive(Debug)]
pub struct KeyInFlight {
    all: Arc<KeysInFlight>,
    key: OrderKey,
}

impl KeysInFlight {
    /// No calls.
    pub fn new() -> Arc<Self> {
        Arc::new(Self((0..OrderKey::COUNT).map(|_| AtomicU32::new(0)).collect()))
    }

    /// Adds a call; `None` if no order is kept for its key.
    #[inline]
    pub fn add(self: &Arc<Self>, key: OrderKey) -> Option<KeyInFlight> {
        if !key.is_some() {
            return None;
        }
        self.0[key.index()].fetch_add(1, Relaxed);
        Some(KeyInFlight { all: self.clone(), key })
    }

    /// Whether a call with this key is in flight.
    #[inline]
    pub fn contains(&self, key: OrderKey) -> bool {
        key.is_some() && self.0[key.index()].load(Acquire) > 0
    }
}

impl Drop for KeyInFlight {
    fn drop(&mut self) {
        self.all.0[self.key.index()].fetch_sub(1, AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_flight_are_counted() {
        let all = KeysInFlight::new();
        let (key, other) = (OrderKey::of(u16::MAX), OrderKey::of(7));
        let calls = [all.add(key), all.add(key)];
        assert!(all.contains(key) && !all.contains(other));
        let [first, second] = calls;
        drop(first);
        assert!(all.contains(key));
        drop(second);
        assert!(!all.contains(key));
        assert!(all.add(OrderKey::NONE).is_none() && !all.contains(OrderKey::NONE));
    }

    #[test]
    fn keys_of_records_are_never_those_with_a_meaning() {
        let all = (0..=u16::MAX).map(OrderKey::of);
        assert!(all.clone().all(|key| key.is_some() && key != OrderKey::UNKNOWN));
        assert!(all.into_iter().all(|key| key.index() < OrderKey::COUNT));
    }
}
