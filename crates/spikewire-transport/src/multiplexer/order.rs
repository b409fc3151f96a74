//! Keeps the order of commands with the same key ([`OrderKey`]).
//!
//! - A command takes the connection on which a command with its key is unanswered, even if another
//!   one has fewer commands. If that one is full, it waits, and those behind it in the queue too.
//!   Servers answer the requests of a connection in order, or at least start them in order. Reads do
//!   not wait for reads on a connection that gets no more requests.
//! - Behind a command that waits for a place, it waits in the same queue.
//! - If its node is another one, a read follows an unanswered write there, because it would miss
//!   it elsewhere. A write goes where it is routed.
//!
//! The order is that of first attempts: a command that is sent again, or its copy, may come later.
//! It is not kept while the first connection to a shard is being opened.

use rustc_hash::FxHashMap;

use super::Multiplexer;
use super::send::Place;
use crate::command::ResponseHandler;
use crate::connection_table::NodeKey;
use crate::keys::OrderKey;
use crate::protocol::{CommandOf, Protocol, Sharing};
use crate::topology::{Endpoint as _, Target as _};

/// Where the commands with each key are.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Where the latest command with each key went. Empty if no order is kept.
    latest: Vec<Latest>,
    /// The keys of commands that wait for a place: how many, and in which queue.
    waiting: FxHashMap<OrderKey, (usize, NodeKey)>,
}

/// The connection that the latest command with a key took.
#[derive(Debug, Clone, Copy, Default)]
struct Latest {
    /// Its index, counted from 1; 0 before the first command.
    connection: u32,
    /// Whether a write may be among the unanswered ones.
    writes: bool,
}

impl Order {
    /// The order of a driver whose callers send commands without waiting for earlier ones.
    pub fn tracking() -> Self {
        Self { latest: vec![Latest::default(); OrderKey::COUNT], waiting: FxHashMap::default() }
    }

    /// Whether any command waits for a place.
    #[inline(always)]
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// All queues are emptied.
    pub fn forget_waiting(&mut self) {
        self.waiting.clear();
    }

    /// A command joins a queue.
    pub fn waits(&mut self, key: OrderKey, at: NodeKey) {
        if key.is_some() {
            self.waiting.entry(key).or_insert((0, at)).0 += 1;
        }
    }

    /// Records that a command was queued on a connection; `is_behind` says whether an earlier one
    /// with its key is unanswered there.
    #[inline(always)]
    pub fn note(&mut self, key: OrderKey, index: usize, writes: bool, is_behind: bool) {
        let latest = &mut self.latest[key.index()];
        latest.connection = index as u32 + 1;
        latest.writes = writes || (is_behind && latest.writes);
    }

    /// A command leaves its queue.
    pub fn leaves(&mut self, key: OrderKey) {
        if let Some((count, _)) = self.waiting.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(&key);
            }
        }
    }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Keeps the order of commands with the same key from here on.
    pub(crate) fn keep_order(&mut self) {
        self.order = Order::tracking();
    }

    /// The key of a command; none if no order is kept.
    #[inline(always)]
    pub(super) fn key(&self, command: &CommandOf<P, T>) -> OrderKey {
        if self.order.latest.is_empty() { OrderKey::NONE } else { command.target.order() }
    }

    /// The queue that a command for this node must join.
    #[inline(never)]
    pub(super) fn queue_ahead(
        &self,
        key: OrderKey,
        command: &CommandOf<P, T>,
        node: u32,
    ) -> Option<NodeKey> {
        let (_, at) = *self.order.waiting.get(&key)?;
        let follows = key != OrderKey::UNKNOWN && !command.target.writes();
        (at.0 == node || follows).then_some(at)
    }

    /// Where a command for this node must go because of those before it; `None` if it may go
    /// anywhere. `own` returns the connections of its shard, if it has one: those before it about the
    /// same record took one of them, and a key that is met on another stands for another record.
    #[inline(always)]
    pub(super) fn ordered_place<'a>(
        &self,
        key: OrderKey,
        command: &CommandOf<P, T>,
        node: u32,
        own: impl FnOnce() -> &'a [usize],
    ) -> Option<Place> {
        let latest = *self.order.latest.get(key.index())?;
        let index = (latest.connection as usize).checked_sub(1)?;
        let connection = self.connections.get(index)?.as_ref()?;
        if !connection.pipeline.is_unanswered(key) {
            return None;
        }
        let own = own();
        if !own.is_empty() && !own.contains(&index) {
            return None;
        }
        if connection.node.key() != node {
            let follows = latest.writes
                && !command.target.writes()
                && key != OrderKey::UNKNOWN
                && command.attempts.count <= 1
                && connection.node.is_active()
                && !connection.node.breaker().is_open();
            if !follows {
                return None;
            }
        }
        if connection.pipeline.is_draining() && !latest.writes && !command.target.writes() {
            // Reads have no order, and a connection that lost its replies keeps them for long.
            return None;
        }
        // A connection that carries one heavy command at a time takes what must follow it: in a
        // queue, that would hold up all others.
        let has_room = connection.pipeline.has_room()
            && (connection.sharing != Sharing::Shared
                || connection.pipeline.weight() < self.depth(Sharing::Shared));
        Some(if has_room { Place::On(index) } else { Place::Wait })
    }
}
