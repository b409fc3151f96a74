//! Looking after connections: deadlines, silence, idleness, nodes that left, and what becomes of
//! the commands of a connection that is given up.

use super::{LOOK, Multiplexer};
use crate::clock::Tick;
use crate::command::Failure;
use crate::error::{Error, Kind};
use crate::transport::Collect;
use crate::transport::connection::Orphan;

impl<T: Collect> Multiplexer<T> {
    /// Looks after one connection: deadlines, silence, idleness, a node that left.
    pub(super) fn inspect(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        let mut late = Vec::new();
        connection.expire(now, |orphan| late.push(orphan));
        let node = connection.node.clone();
        let idle_until = connection.last_progress.after(self.cluster.options().idle);
        let verdict = if connection.connecting.is_some_and(|until| until <= now) {
            Some(self.unreachable(&node, "it did not answer within the connect timeout"))
        } else if !node.is_active() {
            let message = format!("node {node} left the cluster");
            Some(Error::new(Kind::Connection, message).on(node.to_string()))
        } else if connection.patience_ends() <= now {
            node.breaker.record();
            let message = format!("node {node} was silent for longer than the socket timeout");
            Some(Error::new(Kind::Connection, message).on(node.to_string()))
        } else if connection.in_flight() == 0 && idle_until <= now {
            Some(Error::new(Kind::Connection, "closed while idle"))
        } else {
            None
        };
        for orphan in late {
            self.time_out(orphan);
        }
        if let Some(error) = verdict {
            self.give_up(index, &error, now);
        }
    }

    /// Drops a connection; its commands are tried again or fail, each with its own error.
    pub(super) fn give_up(&mut self, index: usize, error: &Error, now: Tick) {
        let Some(mut connection) = self.connections[index].take() else { return };
        let _ = self.registry.deregister(&mut connection.stream);
        self.vacant.push(index);
        let key = (connection.node.slot, connection.bulk);
        if let Some(link) = self.links.get_mut(&key) {
            link.connections.retain(|other| *other != index);
        }
        if connection.in_flight() > 0 {
            connection.node.breaker.record();
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

    /// Lets waiting commands onto connections that have room again.
    pub(super) fn admit(&mut self, key: (u32, bool), now: Tick) {
        loop {
            let Some(link) = self.links.get_mut(&key) else { return };
            if link.waiting.is_empty() {
                return;
            }
            let depth = if key.1 { 1 } else { self.cluster.options().depth };
            let connections = &self.connections;
            let roomy = link.connections.iter().copied().find(|index| {
                connections[*index].as_ref().is_some_and(|c| c.rows_in_flight() < depth)
            });
            match (roomy, link.connections.is_empty()) {
                (Some(index), _) => {
                    if let Some(command) = link.waiting.pop_front() {
                        self.queue(index, command, now);
                    }
                }
                // All connections are gone: those who wait look for a way anew.
                (None, true) => {
                    for mut command in std::mem::take(&mut link.waiting) {
                        command.attempts.made -= 1;
                        self.attempt(command, now);
                    }
                    return;
                }
                (None, false) => return,
            }
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
