//! Connections as such: opening them, deadlines, silence, idleness, nodes that left, and what happens to the
//! commands of a connection that is given up.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mio::{Interest, Token};

use super::send::Place;
use super::{LOOK, Multiplexer};
use crate::attempts::Failure;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::{Connection, Opened};
use crate::connection_table::NodeKey;
use crate::fault::{Fault, FaultKind};
use crate::metrics::Metrics;
use crate::pipeline::AbandonedCommand;
use crate::protocol::{CommandOf, NodeOf, Protocol, Sharing};
use crate::shard_connections::ConnectionPurpose;
use crate::shard_route::ShardRoute;
use crate::topology::{Endpoint as _, Topology as _};

/// Connections that were idle for longer than this are looked at before they are written to.
pub(crate) const REVALIDATE_AFTER_IDLE: Duration = Duration::from_millis(100);

/// Whose fault the end of a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultSource {
    /// The node: its circuit breaker counts this, once.
    Node,
    /// The node, which was silent for too long.
    Silence,
    /// Nobody.
    None,
}

/// The reason for closing a connection that got no more requests.
pub(super) fn drained() -> Fault {
    let message = "closed after its last awaited request";
    Fault::new(FaultKind::Connection, message)
}

/// The reason for closing a connection that was not used.
pub(super) fn idle() -> Fault {
    Fault::new(FaultKind::Connection, "closed while idle")
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    pub(super) fn open(
        &mut self,
        node: Arc<NodeOf<P>>,
        sharing: Sharing,
        now: Tick,
    ) -> Result<usize, Fault> {
        match self.dial(node.clone(), sharing, None, ConnectionPurpose::Commands, now) {
            Ok(index) => {
                self.nodes.entry((node.key(), sharing)).connections.push(index);
                if P::SHARDS && self.is_ready(index) && !self.settle(index) {
                    // Its shard has enough.
                    return self.open(node, sharing, now);
                }
                Ok(index)
            }
            Err(error) => {
                node.breaker().record();
                self.topology.refresh_soon();
                Err(Fault::unreachable(&*node, &error).because(error))
            }
        }
    }

    fn is_ready(&self, index: usize) -> bool {
        self.connections[index].as_ref().is_some_and(|connection| connection.dial.is_none())
    }

    /// Starts opening a connection, along a route if there is one; or takes one that was opened
    /// ahead.
    pub(super) fn dial(
        &mut self,
        node: Arc<NodeOf<P>>,
        sharing: Sharing,
        route: Option<ShardRoute>,
        purpose: ConnectionPurpose,
        now: Tick,
    ) -> io::Result<usize> {
        if let Some(recorder) = &mut self.recorder {
            recorder.forget(node.key());
        }
        let any = sharing == Sharing::Shared && purpose == ConnectionPurpose::Commands;
        let ready = if any { node.ready_connections() } else { None };
        let is_usable = |(wire, ..): &mut Opened<P>| wire.is_quiet();
        let idle = self.settings.idle;
        let ready = ready.and_then(|ready| ready.take(node.gauges(), idle, now, is_usable));
        let connection = if let Some(ready) = ready {
            Connection::ready(node, ready, sharing, now)
        } else {
            let until = now.after(self.settings.connect_timeout);
            let protocol = P::new(&self.topology, &node);
            Connection::open(node, protocol, (sharing, purpose), route, now, until)?
        };
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        let slot = &mut self.connections[index];
        let connection = slot.insert(Box::new(connection));
        connection.pipeline.expect(connection.node.health().reply_times());
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

    /// Finds another place, because the connection that was chosen can no longer be used.
    #[cold]
    pub(super) fn place_elsewhere(
        &mut self,
        index: usize,
        mut command: CommandOf<P, T>,
        now: Tick,
    ) {
        self.give_up(index, idle(), FaultSource::None, now);
        // No byte of it was sent, so this was not an attempt.
        command.attempts.count -= 1;
        self.attempt(command, now);
    }

    /// Whether a connection that was idle must not be written to: for too long, or it was closed by
    /// the server, which a driver that was held up has not noticed yet.
    #[inline(always)]
    pub(super) fn is_over(&mut self, index: usize, now: Tick) -> bool {
        let Some(connection) = &self.connections[index] else { return false };
        connection.pipeline.in_flight() == 0
            && connection.pipeline.last_progress().after(REVALIDATE_AFTER_IDLE) <= now
            && self.is_over_after_idling(index, now)
    }

    #[cold]
    fn is_over_after_idling(&mut self, index: usize, now: Tick) -> bool {
        let Some(connection) = &mut self.connections[index] else { return false };
        if connection.dial.is_some() {
            return false;
        }
        let idle_until = connection.pipeline.last_progress().after(self.settings.idle);
        idle_until <= now || !connection.wire.is_quiet()
    }

    /// Checks one connection.
    pub(super) fn inspect(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        let mut late = Vec::new();
        let displaced = connection.expire(now, |abandoned| late.push(abandoned));
        let key = connection.key();
        if connection.pipeline.has_too_many_orphans() && connection.pipeline.retire() {
            connection.node.breaker().record();
            self.topology.refresh_soon();
        }
        connection.node.health().note(connection.pipeline.reply_times());
        if connection.silence_lasts_long() <= now {
            self.leave_silent(index, now);
        }
        let connection = self.connections[index].as_ref();
        let draining = connection.is_some_and(|connection| connection.pipeline.is_draining());
        let verdict = self.verdict(index, now);
        if !late.is_empty() {
            let node = self.connections[index].as_ref().map(|connection| connection.node.clone());
            for abandoned in late {
                self.give_up_attempt(abandoned, node.as_deref(), now);
            }
        }
        if draining {
            self.unlist(index, key);
        }
        if let Some((error, source)) = verdict {
            self.give_up(index, error, source, now);
        }
        for mut command in displaced {
            // No byte of it was sent, so this was not an attempt.
            command.attempts.count -= 1;
            self.attempt(command, now);
        }
    }

    /// Why a connection must be given up, if it must.
    fn verdict(&self, index: usize, now: Tick) -> Option<(Fault, FaultSource)> {
        let connection = self.connections[index].as_ref()?;
        let (node, pipeline) = (&*connection.node, &connection.pipeline);
        let idle_until = pipeline.last_progress().after(self.settings.idle);
        if connection.dial.as_ref().is_some_and(|dial| dial.until() <= now) {
            let why = "it did not answer within the connect timeout";
            Some((Fault::unreachable(node, why), FaultSource::Node))
        } else if !node.is_active() {
            Some((Fault::left(node), FaultSource::None))
        } else if node.is_lost() && connection.dial.is_none() && pipeline.in_flight() > 0 {
            Some((Fault::lost(node), FaultSource::Node))
        } else if connection.dial.is_none() && connection.silence_ends() <= now {
            Some((Fault::silent(node), FaultSource::Silence))
        } else if pipeline.is_drained() {
            Some((drained(), FaultSource::None))
        } else if pipeline.in_flight() == 0 && connection.dial.is_none() && idle_until <= now {
            Some((idle(), FaultSource::None))
        } else {
            None
        }
    }

    /// Drops a connection; its commands are retried or fail, each with its own error.
    pub(super) fn give_up(&mut self, index: usize, error: Fault, source: FaultSource, now: Tick) {
        let Some(mut connection) = self.remove(index) else { return };
        let key = connection.key();
        // A node that is gone gets no more; one that is silent may have too much to do.
        let is_gone = source != FaultSource::Silence;
        let source = if is_gone { source } else { FaultSource::Node };
        let source =
            if P::SHARDS { self.source_of_failure(&connection, source, now) } else { source };
        if source == FaultSource::Node {
            connection.node.breaker().record();
            connection.node.health().broke(now);
        }
        if source == FaultSource::Node || connection.pipeline.in_flight() > 0 {
            self.topology.refresh_soon();
        }
        let abandoned = connection.pipeline.abandon();
        let node = connection.node.clone();
        drop(connection);
        for AbandonedCommand { command, sent } in abandoned {
            let error = error.clone().into();
            let failure = if sent { Failure::Lost(error) } else { Failure::NotSent(error) };
            let moves = is_gone && self.moves_away(&command, &node);
            self.failed_or_moved(command, failure, sent && !moves, now);
        }
        self.admit(key, now);
    }

    /// Removes a connection, whatever is in flight on it.
    pub(super) fn remove(&mut self, index: usize) -> Option<Box<Connection<P, T>>> {
        let mut connection = self.connections[index].take()?;
        let _ = self.registry.deregister(&mut connection.wire);
        connection.wire.hang_up();
        self.vacant.push(index);
        self.unlist(index, connection.key());
        Some(connection)
    }

    /// Gives a connection no more commands.
    fn unlist(&mut self, index: usize, key: NodeKey) {
        if let Some(here) = self.nodes.get_mut(key) {
            here.connections.retain(|other| *other != index);
            if let Some(shards) = here.shards.as_deref_mut() {
                shards.forget(index);
            }
        }
    }

    /// Admits waiting commands to connections that have room again, in order of arrival.
    #[inline]
    pub(super) fn admit(&mut self, key: NodeKey, now: Tick) {
        if self.waits && !self.places_anew {
            self.admit_waiting(key, now);
        }
    }

    #[inline(never)]
    fn admit_waiting(&mut self, key: NodeKey, now: Tick) {
        loop {
            let Some(here) = self.nodes.get_mut(key) else { return };
            if here.waiting.is_empty() {
                return;
            }
            let first = here.connections.first().copied();
            if first.is_some_and(|first| self.is_suspected(first)) {
                return self.place_anew(key, now);
            }
            if first.is_some_and(|first| !self.has_turn(key, first, now)) {
                return;
            }
            let ordered = self.ordered_place_of_next(key);
            let place = match (ordered, first) {
                (Some(place), _) => place,
                (None, Some(first)) => {
                    let shard = self.shard_of_next(key, first);
                    self.find_place(self.nodes.get(key), key.1, shard, now)
                }
                (None, None) => return self.place_anew(key, now),
            };
            let connection = match place {
                Place::On(index) => Ok(index),
                Place::Open => {
                    let first = first.and_then(|first| self.connections[first].as_ref());
                    let node = first.map(|connection| connection.node.clone());
                    let usable = node.filter(|node| node.is_active() && !node.breaker().is_open());
                    let Some(node) = usable else { return };
                    self.open(node, key.1, now)
                }
                Place::Wait => return,
            };
            let waiting = self.nodes.get_mut(key).and_then(|here| here.waiting.pop_front());
            let Some(mut command) = waiting else { return };
            self.order.leaves(self.key(&command));
            command.attempts.count += 1;
            self.queue_on(connection, command, now);
        }
    }

    /// Where the command that has waited longest must go because of those before it.
    fn ordered_place_of_next(&self, key: NodeKey) -> Option<Place> {
        let here = self.nodes.get(key)?;
        let command = here.waiting.front()?;
        let shard = here.connections.first().and_then(|first| self.shard_of_next(key, *first));
        self.ordered_place(self.key(command), command, key.0, || here.of_shard(shard))
    }

    fn is_suspected(&self, index: usize) -> bool {
        let connection = self.connections[index].as_ref();
        connection.is_some_and(|connection| connection.node.health().is_suspected())
    }

    /// All connections are gone, or the node does not answer: waiting commands are placed anew.
    fn place_anew(&mut self, key: NodeKey, now: Tick) {
        let Some(here) = self.nodes.get_mut(key) else { return };
        let waiting = here.waiting.take_all();
        for command in &waiting {
            self.order.leaves(self.key(command));
        }
        // One that joins another queue must not have that queue placed anew, and so on.
        self.places_anew = true;
        for command in waiting {
            self.attempt(command, now);
        }
        self.places_anew = false;
    }

    /// Admits waiting commands on all nodes.
    pub(super) fn admit_everywhere(&mut self, now: Tick) {
        for key in self.nodes.with_waiting() {
            self.admit(key, now);
        }
    }

    pub(super) fn next_alarm(&self, now: Tick) -> Tick {
        let mut alarm = self.delayed.peek().map_or(Tick::NEVER, |next| next.at);
        alarm = alarm.min(self.reads.deadline());
        for connection in self.connections.iter().flatten() {
            let pipeline = &connection.pipeline;
            let idle = pipeline.last_progress().after(self.settings.idle);
            let own = if pipeline.in_flight() == 0 { idle } else { connection.deadline() };
            let silence = connection.silence_lasts_long();
            // Afterwards it is looked at as often as others.
            let own = if silence > now { own.min(silence) } else { own };
            let limit = match &connection.dial {
                Some(dial) => dial.until(),
                None => connection.silence_ends(),
            };
            alarm = alarm.min(own).min(limit);
        }
        for command in
            self.nodes.values().flat_map(|here| here.waiting.iter()).chain(self.line.iter())
        {
            alarm = alarm.min(command.deadline);
        }
        if self.in_flight > 0 { alarm.min(now.after(LOOK)) } else { alarm }
    }
}
