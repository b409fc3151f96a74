//! Chooses which of a node's connections a command takes.

use std::collections::VecDeque;

use crate::protocol::Sharing;
use crate::shard_connections::ShardConnections;

/// A node's number, and which kind of its connections.
pub(crate) type NodeKey = (u32, Sharing);

/// The connections of one kind, and the commands waiting for a place on them.
#[derive(Debug)]
pub(crate) struct NodeConnections<C> {
    /// Indexes into the multiplexer's connections.
    pub connections: Vec<usize>,
    /// In order of arrival.
    pub waiting: VecDeque<C>,
    /// The connections by shard, once shards are used.
    pub shards: Option<Box<ShardConnections>>,
}

impl<C> NodeConnections<C> {
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

impl<C> Default for NodeConnections<C> {
    fn default() -> Self {
        Self { connections: Vec::new(), waiting: VecDeque::new(), shards: None }
    }
}

/// The connections to all nodes, by node and kind. Nodes are numbered consecutively, so a lookup
/// needs no hash.
#[derive(Debug)]
pub(crate) struct ConnectionTable<C>(Vec<[NodeConnections<C>; Sharing::KINDS]>);

impl<C> Default for ConnectionTable<C> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<C> ConnectionTable<C> {
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

/// What a command should do next to reach its node.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Queue on this connection.
    On(usize),
    /// Open another connection.
    Open,
    /// Wait until a reply makes room.
    Wait,
}

/// A connection as [`place`] sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    pub connection: usize,
    /// Total number of records of the commands in flight on it.
    pub in_flight: usize,
    /// Whether its oldest command has waited suspiciously long.
    pub stalled: bool,
}

impl Load {
    /// Whether the connection takes a command although another one may be opened.
    #[inline(always)]
    pub fn is_light(&self, spread: Spread, depth: usize) -> bool {
        !self.stalled && self.in_flight < spread.spill.min(depth)
    }
}

/// Records in flight on the least loaded connection before another one is opened. Below that, the
/// system calls saved by sharing a connection outweigh the lost parallelism on the server.
const SPILL: usize = 64;

/// How many connections carry the commands of threads that share them. With fewer connections each
/// write carries more; a few are enough to keep the server's processors busy.
const SHARED_WIDTH: usize = 2;

/// How commands spread over connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    /// Records in flight on the least loaded connection before another one is used.
    spill: usize,
    /// Connections used while none of them stalls.
    width: usize,
}

impl Default for Spread {
    fn default() -> Self {
        Self { spill: SPILL, width: usize::MAX }
    }
}

impl Spread {
    /// For commands of many threads, each of which waits for its own.
    pub fn shared() -> Self {
        Self { spill: 1, width: SHARED_WIDTH }
    }
}

/// Chooses the least loaded connection, and a stalled one only if there is no other choice.
#[inline(never)]
pub(crate) fn place(
    loads: impl Iterator<Item = Load>,
    spread: Spread,
    most: usize,
    depth: usize,
) -> Place {
    let mut open = 0;
    let mut width = spread.width.min(most);
    let mut best: Option<Load> = None;
    for load in loads {
        if open == width {
            break;
        }
        open += 1;
        width = width.saturating_add(usize::from(load.stalled)).min(most);
        let rank = |load: &Load| (load.in_flight >= depth, load.stalled, load.in_flight);
        if best.is_none_or(|best| rank(&load) < rank(&best)) {
            best = Some(load);
        }
    }
    match best {
        Some(best) if best.is_light(spread, depth) => Place::On(best.connection),
        _ if open < width => Place::Open,
        Some(best) if best.in_flight < depth => Place::On(best.connection),
        _ => Place::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(loads: &[(usize, bool)], most: usize, depth: usize) -> Place {
        let loads = loads.iter().enumerate().map(|(connection, (in_flight, stalled))| Load {
            connection,
            in_flight: *in_flight,
            stalled: *stalled,
        });
        place(loads, Spread::default(), most, depth)
    }

    #[test]
    fn many_threads_share_two_connections_unless_they_stall() {
        let placed =
            |loads: &[(usize, bool)]| {
                let loads = loads.iter().enumerate().map(|(connection, (in_flight, stalled))| {
                    Load { connection, in_flight: *in_flight, stalled: *stalled }
                });
                place(loads, Spread::shared(), 4, 512)
            };
        assert_eq!(placed(&[(0, false)]), Place::On(0));
        assert_eq!(placed(&[(1, false)]), Place::Open);
        assert_eq!(placed(&[(2, false), (1, false)]), Place::On(1));
        assert_eq!(placed(&[(2, false), (2, false), (0, false)]), Place::On(0));
        assert_eq!(placed(&[(2, false), (2, true), (0, false)]), Place::On(2));
        assert_eq!(placed(&[(2, true), (2, true)]), Place::Open);
    }

    #[test]
    fn places() {
        assert_eq!(placed(&[], 2, 512), Place::Open);
        assert_eq!(placed(&[(63, false)], 2, 512), Place::On(0));
        assert_eq!(placed(&[(64, false)], 2, 512), Place::Open);
        assert_eq!(placed(&[(64, false), (70, false)], 2, 512), Place::On(0));
        assert_eq!(placed(&[(3, true)], 2, 512), Place::Open);
        assert_eq!(placed(&[(3, true), (9, false)], 2, 512), Place::On(1));
        assert_eq!(placed(&[(3, true), (512, false)], 2, 512), Place::On(0));
        assert_eq!(placed(&[(512, true), (512, false)], 2, 512), Place::Wait);
        assert_eq!(placed(&[(3, true)], 1, 512), Place::On(0));
        assert_eq!(placed(&[(1, false)], 1, 1), Place::Wait);
        assert_eq!(placed(&[(1, false)], 2, 1), Place::Open);
    }
}
