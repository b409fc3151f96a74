//! The connections to each node, and the commands that wait for a place on them.

use crate::protocol::Sharing;
use crate::shard_connections::ShardConnections;
use crate::waiting::{WaitingCommands, Waits};

/// A node's number, and which kind of its connections.
pub(crate) type NodeKey = (u32, Sharing);

/// The connections of one kind, and the commands waiting for a place on them.
#[derive(Debug)]
pub(crate) struct NodeConnections<C: Waits> {
    /// Indexes into the multiplexer's connections.
    pub connections: Vec<usize>,
    /// Interactive ones first, in order of arrival.
    pub waiting: WaitingCommands<C>,
    /// The connections by shard, once shards are used.
    pub shards: Option<Box<ShardConnections>>,
}

impl<C: Waits> NodeConnections<C> {
    /// The ready connections of a shard; none without shards.
    #[inline]
    pub fn of_shard(&self, shard: Option<u16>) -> &[usize] {
        self.shards.as_ref().zip(shard).map_or(&[], |(shards, shard)| shards.ready(shard))
    }

    /// The connections by shard.
    pub fn shards(&mut self) -> &mut ShardConnections {
        self.shards.get_or_insert_default()
    }
}

impl<C: Waits> Default for NodeConnections<C> {
    fn default() -> Self {
        Self { connections: Vec::new(), waiting: WaitingCommands::default(), shards: None }
    }
}

/// The connections to all nodes, by node and kind. Nodes are numbered consecutively, so a lookup
/// needs no hash.
#[derive(Debug)]
pub(crate) struct ConnectionTable<C: Waits>(Vec<[NodeConnections<C>; Sharing::KINDS]>);

impl<C: Waits> Default for ConnectionTable<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<C: Waits> ConnectionTable<C> {
    /// The connections to a node, if it ever had any.
    #[inline]
    pub fn get(&self, (node, sharing): NodeKey) -> Option<&NodeConnections<C>> {
        self.0.get(node as usize).map(|kinds| &kinds[sharing as usize])
    }

    /// Like [`ConnectionTable::get`], mutable.
    #[inline]
    pub fn get_mut(&mut self, (node, sharing): NodeKey) -> Option<&mut NodeConnections<C>> {
        self.0.get_mut(node as usize).map(|kinds| &mut kinds[sharing as usize])
    }

    /// The connections to a node that may be new.
    pub fn entry(&mut self, key: NodeKey) -> &mut NodeConnections<C> {
        let (node, sharing) = (key.0 as usize, key.1 as usize);
        if node >= self.0.len() {
            self.0.resize_with(node + 1, Default::default);
        }
        &mut self.0[node][sharing]
    }

    /// All entries.
    pub fn values(&self) -> impl Iterator<Item = &NodeConnections<C>> {
        self.0.iter().flatten()
    }

    /// Like [`ConnectionTable::values`], mutable.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut NodeConnections<C>> {
        self.0.iter_mut().flatten()
    }

    /// The keys of entries where commands wait.
    pub fn with_waiting(&self) -> Vec<NodeKey> {
        let keys = self.0.iter().zip(0..).flat_map(|(kinds, node)| {
            kinds.iter().zip(Sharing::ALL.map(|sharing| (node, sharing)))
        });
        keys.filter(|(here, _)| !here.waiting.is_empty()).map(|(_, key)| key).collect()
    }
}
