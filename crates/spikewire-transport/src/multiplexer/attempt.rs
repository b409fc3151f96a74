//! An attempt at a command, and what follows if it fails.

use std::fmt::Display;
use std::io;
use std::sync::Arc;

use mio::{Interest, Token};

use super::maintenance::{self, FaultSource};
use super::{Multiplexer, STALL};
use crate::attempts::{Failure, ServerFailure, Verdict};
use crate::buffer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::fault::{Fault, FaultKind};
use crate::keys::OrderKey;
use crate::metrics::Metrics;
use crate::pipeline::AbandonedCommand;
use crate::placement::{Load, NodeConnections, NodeKey, Place, place};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol, Sharing};
use crate::shard_connections::ConnectionPurpose;
use crate::shard_route::ShardRoute;
use crate::ticket_handle::Settlement;
use crate::topology::{Endpoint as _, Target as _, Topology as _};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Starts an attempt at a command: chooses a node and a connection, and queues it.
    pub(super) fn attempt(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        command.attempts.count += 1;
        match self.node_for(&command) {
            Ok(node) => self.place(command, node, now),
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
        let is_blocked =
            || P::sharing(command.bytes.len(), command.rows, command.kind) != Sharing::Control;
        if node.breaker().is_open() && is_blocked() {
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
        if here.is_some_and(|here| !here.waiting.is_empty()) {
            // Commands that are already waiting go first.
            self.wait(command, &node, order, key);
            return self.admit(key, now);
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

    /// Keeps a command until there is a place for it.
    #[inline(never)]
    fn wait(
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

    /// Queues on a connection that was just opened, unless that failed.
    #[inline(never)]
    pub(super) fn queue_on(
        &mut self,
        opened: Result<usize, Fault>,
        command: CommandOf<P, T>,
        now: Tick,
    ) {
        match opened {
            Ok(index) => {
                let key = self.key(&command);
                self.queue(index, command, key, now);
            }
            Err(error) => self.failed(command, Failure::NotSent(error.into()), now),
        }
    }

    #[inline(always)]
    fn queue(&mut self, index: usize, mut command: CommandOf<P, T>, key: OrderKey, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        if !command.ticket.starts() {
            return self.fail(command, Fault::new(FaultKind::Withdrawn, "withdrawn").into());
        }
        let writes = command.target.writes();
        let is_behind = connection.queue(command, key, now);
        if key.is_some() {
            self.order.note(key, index, writes, is_behind);
        }
        if !connection.dirty && connection.dial.is_none() {
            connection.dirty = true;
            self.dirty.push(index);
        }
    }

    /// Finds another place, because the connection that was chosen can no longer be used.
    #[cold]
    fn place_elsewhere(&mut self, index: usize, mut command: CommandOf<P, T>, now: Tick) {
        self.give_up(index, maintenance::idle(), FaultSource::None, now);
        // No byte of it was sent, so this was not an attempt.
        command.attempts.count -= 1;
        self.attempt(command, now);
    }

    pub(super) fn open(
        &mut self,
        node: Arc<NodeOf<P>>,
        sharing: Sharing,
        now: Tick,
    ) -> Result<usize, Fault> {
        match self.dial(node.clone(), sharing, None, ConnectionPurpose::Commands, now) {
            Ok(index) => {
                self.nodes.entry((node.key(), sharing)).connections.push(index);
                Ok(index)
            }
            Err(error) => {
                node.breaker().record();
                self.topology.refresh_soon();
                Err(Fault::unreachable(&*node, &error).because(error))
            }
        }
    }

    /// Starts opening a connection, along a route if there is one.
    pub(super) fn dial(
        &mut self,
        node: Arc<NodeOf<P>>,
        sharing: Sharing,
        route: Option<ShardRoute>,
        purpose: ConnectionPurpose,
        now: Tick,
    ) -> io::Result<usize> {
        let until = now.after(self.settings.connect_timeout);
        let protocol = P::new(&self.topology, &node);
        if let Some(recorder) = &mut self.recorder {
            recorder.forget(node.key());
        }
        let connection = Connection::open(node, protocol, (sharing, purpose), route, now, until)?;
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        let slot = &mut self.connections[index];
        let connection = slot.insert(Box::new(connection));
        let timed = self.topology.metrics().is_some_and(Metrics::times_stages);
        connection.pipeline.time_writes(timed);
        let both = Interest::READABLE | Interest::WRITABLE;
        let registered = self.registry.register(&mut connection.wire, Token(index), both);
        if let Err(error) = registered {
            *slot = None;
            self.vacant.push(index);
            return Err(error);
        }
        Ok(index)
    }

    pub(super) fn on_server_error(
        &mut self,
        command: CommandOf<P, T>,
        error: ErrorOf<P>,
        doubtful: bool,
        now: Tick,
    ) {
        let failure = ServerFailure { error, retryable: true, doubtful };
        self.failed(command, Failure::Server(failure), now);
    }

    pub(super) fn failed(
        &mut self,
        mut command: CommandOf<P, T>,
        failure: Failure<ErrorOf<P>>,
        now: Tick,
    ) {
        let (write, deadline) = (command.target.writes(), command.deadline);
        let error = failure.error().clone();
        match command.attempts.failed(failure, write, &command.policy, deadline, now) {
            // An immediate retry also goes through the queue, so that a node that rejects
            // everything cannot cause recursion.
            Verdict::Retry(at) => {
                let (topology, count) = (&self.topology, command.attempts.count);
                let longer = topology.attempt_failed(&mut command.target, &error, count);
                let at = if longer.is_zero() { at } else { at.max(now).after(longer) };
                if at >= deadline {
                    let error = command.attempts.annotate(error);
                    return self.fail(command, error);
                }
                self.alarm = self.alarm.min(at.max(now));
                self.delay(at, command, false);
            }
            Verdict::Fail(error) => self.fail(command, error),
        }
    }

    /// Ends a command that is overdue; `node` is the one that its current attempt was for.
    pub(super) fn time_out(
        &mut self,
        abandoned: AbandonedCommand<CommandOf<P, T>>,
        node: Option<&NodeOf<P>>,
    ) {
        let AbandonedCommand { mut command, sent } = abandoned;
        if let Some(node) = node
            && sent
            && command.target.is_measured()
            && command.ticket.is_superseded()
            && command.attempts.count == 1
        {
            let took = Tick::now().since(command.start);
            self.topology.measured(&command.target, node, took, false);
        }
        let (write, node) = (command.target.writes(), node.map(|node| node as &dyn Display));
        let error = command.attempts.timed_out(write, sent, node, &command.policy);
        self.fail(command, error);
    }

    /// Fails a command; the error says how often it was attempted.
    pub(super) fn fail(&mut self, mut command: CommandOf<P, T>, error: ErrorOf<P>) {
        if command.settle(false) == Settlement::Dropped {
            self.in_flight -= 1;
            return buffer::give(command.bytes);
        }
        self.count_failed(&command, &error);
        buffer::give(command.bytes);
        let error = self.topology.conclude(&mut command.target, error);
        if let Some(ticket) = command.ticket.into_own() {
            self.failed.push((ticket, command.attempts.annotate(error)));
        }
    }
}
