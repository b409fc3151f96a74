//! Looking after connections: deadlines, silence, idleness, nodes that left, and what becomes of
//! the commands of a connection that is given up.

use std::sync::Arc;

use super::{LOOK, Multiplexer};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::command::Failure;
use crate::error::{Error, Kind};
use crate::transport::connection::{Connection, Orphan};
use crate::transport::link::Place;
use crate::transport::{Collect, node_error};

/// Whose fault it is that a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blame {
    /// The node's: its breaker counts this, once.
    Node,
    /// Nobody's.
    Nobody,
}

/// Why a connection ends on which a request was given up half sent.
pub(super) fn drained() -> Error {
    Error::new(Kind::Connection, "closed after a request that was not sent to its end")
}

impl<T: Collect> Multiplexer<T> {
    /// Looks after one connection: deadlines, silence, idleness, a node that left.
    pub(super) fn inspect(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        let mut late = Vec::new();
        let displaced = connection.expire(now, |orphan| late.push(orphan));
        let node = connection.node.clone();
        let key = (node.slot, connection.bulk);
        let draining = connection.draining;
        let idle_until = connection.last_progress.after(self.cluster.options().idle);
        let verdict = if connection.connecting.is_some_and(|until| until <= now) {
            let why = "it did not answer within the connect timeout";
            Some((node_error::unreachable(&node, why), Blame::Node))
        } else if !node.is_active() {
            let message = format!("node {node} left the cluster");
            let error = Error::new(Kind::Connection, message).on(node.to_string());
            Some((error, Blame::Nobody))
        } else if connection.patience_ends() <= now {
            let message = format!("node {node} was silent for longer than the socket timeout");
            let error = Error::new(Kind::Connection, message).on(node.to_string());
            Some((error, Blame::Node))
        } else if connection.is_drained() {
            Some((drained(), Blame::Nobody))
        } else if connection.in_flight() == 0 && idle_until <= now {
            Some((Error::new(Kind::Connection, "closed while idle"), Blame::Nobody))
        } else {
            None
        };
        for orphan in late {
            self.time_out(orphan);
        }
        if draining {
            self.unlist(index, key);
        }
        if let Some((error, blame)) = verdict {
            self.give_up(index, &error, blame, now);
        }
        for mut command in displaced {
            command.attempts.made -= 1;
            self.attempt(command, now);
        }
    }

    /// Drops a connection; its commands are tried again or fail, each with its own error.
    pub(super) fn give_up(&mut self, index: usize, error: &Error, blame: Blame, now: Tick) {
        let Some(mut connection) = self.remove(index) else { return };
        let key = (connection.node.slot, connection.bulk);
        if blame == Blame::Node {
            connection.node.breaker.record();
        }
        if blame == Blame::Node || connection.in_flight() > 0 {
            self.cluster.tend_soon();
        }
        let orphans: Vec<_> = connection.orphans().collect();
        drop(connection);
        for Orphan { command, sent } in orphans {
            let error = error.clone();
            let failure = if sent { Failure::Lost(error) } else { Failure::NotSent(error) };
            self.failed(command, failure, now);
        }
        self.admit(key, now);
    }

    /// Takes a connection out, whatever is in flight on it.
    pub(super) fn remove(&mut self, index: usize) -> Option<Box<Connection<T>>> {
        let mut connection = self.connections[index].take()?;
        let _ = self.registry.deregister(&mut connection.stream);
        self.vacant.push(index);
        self.unlist(index, (connection.node.slot, connection.bulk));
        Some(connection)
    }

    /// From here on a connection gets no more commands.
    fn unlist(&mut self, index: usize, key: (u32, bool)) {
        if let Some(link) = self.links.get_mut(&key) {
            link.connections.retain(|other| *other != index);
        }
    }

    /// Lets waiting commands onto connections that have room again, first come, first served.
    pub(super) fn admit(&mut self, key: (u32, bool), now: Tick) {
        loop {
            let Some(link) = self.links.get_mut(&key) else { return };
            if link.waiting.is_empty() {
                return;
            }
            let Some(first) = link.connections.first().copied() else {
                // All connections are gone: those who wait look for a way anew.
                for command in std::mem::take(&mut link.waiting) {
                    self.attempt(command, now);
                }
                return;
            };
            let place = self.find_place(self.links.get(&key), key.1, now);
            let connection = match place {
                Place::On(index) => Ok(index),
                Place::Open => {
                    let node = self.connections[first].as_ref().map(|first| first.node.clone());
                    let usable = |node: &Arc<Node>| node.is_active() && !node.breaker.is_open();
                    let Some(node) = node.filter(usable) else { return };
                    self.open(node, key.1, now)
                }
                Place::Wait => return,
            };
            let waiting = self.links.get_mut(&key).and_then(|link| link.waiting.pop_front());
            let Some(mut command) = waiting else { return };
            command.attempts.made += 1;
            self.queue_on(connection, command, now);
        }
    }

    /// Does so for all nodes.
    pub(super) fn admit_everywhere(&mut self, now: Tick) {
        let links = self.links.iter().filter(|(_, link)| !link.waiting.is_empty());
        for key in links.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.admit(key, now);
        }
    }

    pub(super) fn next_alarm(&self, now: Tick) -> Tick {
        let options = self.cluster.options();
        let mut alarm = self.delayed.peek().map_or(Tick::NEVER, |next| next.at);
        for connection in self.connections.iter().flatten() {
            let idle = connection.last_progress.after(options.idle);
            let own = if connection.in_flight() == 0 { idle } else { connection.deadline() };
            alarm = alarm
                .min(own)
                .min(connection.patience_ends())
                .min(connection.connecting.unwrap_or(Tick::NEVER));
        }
        for command in self.links.values().flat_map(|link| &link.waiting) {
            alarm = alarm.min(command.deadline);
        }
        if self.in_flight > 0 { alarm.min(now.after(LOOK)) } else { alarm }
    }
}
