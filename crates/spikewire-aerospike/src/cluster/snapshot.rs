//! The immutable view of the cluster that commands are routed by.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::limits::PARTITIONS;

use super::Node;
use crate::model::Result;

/// No known node holds this partition.
const NO_NODE: u16 = u16::MAX;

/// The nodes and the partition maps at one moment.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Every active node.
    pub nodes: Vec<Arc<Node>>,
    /// The partition maps.
    pub namespaces: NamespaceMaps,
    /// Nodes that others list and that cannot be reached from here, by name.
    pub unreachable: Vec<UnreachablePeer>,
    /// Whether nodes are known by their alternate addresses only.
    pub alternate: bool,
}

impl Snapshot {
    /// Why a request for any node of the cluster that needs these features cannot be run: the least
    /// of the nodes decides.
    pub fn check_features(&self, needs: Features) -> Result<()> {
        self.check_request(needs, || None::<&str>)
    }

    /// The same, with the place of a value that is nested too deep.
    pub fn check_request<P: fmt::Display>(
        &self,
        needs: Features,
        deep_place: impl Fn() -> Option<P>,
    ) -> Result<()> {
        if needs.is_empty() {
            return Ok(());
        }
        self.nodes.iter().try_for_each(|node| node.check_request(needs, &deep_place))
    }
}

/// A node that others list and that cannot be reached from here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreachablePeer {
    /// The server's node id.
    pub name: String,
    /// The addresses that were tried, and why each failed.
    pub why: String,
}

/// Partition maps by the names of their namespaces. Clusters have few, so comparing names costs less
/// than hashing one.
#[derive(Debug, Default)]
pub struct NamespaceMaps(Vec<(String, Arc<NamespaceMap>)>);

impl NamespaceMaps {
    /// The map of a namespace.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Arc<NamespaceMap>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, map)| map)
    }

    /// Adds the map of a namespace that is not in it.
    pub fn push(&mut self, name: String, map: Arc<NamespaceMap>) {
        debug_assert!(self.get(&name).is_none());
        self.0.push((name, map));
    }

    /// All maps with the names of their namespaces, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<NamespaceMap>)> {
        self.0.iter().map(|(name, map)| (&**name, map))
    }

    /// All maps.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Arc<NamespaceMap>> {
        self.0.iter_mut().map(|(_, map)| map)
    }
}

impl Index<&str> for NamespaceMaps {
    type Output = Arc<NamespaceMap>;

    fn index(&self, name: &str) -> &Arc<NamespaceMap> {
        self.get(name).expect("the namespace is known")
    }
}

/// The partition map of one namespace.
#[derive(Debug, Clone)]
pub struct NamespaceMap {
    /// The nodes that the columns index.
    nodes: Vec<Arc<Node>>,
    /// Column i, partition p: index into `nodes` of replica i.
    columns: Vec<Box<[u16; PARTITIONS]>>,
    /// Whether the namespace is strongly consistent (a nonzero regime was reported).
    pub strong: bool,
    /// Rack of each node in `nodes`, where known.
    racks: Vec<Option<u32>>,
}

impl NamespaceMap {
    /// A map over these nodes (with their racks) with `replicas` empty columns.
    pub fn new(nodes: Vec<(Arc<Node>, Option<u32>)>, replicas: usize) -> Self {
        let (nodes, racks) = nodes.into_iter().unzip();
        let columns = (0..replicas).map(|_| Box::new([NO_NODE; PARTITIONS])).collect();
        Self { nodes, columns, strong: false, racks }
    }

    /// A map in which one node has everything: it passes on what others have.
    pub fn of_one(node: Arc<Node>, strong: bool) -> Self {
        let mut map = Self::new(vec![(node, None)], 1);
        map.strong = strong;
        map.columns[0].fill(0);
        map
    }

    /// Records that node number `node` (in the order given to [`NamespaceMap::new`]) is replica
    /// `column` of partition `pid`.
    pub fn assign(&mut self, column: usize, pid: u16, node: usize) {
        self.columns[column][usize::from(pid)] = node as u16;
    }

    /// Number of replicas.
    pub fn replicas(&self) -> usize {
        self.columns.len()
    }

    /// The node that is replica `column` of partition `pid`, with its rack.
    pub fn holder(&self, column: usize, pid: u16) -> Option<(&Arc<Node>, Option<u32>)> {
        let index = usize::from(*self.columns.get(column)?.get(usize::from(pid))?);
        Some((self.nodes.get(index)?, self.racks[index]))
    }
}
