//! Connections and quota usage of a user, per node.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use spikewire_sync::Mutex;

/// Permitted single-record commands per second; 0: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quotas {
    /// Reads.
    pub read: u32,
    /// Writes.
    pub write: u32,
}

impl Quotas {
    /// Whether there is any limit.
    pub const fn limit(self) -> bool {
        self.read > 0 || self.write > 0
    }

    /// The quotas of a user with both roles: the larger ones; roles without a limit are ignored.
    pub fn or(self, other: Self) -> Self {
        Self { read: self.read.max(other.read), write: self.write.max(other.write) }
    }
}

/// The usage of a user, by node.
#[derive(Debug)]
pub struct Usage(Vec<AtNode>);

#[derive(Debug, Default)]
struct AtNode {
    connections: AtomicU32,
    reads: Meter,
    writes: Meter,
}

/// Counts commands per second.
#[derive(Debug, Default)]
struct Meter(Mutex<Option<Second>>);

#[derive(Debug, Clone, Copy)]
struct Second {
    began: Instant,
    count: u32,
}

impl Meter {
    /// The count of the current second.
    fn count(&self) -> u32 {
        let second = *self.0.lock();
        second.filter(|second| second.began.elapsed().as_secs() == 0).map_or(0, |it| it.count)
    }

    /// Counts one more, unless that exceeds the quota.
    fn take(&self, quota: u32) -> bool {
        let mut second = self.0.lock();
        match &mut *second {
            Some(Second { began, count }) if began.elapsed().as_secs() == 0 => {
                let left = quota == 0 || *count < quota;
                *count = count.saturating_add(u32::from(left));
                left
            }
            _ => {
                *second = Some(Second { began: Instant::now(), count: 1 });
                true
            }
        }
    }
}

impl Usage {
    /// The usage of a new user, for this many nodes.
    pub fn new(nodes: usize) -> Self {
        Self((0..nodes).map(|_| AtNode::default()).collect())
    }

    /// Number of connections of the user to a node.
    pub fn connections(&self, node: usize) -> u32 {
        self.0[node].connections.load(Ordering::Relaxed)
    }

    /// Read and write statistics at a node, as reported by servers: the quota, commands in this
    /// second; zero for queries, which have no quotas here.
    pub fn info(&self, node: usize, quotas: Quotas) -> (Vec<u32>, Vec<u32>) {
        let AtNode { reads, writes, .. } = &self.0[node];
        (vec![quotas.read, reads.count(), 0, 0], vec![quotas.write, writes.count(), 0, 0])
    }

    /// Counts a command against the quota of this second; returns whether it is allowed.
    pub fn spend(&self, node: usize, quotas: Quotas, reads: bool, writes: bool) -> bool {
        let at = &self.0[node];
        (!reads || at.reads.take(quotas.read)) && (!writes || at.writes.take(quotas.write))
    }
}

/// Counts a connection of a user to a node while it exists.
#[derive(Debug)]
pub struct Presence {
    usage: Arc<Usage>,
    node: usize,
}

impl Presence {
    /// Counts a new connection.
    pub fn new(usage: &Arc<Usage>, node: usize) -> Self {
        usage.0[node].connections.fetch_add(1, Ordering::Relaxed);
        Self { usage: usage.clone(), node }
    }

    /// Whether it belongs to this user.
    pub fn is_of(&self, usage: &Arc<Usage>) -> bool {
        Arc::ptr_eq(&self.usage, usage)
    }

    /// The node.
    pub const fn node(&self) -> usize {
        self.node
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.usage.0[self.node].connections.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_counted_while_they_are_there() {
        let usage = Arc::new(Usage::new(2));
        let (one, two) = (Presence::new(&usage, 1), Presence::new(&usage, 1));
        assert_eq!((usage.connections(0), usage.connections(1)), (0, 2));
        assert!(one.is_of(&usage) && !one.is_of(&Arc::new(Usage::new(2))));
        drop(one);
        assert_eq!(usage.connections(two.node()), 1);
    }

    #[test]
    fn quotas_bound_what_is_done_in_a_second() {
        let usage = Usage::new(1);
        let quotas = Quotas { read: u32::MAX, write: 1 };
        // The second may change once during this, not twice.
        let writes = (0..100).filter(|_| usage.spend(0, quotas, false, true)).count();
        assert!((1..100).contains(&writes), "{writes}");
        assert!((0..100).all(|_| usage.spend(0, quotas, true, false)));
        assert!((0..100).all(|_| usage.spend(0, Quotas::default(), true, true)));
        assert_eq!(usage.info(0, quotas).0[0], u32::MAX);
        let larger = quotas.or(Quotas { read: 0, write: 7 });
        assert_eq!(larger, Quotas { read: u32::MAX, write: 7 });
    }
}
