//! Connections to the shards of nodes that have some.
//!
//! The first connection to a node is opened like any other, and its handshake tells about shards.
//! Commands for a shard without a connection use another one while a connection to the shard is
//! opened: along a route that leads there or, if there is none (or it failed), in the hope that the
//! node chooses that shard, repeatedly up to a bound.

use std::sync::Arc;
use std::time::Duration;

use super::Multiplexer;
use super::maintenance::FaultSource;
use super::send::Place;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::connection_table::{NodeConnections, NodeKey};
use crate::jitter::jittered;
use crate::protocol::{CommandOf, NodeOf, Protocol, Sharing};
use crate::shard_connections::ConnectionPurpose;
use crate::topology::{Endpoint as _, Topology as _};

/// How many connections for shards of one node are opened at the same time.
const MOST_OPENING: usize = 8;

/// If nodes choose the shard: how many connections per shard there may be beyond what the shards need.
const SPARE: usize = 2;

/// Longest pause after a connection for a shard could not be opened.
const PAUSE: Duration = Duration::from_secs(1);

/// Pause after that many connections were opened and a shard still has none.
const REST: Duration = Duration::from_secs(60);

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// The shard that a command is for, if the node has shards.
    #[inline(always)]
    pub(super) fn shard(
        &self,
        command: &CommandOf<P, T>,
        node: &NodeOf<P>,
        sharing: Sharing,
    ) -> Option<u16> {
        if P::SHARDS && sharing == Sharing::Shared {
            self.topology.shard(&command.target, node)
        } else {
            None
        }
    }

    /// The shard of the command that has waited longest for a place on the node to which the
    /// connection at `at` leads.
    pub(super) fn shard_of_next(&self, key: NodeKey, at: usize) -> Option<u16> {
        if !P::SHARDS {
            return None;
        }
        let command = self.nodes.get(key)?.waiting.front()?;
        self.shard(command, &self.connections[at].as_ref()?.node, key.1)
    }

    /// The connection of a shard that the next command takes, if there is one with room.
    #[inline(never)]
    pub(super) fn find_in_shard(
        &self,
        here: &NodeConnections<CommandOf<P, T>>,
        shard: u16,
        depth: usize,
        now: Tick,
    ) -> Option<usize> {
        let ready = here.shards.as_deref()?.ready(shard);
        match self.place_among(ready, ready.len(), depth, now) {
            Place::On(index) => Some(index),
            Place::Open | Place::Wait => None,
        }
    }

    /// Opens a connection for a shard that needs one (more), unless something speaks against it.
    #[inline(never)]
    pub(super) fn provide(&mut self, node: &Arc<NodeOf<P>>, shard: u16, now: Tick) {
        let key = (node.key(), Sharing::Shared);
        let (most, depth) = (self.settings.connections_per_node, self.depth(Sharing::Shared));
        let Some(here) = self.nodes.get(key) else { return };
        let shards = here.shards.as_deref();
        let ready = shards.map_or(&[][..], |shards| shards.ready(shard));
        if self.place_among(ready, most, depth, now) != Place::Open {
            return;
        }
        // Nothing is known before the first one is ready.
        let is_ready = |index: &usize| {
            self.connections[*index].as_ref().is_some_and(|connection| connection.dial.is_none())
        };
        if !here.connections.iter().any(is_ready) {
            return;
        }
        let route = node.shard_route(shard);
        let purpose =
            route.map_or(ConnectionPurpose::AnyShard, |_| ConnectionPurpose::Shard(shard));
        if shards.is_some_and(|shards| {
            shards.is_opening(purpose)
                || shards.opening() >= MOST_OPENING
                || now < shards.not_before
        }) {
            return;
        }
        let bound = usize::from(node.shard_count()).saturating_mul(most.saturating_add(SPARE));
        if route.is_none() && here.connections.len() >= bound {
            self.nodes.entry(key).shards().not_before = now.after(jittered(REST));
            return self.close_surplus(node);
        }
        let opened = self.dial(node.clone(), Sharing::Shared, route, purpose, now);
        let shards = self.nodes.entry(key).shards();
        match opened {
            Ok(index) => shards.opens(index, purpose),
            // There is no free source port, or no file descriptor.
            Err(_) if route.is_some() => node.avoid_shard_routes(),
            Err(_) => shards.not_before = now.after(jittered(PAUSE)),
        }
    }

    /// Settles where a connection that is now ready belongs; returns whether it is kept.
    #[inline(never)]
    pub(super) fn settle(&mut self, index: usize) -> bool {
        let Some(connection) = &mut self.connections[index] else { return false };
        let purpose = std::mem::replace(&mut connection.purpose, ConnectionPurpose::Commands);
        let (node, sharing) = (connection.node.clone(), connection.sharing);
        if sharing != Sharing::Shared {
            return true;
        }
        let shard = connection.pipeline.handshake().0.shard();
        let here = self.nodes.entry((node.key(), sharing));
        if purpose != ConnectionPurpose::Commands {
            here.connections.push(index);
        }
        if shard.is_none() && here.shards.is_none() {
            return true;
        }
        let shards = here.shards();
        shards.is_ready(index, shard);
        let is_complete = shards.served() >= usize::from(node.shard_count());
        let most = self.settings.connections_per_node;
        let is_needed = shard.is_none_or(|shard| shards.ready(shard).len() <= most);
        let is_astray =
            matches!(purpose, ConnectionPurpose::Shard(intended) if shard != Some(intended));
        if is_astray {
            // Something in between changes the source port of the connection.
            node.avoid_shard_routes();
            if !is_needed {
                drop(self.remove(index));
                return false;
            }
        }
        if is_complete {
            self.close_surplus(&node);
        }
        self.connections[index].is_some()
    }

    /// Closes the connections that shards have beyond their number, if nothing is in flight on them.
    fn close_surplus(&mut self, node: &NodeOf<P>) {
        let key = (node.key(), Sharing::Shared);
        let shards = self.nodes.get(key).and_then(|here| here.shards.as_deref());
        let Some(shards) = shards else { return };
        let surplus = shards.surplus(self.settings.connections_per_node);
        let carries_nothing = |index: &usize| {
            let connection = self.connections[*index].as_ref();
            connection.is_some_and(|connection| connection.pipeline.in_flight() == 0)
        };
        for index in surplus.filter(carries_nothing).collect::<Vec<_>>() {
            drop(self.remove(index));
        }
    }

    /// A connection failed: whose fault that is, if it was opened for a shard.
    #[inline(never)]
    pub(super) fn source_of_failure(
        &mut self,
        connection: &Connection<P, T>,
        source: FaultSource,
        now: Tick,
    ) -> FaultSource {
        match connection.purpose {
            ConnectionPurpose::Commands => source,
            // The node may be well, while something in between blocks this port.
            ConnectionPurpose::Shard(_) => {
                connection.node.avoid_shard_routes();
                FaultSource::None
            }
            ConnectionPurpose::AnyShard => {
                let shards = self.nodes.entry(connection.key()).shards();
                shards.not_before = now.after(jittered(PAUSE));
                source
            }
        }
    }
}
