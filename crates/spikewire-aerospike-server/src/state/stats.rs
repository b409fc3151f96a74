//! Statistics of a node.

use std::sync::atomic::Ordering;

use super::ClusterState;
use crate::state::counters::LocalCounters;
use crate::storage::namespace::Namespace;
use crate::storage::partition::Usage;

/// Counters and sizes of one node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeStats {
    /// Whether it is alive.
    pub alive: bool,
    /// Open client connections.
    pub connections: usize,
    /// Client connections opened since it started.
    pub connections_opened: u64,
    /// Counters of its replies.
    pub counters: LocalCounters,
    /// Records it holds, as master and as replica.
    pub objects: u64,
    /// Records of which it is the master.
    pub master_objects: u64,
    /// Bytes of the records it holds, excluding tables.
    pub bytes: u64,
    /// Partitions of which it is the master, over all namespaces.
    pub master_partitions: usize,
    /// Partitions of which it holds a replica.
    pub replica_partitions: usize,
}

/// The statistics of `node`.
pub fn of(state: &ClusterState, node: usize) -> NodeStats {
    let mut stats = NodeStats {
        alive: state.nodes[node].is_alive(),
        connections: state.nodes[node].connections.load(Ordering::Relaxed),
        connections_opened: state.nodes[node].connections_opened.load(Ordering::Relaxed),
        counters: state.nodes[node].counters.read(),
        ..NodeStats::default()
    };
    for namespace in &state.namespaces {
        let (all, master) = namespace.usage(node);
        stats.objects += objects(&all);
        stats.master_objects += objects(&master);
        stats.bytes += all.iter().map(|usage| usage.bytes).sum::<u64>();
        for pid in Namespace::ids() {
            match namespace.partition(pid).role(node) {
                Some(0) => stats.master_partitions += 1,
                Some(_) => stats.replica_partitions += 1,
                None => {}
            }
        }
    }
    stats
}

/// Records of all sets together.
pub fn objects(usage: &[Usage]) -> u64 {
    usage.iter().map(|usage| usage.objects).sum()
}
