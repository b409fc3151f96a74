//! From a command to bytes on a socket: its node, its connection, its place among the others there,
//! and the write that they share.

use std::io::{self, Write as _};
use std::sync::Arc;

use mio::{Interest, Token};

use super::shared_reads::count_write;
use super::{LOOK, Multiplexer, SHORTEST, STALL};
use crate::attempts::Failure;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::connection_table::{NodeConnections, NodeKey};
use crate::fault::{Fault, FaultKind};
use crate::keys::OrderKey;
use crate::pipeline::{AbandonedCommand, Request};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol, Sharing};
use crate::reply::Outcome;
use crate::ticket_handle::QueuePlace;
use crate::topology::{Endpoint as _, Target as _, Topology as _};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Accepts a command; it is written by the next flush. The outcome always comes through one of
    /// the completing calls, even if the command fails at once.
    // Inlined because a command is large: it is moved once instead of twice.
    #[inline(always)]
    pub fn submit(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        self.in_flight += 1;
        self.decide_metrics(&mut command);
        self.alarm = self.alarm.min(command.deadline).min(now.after(LOOK));
        if command.deadline.0 <= now.0.saturating_add(SHORTEST) {
            self.time_out(AbandonedCommand { command, sent: false }, None);
        } else if command.start > now {
            count_write::<P, T>(&self.topology, &command);
            self.alarm = self.alarm.min(command.start);
            self.delay(command.start, command);
        } else if self.may_share(&command) {
            self.submit_sharing(command, now);
        } else {
            self.enter(command, now);
        }
    }

    /// Begins a command, unless it has to wait in line.
    #[inline(always)]
    pub(super) fn enter(&mut self, command: CommandOf<P, T>, now: Tick) {
        if self.in_flight > self.most && self.has_no_room(&command) {
            self.line.push_back(command);
            self.waits = true;
        } else {
            self.begin(command, now);
        }
    }

    /// Makes the first attempt at a command, or at a copy whose time has come.
    #[inline(always)]
    pub(super) fn begin(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        let Self { topology, router, .. } = self;
        let preference = command.policy.replica;
        if let Some(plan) = topology.copy_of(router, &mut command.target, preference) {
            self.prepare_copy(&mut command, plan, now);
        }
        self.attempt(command, now);
    }

    /// Starts an attempt at a command: chooses a node and a connection, and queues it.
    pub(super) fn attempt(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        command.attempts.count += 1;
        match self.node_for(&command) {
            Ok(node) if node.health().is_suspected() && !is_control::<P, T>(&command) => {
                self.wait_for(command, &node, now);
            }
            Ok(node) => {
                if node.health().limiter().is_limiting() && !self.fits(&command, &node) {
                    return self.wait_for_turn(command, &node, now);
                }
                self.place(command, node, now);
            }
            Err(error) => self.failed(command, Failure::NotSent(error), now),
        }
    }

    fn node_for(&self, command: &CommandOf<P, T>) -> Result<Arc<NodeOf<P>>, ErrorOf<P>> {
        let closed = || self.closed || self.topology.is_closed();
        let why = || Fault::new(FaultKind::Closed, P::CLOSED).into();
        if closed() {
            return Err(why());
        }
        let (preference, step) = (command.policy.replica, command.attempts.step);
        let node = self.topology.route(&self.router, &command.target, preference, step);
        // Closing removes the nodes, so routing may fail for that reason.
        let node = node.map_err(|error| if closed() { why() } else { error })?;
        // Control requests are how a client finds out what is wrong with a node.
        if node.breaker().is_open() && !is_control::<P, T>(command) {
            return Err(Fault::breaker_open(&*node).into());
        }
        Ok(node)
    }

    // Inlined, as are the choice of a connection and the queueing on it: each happens once per
    // command, and its arguments are in registers.
    #[inline(always)]
    fn place(&mut self, command: CommandOf<P, T>, node: Arc<NodeOf<P>>, now: Tick) {
        let order = self.key(&command);
        let mut sharing = P::sharing(command.bytes.len(), command.rows, command.kind);
        let mut key = (node.key(), sharing);
        if self.order.has_waiting()
            && let Some(at) = self.queue_ahead(order, &command, node.key())
        {
            (key, sharing) = (at, at.1);
        }
        let shard = self.shard(&command, &node, sharing);
        if let Some(shard) = shard {
            self.provide(&node, shard, now);
        }
        let here = self.nodes.get(key);
        if self.waits && here.is_some_and(|here| !here.waiting.is_empty()) {
            // Commands that are already waiting go first.
            self.wait(command, &node, order, key);
            // A read that follows a write into the queue of a silent node would have it emptied again.
            if !self.places_anew {
                self.admit(key, now);
            }
            return;
        }
        let ordered = self.ordered_place(order, &command, node.key(), || {
            here.map_or(&[], |here| here.of_shard(shard))
        });
        match ordered.unwrap_or_else(|| self.find_place(here, sharing, shard, now)) {
            Place::On(index) if self.is_over(index, now) => {
                self.place_elsewhere(index, command, now);
            }
            Place::On(index) => self.queue(index, command, order, now),
            Place::Open => {
                let connection = self.open(node, sharing, now);
                self.queue_on(connection, command, now);
            }
            Place::Wait => self.wait(command, &node, order, key),
        }
    }

    /// Where the next command goes; `shard` if it has one.
    #[inline(always)]
    pub(super) fn find_place(
        &self,
        here: Option<&NodeConnections<CommandOf<P, T>>>,
        sharing: Sharing,
        shard: Option<u16>,
        now: Tick,
    ) -> Place {
        let mut most = self.settings.connections_per_node;
        let depth = self.depth(sharing);
        if P::SHARDS
            && let (Some(here), Some(shard)) = (here, shard)
            && let Some(index) = self.find_in_shard(here, shard, depth, now)
        {
            return Place::On(index);
        }
        let here = here.map_or(&[][..], |here| &here.connections);
        if P::SHARDS {
            // Connections opened for shards carry any command.
            most = most.max(here.len());
        }
        self.place_among(here, most, depth, now)
    }

    /// The place of the next command that may take any of these connections, of which there may be
    /// `most`.
    #[inline(always)]
    pub(super) fn place_among(
        &self,
        here: &[usize],
        most: usize,
        depth: usize,
        now: Tick,
    ) -> Place {
        if let [only] = here
            && self.load(*only, now).is_some_and(|load| load.is_light(self.spread, depth))
        {
            return Place::On(*only);
        }
        let loads = here.iter().filter_map(|index| self.load(*index, now));
        place(loads, self.spread, most, depth)
    }

    /// The maximum weight in flight on one connection.
    #[inline]
    pub(super) fn depth(&self, sharing: Sharing) -> usize {
        let ids = P::IDS.map_or(usize::MAX, usize::from);
        match sharing {
            Sharing::Shared => self.settings.depth.min(ids),
            Sharing::Alone | Sharing::Control => 1,
        }
    }

    /// The load of a connection.
    #[inline(always)]
    fn load(&self, connection: usize, now: Tick) -> Option<Load> {
        let pipeline = &self.connections[connection].as_ref()?.pipeline;
        // With ids, a slow reply holds up no other.
        let stalled =
            P::IDS.is_none() && pipeline.oldest().is_some_and(|since| since.after(STALL) <= now);
        Some(Load { connection, in_flight: pipeline.weight(), stalled })
    }

    #[inline(always)]
    pub(super) fn queue(
        &mut self,
        index: usize,
        mut command: CommandOf<P, T>,
        key: OrderKey,
        now: Tick,
    ) {
        let Some(connection) = &mut self.connections[index] else { return };
        let starts = command.ticket.starts(|| QueuePlace {
            connection: index,
            position: connection.pipeline.end(),
            attempts: command.attempts,
        });
        if !starts {
            return self.fail(command, Fault::new(FaultKind::Withdrawn, "withdrawn").into());
        }
        let writes = command.target.writes();
        let is_behind = connection.queue(command, key, now);
        // Those that have published nothing so far do so when replies arrive.
        if connection.published != 0 {
            connection.publish();
        }
        if key.is_some() {
            self.order.note(key, index, writes, is_behind);
        }
        if !connection.dirty && connection.dial.is_none() {
            connection.dirty = true;
            self.dirty.push(index);
        }
    }

    /// Keeps a command until there is a place for it.
    #[inline(never)]
    pub(super) fn wait(
        &mut self,
        mut command: CommandOf<P, T>,
        node: &NodeOf<P>,
        order: OrderKey,
        key: NodeKey,
    ) {
        // Not an attempt yet.
        command.attempts.count -= 1;
        let waiting = &mut self.nodes.entry(key).waiting;
        if waiting.len() < self.settings.queue {
            waiting.push_back(command);
            self.order.waits(order, key);
            self.waits = true;
        } else {
            self.fail(command, Fault::full(node, self.settings.queue).into());
        }
    }

    /// Writes what was submitted since the last flush.
    pub fn flush(&mut self, now: Tick, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        loop {
            while let Some(index) = self.dirty.pop() {
                let Some(connection) = &mut self.connections[index] else { continue };
                connection.dirty = false;
                if !(self.holds && connection.pipeline.awaits()) {
                    self.write(index, now);
                }
            }
            self.report(deliver);
            if !self.waits || self.line.is_empty() || !self.let_in(now) {
                break;
            }
        }
        self.publish();
    }

    /// Writes what a connection has queued.
    pub(super) fn write(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        match connection.write(now) {
            Ok(_) => self.watch(index, now),
            Err(error) => self.broken(index, &error, now),
        }
    }

    /// Keeps the poller's interest in step with what a connection waits for.
    #[inline]
    pub(super) fn watch(&mut self, index: usize, now: Tick) {
        let Some(connection) = &self.connections[index] else { return };
        let watch = connection.wants_to_write();
        if watch != connection.watches_write {
            self.watch_write(index, watch, now);
        }
    }

    #[cold]
    fn watch_write(&mut self, index: usize, watch: bool, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        connection.watches_write = watch;
        let both = Interest::READABLE | Interest::WRITABLE;
        let interest = if watch { both } else { Interest::READABLE };
        let result = self.registry.reregister(&mut connection.wire, Token(index), interest);
        if let Err(error) = result {
            self.broken(index, &error, now);
        }
    }
}

impl<P: Protocol, T: ResponseHandler> Connection<P, T> {
    /// Queues a command for the next write. Returns whether an earlier one with its key is
    /// unanswered.
    #[inline(always)]
    fn queue(&mut self, command: CommandOf<P, T>, key: OrderKey, now: Tick) -> bool {
        let composed = self.pipeline.compose(&command.bytes, command.kind);
        let (kind, many, weight) = (command.kind, command.stream, command.rows.max(1));
        let request = Request { kind, many, weight, deadline: command.deadline, key };
        self.pipeline.queue(composed, request, command, now)
    }

    /// Writes what is queued; returns whether everything was written.
    fn write(&mut self, now: Tick) -> io::Result<bool> {
        if self.dial.is_some() {
            return Ok(false);
        }
        let done = self.pipeline.write(&mut self.wire, now)?;
        self.wire.flush()?;
        Ok(done)
    }
}

/// Whether it is the client's own request.
pub(super) fn is_control<P: Protocol, T>(command: &CommandOf<P, T>) -> bool {
    P::sharing(command.bytes.len(), command.rows, command.kind) == Sharing::Control
}

/// What a command should do next to reach its node.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Queue on this connection.
    On(usize),
    /// Open another connection.
    Open,
    /// Wait until a reply makes room.
    Wait,
}

/// A connection as [`place`] sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
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
pub(super) struct Spread {
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
pub(super) fn place(
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
    fn commands_are_placed_on_the_least_busy_connection() {
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
