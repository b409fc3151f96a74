//! The partition table, updated from what nodes report, and the immutable maps built from it.
//!
//! A node's report counts for a partition and replica column only if its regime is not older than
//! the one stored there. A column-0 entry that its node no longer claims is kept until another node
//! claims it: the node proxies requests, which costs time but no error.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::partition::Replicas;

use super::{NamespaceMap, NamespaceMaps, Node};

/// The slot of no node.
const NO_NODE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ownership {
    slot: u32,
    regime: u32,
}

const UNOWNED: Ownership = Ownership { slot: NO_NODE, regime: 0 };

/// One namespace.
#[derive(Debug, Default)]
struct Table {
    columns: Vec<Vec<Ownership>>,
    strong: bool,
    /// The last published map; `None` after a change.
    built: Option<Arc<NamespaceMap>>,
}

/// All namespaces.
#[derive(Debug, Default)]
pub(super) struct PartitionTable(FxHashMap<String, Table>);

impl PartitionTable {
    /// Applies the report of node `slot`. Returns the nodes that lost partitions by it, which
    /// should be asked again.
    pub fn apply(&mut self, slot: u32, reports: &[Replicas]) -> FxHashSet<u32> {
        let mut losers = FxHashSet::default();
        for replicas in reports {
            self.0.entry(replicas.namespace.clone()).or_default().apply(
                slot,
                replicas,
                &mut losers,
            );
        }
        losers
    }

    /// Fits the tables to the latest reports: as many columns as the largest replication factor,
    /// and no namespaces that no node has any more.
    pub fn fit(&mut self, factors: &FxHashMap<&str, u8>) {
        self.0.retain(|name, table| {
            let Some(&factor) = factors.get(name.as_str()) else { return false };
            table.resize(usize::from(factor));
            true
        });
    }

    /// Removes a node from every partition.
    pub fn forget(&mut self, slot: u32) {
        for table in self.0.values_mut() {
            for claim in table.columns.iter_mut().flatten().filter(|claim| claim.slot == slot) {
                claim.slot = NO_NODE;
                table.built = None;
            }
        }
    }

    /// Clears everything except the names of the namespaces.
    pub fn clear(&mut self) {
        for table in self.0.values_mut() {
            table.columns.iter_mut().for_each(|column| column.fill(UNOWNED));
            table.built = None;
        }
    }

    /// Whether the node holds any partition.
    pub fn holds(&self, slot: u32) -> bool {
        let mut claims = self.0.values().flat_map(|table| table.columns.iter().flatten());
        claims.any(|claim| claim.slot == slot)
    }

    /// Makes the next [`PartitionTable::publish`] rebuild every map because racks have changed.
    pub fn invalidate(&mut self) {
        self.0.values_mut().for_each(|table| table.built = None);
    }

    /// Whether [`PartitionTable::publish`] would return anything new.
    pub fn is_stale(&self) -> bool {
        self.0.values().any(|table| table.built.is_none())
    }

    /// The maps for these nodes; `rack` returns the rack of a node for a namespace.
    pub fn publish(
        &mut self,
        nodes: &[Arc<Node>],
        rack: impl Fn(&Node, &str) -> Option<u32>,
    ) -> NamespaceMaps {
        let mut maps = NamespaceMaps::default();
        for (name, table) in &mut self.0 {
            let map = table.built.take().unwrap_or_else(|| {
                let racked = nodes.iter().map(|node| (node.clone(), rack(node, name))).collect();
                Arc::new(table.build(racked))
            });
            table.built = Some(map.clone());
            maps.push(name.clone(), map);
        }
        maps
    }
}

impl Table {
    fn resize(&mut self, columns: usize) {
        if columns != self.columns.len() {
            self.columns.resize_with(columns, || vec![UNOWNED; PARTITIONS]);
            self.built = None;
        }
    }

    fn apply(&mut self, slot: u32, report: &Replicas, losers: &mut FxHashSet<u32>) {
        self.resize(self.columns.len().max(report.columns.len()));
        if report.regime != 0 && !self.strong {
            self.strong = true;
            self.built = None;
        }
        for (at, (claims, bitmap)) in self.columns.iter_mut().zip(&report.columns).enumerate() {
            for (pid, claim) in claims.iter_mut().enumerate() {
                if report.regime < claim.regime {
                    continue;
                }
                let before = *claim;
                if bitmap.contains(pid as u16) {
                    *claim = Ownership { slot, regime: report.regime };
                    if before.slot != slot && before.slot != NO_NODE {
                        losers.insert(before.slot);
                    }
                } else if at > 0 && before.slot == slot {
                    claim.slot = NO_NODE;
                }
                if claim.slot != before.slot {
                    self.built = None;
                }
            }
        }
    }

    fn build(&self, nodes: Vec<(Arc<Node>, Option<u32>)>) -> NamespaceMap {
        let places: FxHashMap<u32, usize> =
            nodes.iter().enumerate().map(|(at, (node, _))| (node.slot, at)).collect();
        let mut map = NamespaceMap::new(nodes, self.columns.len());
        map.strong = self.strong;
        for (column, claims) in self.columns.iter().enumerate() {
            for (pid, claim) in claims.iter().enumerate() {
                if let Some(&place) = places.get(&claim.slot) {
                    map.assign(column, pid as u16, place);
                }
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::partition::Bitmap;

    use super::*;

    /// `columns[i]` are the partitions of which the node is replica i.
    fn reports(namespace: &str, regime: u32, columns: &[&[u16]]) -> Vec<Replicas> {
        let columns: Vec<Bitmap> = columns
            .iter()
            .map(|pids| {
                let mut bitmap = Bitmap::default();
                pids.iter().for_each(|pid| bitmap.insert(*pid));
                bitmap
            })
            .collect();
        let factor = columns.len() as u8;
        vec![Replicas { namespace: namespace.to_owned(), regime, factor, columns }]
    }

    fn nodes(count: u32) -> Vec<Arc<Node>> {
        (0..count)
            .map(|slot| {
                let address = format!("127.0.0.1:{}", 3000 + slot).parse().unwrap();
                Arc::new(Node::new(slot, format!("N{slot}"), address, None))
            })
            .collect()
    }

    fn holder(partitions: &mut PartitionTable, column: usize, pid: u16) -> Option<u32> {
        let maps = partitions.publish(&nodes(4), |_, _| None);
        maps.get("test")?.holder(column, pid).map(|(node, _)| node.slot)
    }

    fn set(slots: &[u32]) -> FxHashSet<u32> {
        slots.iter().copied().collect()
    }

    #[test]
    fn a_partition_that_moves_names_its_loser() {
        let mut partitions = PartitionTable::default();
        assert_eq!(partitions.apply(1, &reports("test", 0, &[&[5, 6], &[7]])), set(&[]));
        assert_eq!(partitions.apply(1, &reports("test", 0, &[&[5, 6], &[7]])), set(&[]));
        assert_eq!(partitions.apply(2, &reports("test", 0, &[&[5], &[]])), set(&[1]));
        assert_eq!(holder(&mut partitions, 0, 5), Some(2));
        assert_eq!(holder(&mut partitions, 0, 6), Some(1));
        assert_eq!(holder(&mut partitions, 1, 7), Some(1));
        assert_eq!(holder(&mut partitions, 0, 8), None);
    }

    #[test]
    fn reports_of_an_older_regime_are_ignored() {
        let mut partitions = PartitionTable::default();
        partitions.apply(1, &reports("test", 3, &[&[5]]));
        assert_eq!(partitions.apply(2, &reports("test", 2, &[&[5, 6]])), set(&[]));
        assert_eq!(holder(&mut partitions, 0, 5), Some(1), "regime 2 is older than 3");
        assert_eq!(holder(&mut partitions, 0, 6), Some(2), "never claimed before");
        assert_eq!(partitions.apply(2, &reports("test", 3, &[&[5]])), set(&[1]), "equal counts");
        assert_eq!(partitions.apply(1, &reports("test", 4, &[&[5]])), set(&[2]), "newer counts");
        let maps = partitions.publish(&nodes(3), |_, _| None);
        assert!(maps["test"].strong);
        partitions.forget(1);
        assert_eq!(partitions.apply(2, &reports("test", 3, &[&[5]])), set(&[]));
        assert_eq!(holder(&mut partitions, 0, 5), None, "the regime outlives its node");
        partitions.clear();
        partitions.apply(2, &reports("test", 1, &[&[5]]));
        assert_eq!(holder(&mut partitions, 0, 5), Some(2), "a new start");
    }

    #[test]
    fn a_master_stays_until_another_claims_it_but_a_replica_does_not() {
        let mut partitions = PartitionTable::default();
        partitions.apply(1, &reports("test", 0, &[&[5], &[6]]));
        partitions.apply(1, &reports("test", 0, &[&[], &[]]));
        assert_eq!(holder(&mut partitions, 0, 5), Some(1));
        assert_eq!(holder(&mut partitions, 1, 6), None);
        partitions.apply(2, &reports("test", 0, &[&[5], &[6]]));
        partitions.apply(1, &reports("test", 0, &[&[], &[]]));
        assert_eq!(
            (holder(&mut partitions, 0, 5), holder(&mut partitions, 1, 6)),
            (Some(2), Some(2))
        );
    }

    #[test]
    fn nodes_that_left_hold_nothing() {
        let mut partitions = PartitionTable::default();
        partitions.apply(1, &reports("test", 0, &[&[5], &[6]]));
        assert!(partitions.holds(1) && !partitions.holds(2));
        partitions.forget(1);
        assert!(!partitions.holds(1));
        assert_eq!(holder(&mut partitions, 0, 5), None);
    }

    #[test]
    fn tables_follow_the_reported_factors() {
        let mut partitions = PartitionTable::default();
        partitions.apply(1, &reports("test", 0, &[&[5], &[6]]));
        partitions.apply(1, &reports("old", 0, &[&[5]]));
        partitions.fit(&[("test", 1)].into_iter().collect());
        let maps = partitions.publish(&nodes(2), |_, _| None);
        assert_eq!(maps.iter().count(), 1);
        assert_eq!(maps["test"].replicas(), 1);
    }

    #[test]
    fn unchanged_maps_are_shared_between_snapshots() {
        let mut partitions = PartitionTable::default();
        let nodes = nodes(2);
        partitions.apply(0, &reports("a", 0, &[&[5]]));
        partitions.apply(0, &reports("b", 0, &[&[5]]));
        let first = partitions.publish(&nodes, |node, _| Some(node.slot + 10));
        assert_eq!(first["a"].holder(0, 5).unwrap().1, Some(10));
        assert!(!partitions.is_stale());
        partitions.apply(0, &reports("a", 0, &[&[5]]));
        assert!(!partitions.is_stale(), "nothing new was said");
        partitions.apply(1, &reports("a", 0, &[&[5]]));
        assert!(partitions.is_stale());
        let second = partitions.publish(&nodes, |_, _| None);
        assert!(Arc::ptr_eq(&first["b"], &second["b"]));
        assert!(!Arc::ptr_eq(&first["a"], &second["a"]));
        partitions.invalidate();
        assert!(partitions.is_stale());
    }
}
