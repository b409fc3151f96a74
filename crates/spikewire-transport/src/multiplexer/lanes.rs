//! Connections to the lanes of nodes that have some.
//!
//! The first connection to a node is opened like any other, and its handshake tells about lanes.
//! Commands for a lane without a connection use another one while a connection to the lane is
//! opened: along a way that leads there or, if there is none (or it failed), in the hope that the
//! node chooses that lane, repeatedly up to a bound.

use std::sync::Arc;
use std::time::Duration;

use super::Multiplexer;
use super::maintenance::Blame;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::lanes::Errand;
use crate::placement::{NodeConnections, NodeKey, Place};
use crate::protocol::{CommandOf, NodeOf, Protocol, Sharing};
use crate::topology::{Endpoint as _, Topology as _};

/// How many connections for lanes of one node are opened at the same time.
const MOST_OPENING: usize = 8;

/// If nodes choose the lane: how many connections per lane there may be beyond what the lanes need.
const SPARE: usize = 2;

/// Pause after a connection for a lane could not be opened.
const PAUSE: Duration = Duration::from_secs(1);

/// Pause after that many connections were opened and a lane still has none.
const REST: Duration = Duration::from_secs(60);

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// The lane that a command is for, if the node has lanes.
    #[inline(always)]
    pub(super) fn lane(
        &self,
        command: &CommandOf<P, T>,
        node: &NodeOf<P>,
        sharing: Sharing,
    ) -> Option<u16> {
        if P::LANES && sharing == Sharing::Shared {
            self.topology.lane(&command.target, node)
        } else {
            None
        }
    }

    /// The lane of the command that has waited longest for a place on the node to which the
    /// connection at `at` leads.
    pub(super) fn lane_of_next(&self, key: NodeKey, at: usize) -> Option<u16> {
        if !P::LANES {
            return None;
        }
        let command = self.nodes.get(key)?.waiting.front()?;
        self.lane(command, &self.connections[at].as_ref()?.node, key.1)
    }

    /// The connection of a lane that the next command takes, if there is one with room.
    #[inline(never)]
    pub(super) fn find_in_lane(
        &self,
        here: &NodeConnections<CommandOf<P, T>>,
        lane: u16,
        depth: usize,
        now: Tick,
    ) -> Option<usize> {
        let ready = here.lanes.as_deref()?.ready(lane);
        match self.place_among(ready, ready.len(), depth, now) {
            Place::On(index) => Some(index),
            Place::Open | Place::Wait => None,
        }
    }

    /// Opens a connection for a lane that needs one (more), unless something speaks against it.
    #[inline(never)]
    pub(super) fn provide(&mut self, node: &Arc<NodeOf<P>>, lane: u16, now: Tick) {
        let key = (node.key(), Sharing::Shared);
        let (most, depth) = (self.settings.connections_per_node, self.depth(Sharing::Shared));
        let Some(here) = self.nodes.get(key) else { return };
        let lanes = here.lanes.as_deref();
        let ready = lanes.map_or(&[][..], |lanes| lanes.ready(lane));
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
        let way = node.way(lane);
        let errand = way.map_or(Errand::AnyLane, |_| Errand::Lane(lane));
        if lanes.is_some_and(|lanes| {
            lanes.is_opening(errand) || lanes.opening() >= MOST_OPENING || now < lanes.not_before
        }) {
            return;
        }
        let bound = usize::from(node.lanes()).saturating_mul(most.saturating_add(SPARE));
        if way.is_none() && here.connections.len() >= bound {
            self.nodes.entry(key).lanes().not_before = now.after(REST);
            return self.close_surplus(node);
        }
        let opened = self.dial(node.clone(), Sharing::Shared, way, errand, now);
        let lanes = self.nodes.entry(key).lanes();
        match opened {
            Ok(index) => lanes.opens(index, errand),
            // There is no free source port, or no file descriptor.
            Err(_) if way.is_some() => node.avoid_ways(),
            Err(_) => lanes.not_before = now.after(PAUSE),
        }
    }

    /// Settles where a connection that is now ready belongs; returns whether it is kept.
    #[inline(never)]
    pub(super) fn settle(&mut self, index: usize) -> bool {
        let Some(connection) = &mut self.connections[index] else { return false };
        let errand = std::mem::replace(&mut connection.errand, Errand::Commands);
        let (node, sharing) = (connection.node.clone(), connection.sharing);
        if sharing != Sharing::Shared {
            return true;
        }
        let lane = connection.pipeline.handshake().0.lane();
        let here = self.nodes.entry((node.key(), sharing));
        if errand != Errand::Commands {
            here.connections.push(index);
        }
        if lane.is_none() && here.lanes.is_none() {
            return true;
        }
        let lanes = here.lanes();
        lanes.is_ready(index, lane);
        let is_complete = lanes.served() >= usize::from(node.lanes());
        let most = self.settings.connections_per_node;
        let is_needed = lane.is_none_or(|lane| lanes.ready(lane).len() <= most);
        let is_astray = matches!(errand, Errand::Lane(wanted) if lane != Some(wanted));
        if is_astray {
            // Something in between changes the source port of the connection.
            node.avoid_ways();
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

    /// Closes the connections that lanes have beyond their number, if nothing is in flight on them.
    fn close_surplus(&mut self, node: &NodeOf<P>) {
        let key = (node.key(), Sharing::Shared);
        let lanes = self.nodes.get(key).and_then(|here| here.lanes.as_deref());
        let Some(lanes) = lanes else { return };
        let surplus = lanes.surplus(self.settings.connections_per_node);
        let carries_nothing = |index: &usize| {
            let connection = self.connections[*index].as_ref();
            connection.is_some_and(|connection| connection.pipeline.in_flight() == 0)
        };
        for index in surplus.filter(carries_nothing).collect::<Vec<_>>() {
            drop(self.remove(index));
        }
    }

    /// A connection failed: who is to blame, if it was opened for a lane.
    #[inline(never)]
    pub(super) fn errand_failed(
        &mut self,
        connection: &Connection<P, T>,
        blame: Blame,
        now: Tick,
    ) -> Blame {
        match connection.errand {
            Errand::Commands => blame,
            // The node may be well, while something in between blocks this port.
            Errand::Lane(_) => {
                connection.node.avoid_ways();
                Blame::None
            }
            Errand::AnyLane => {
                let lanes = self.nodes.entry(connection.key()).lanes();
                lanes.not_before = now.after(PAUSE);
                blame
            }
        }
    }
}
