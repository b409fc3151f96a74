//! One attempt at a command, and what follows when it fails.

use std::sync::Arc;

use super::delayed::Delayed;
use super::{Multiplexer, STALL};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::command::{Command, Failure, Verdict};
use crate::error::{Error, Kind, Result};
use crate::transport::connection::{Connection, Orphan};
use crate::transport::link::{Link, Load, Place, place};
use crate::transport::node_error;
use crate::transport::{Collect, LARGE, MANY, buffer};
use mio::{Interest, Token};

impl<T: Collect> Multiplexer<T> {
    /// One attempt at a command: choose a node, choose a connection, queue.
    pub(super) fn attempt(&mut self, mut command: Command<T>, now: Tick) {
        command.attempts.made += 1;
        match self.node_for(&command) {
            Ok(node) => self.place(command, node, now),
            Err(error) => self.failed(command, Failure::NotSent(error), now),
        }
    }

    pub(super) fn node_for(&self, command: &Command<T>) -> Result<Arc<Node>> {
        let closed = || self.closed || self.cluster.is_closed();
        let why = || Error::new(Kind::Closed, "the client is closed");
        if closed() {
            return Err(why());
        }
        let snapshot = self.cluster.snapshot();
        let (policy, step) = (command.policy.replica, command.attempts.step);
        let node = self.router.choose(&snapshot, &command.target, policy, step);
        // Closing takes the nodes away.
        let node = node.map_err(|error| if closed() { why() } else { error })?;
        if node.breaker.is_open() {
            return Err(node_error::resting(&node));
        }
        Ok(node)
    }

    pub(super) fn place(&mut self, mut command: Command<T>, node: Arc<Node>, now: Tick) {
        let bulk = command.rows > MANY || command.bytes.len() > LARGE;
        let key = (node.slot, bulk);
        let link = self.links.get(&key);
        // Commands that wait already go first.
        let queues_up = link.is_some_and(|link| !link.waiting.is_empty());
        let place = if queues_up { Place::Wait } else { self.find_place(link, bulk, now) };
        match place {
            Place::On(index) => self.queue(index, command, now),
            Place::Open => {
                let connection = self.open(node, bulk, now);
                self.queue_on(connection, command, now);
            }
            Place::Wait => {
                // Not an attempt yet.
                command.attempts.made -= 1;
                let link = self.links.entry(key).or_default();
                if link.waiting.len() < self.queue {
                    link.waiting.push_back(command);
                } else {
                    self.fail(command, node_error::full(&node, self.queue));
                }
            }
        }
        if queues_up {
            self.admit(key, now);
        }
    }

    /// Where the next command goes.
    pub(super) fn find_place(&self, link: Option<&Link<T>>, bulk: bool, now: Tick) -> Place {
        let options = self.cluster.options();
        let (most, depth) = (options.connections_per_node, if bulk { 1 } else { options.depth });
        let here = link.map_or(&[][..], |link| &link.connections);
        let loads = here.iter().filter_map(|index| {
            let connection = self.connections[*index].as_ref()?;
            let stalled = connection.oldest().is_some_and(|since| since.after(STALL) <= now);
            Some(Load { connection: *index, in_flight: connection.rows_in_flight(), stalled })
        });
        place(loads, self.spread, most, depth)
    }

    /// Queues on a connection that was just opened, if it could be.
    pub(super) fn queue_on(&mut self, opened: Result<usize>, command: Command<T>, now: Tick) {
        match opened {
            Ok(index) => self.queue(index, command, now),
            Err(error) => self.failed(command, Failure::NotSent(error), now),
        }
    }

    pub(super) fn queue(&mut self, index: usize, mut command: Command<T>, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        if !command.ticket.starts() {
            return self.fail(command, Error::new(Kind::Interrupted, "withdrawn"));
        }
        connection.queue(command, now);
        if !connection.dirty && connection.connecting.is_none() {
            connection.dirty = true;
            self.dirty.push(index);
        }
    }

    pub(super) fn open(&mut self, node: Arc<Node>, bulk: bool, now: Tick) -> Result<usize> {
        let until = now.after(self.cluster.options().connect_timeout);
        let opened = Connection::open(node.clone(), bulk, now, until).and_then(|connection| {
            let index = self.vacant.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            let slot = &mut self.connections[index];
            let connection = slot.insert(Box::new(connection));
            let both = Interest::READABLE | Interest::WRITABLE;
            let registered = self.registry.register(&mut connection.stream, Token(index), both);
            if let Err(error) = registered {
                *slot = None;
                self.vacant.push(index);
                return Err(error);
            }
            Ok(index)
        });
        match opened {
            Ok(index) => {
                self.links.entry((node.slot, bulk)).or_default().connections.push(index);
                Ok(index)
            }
            Err(error) => {
                node.breaker.record();
                self.cluster.tend_soon();
                Err(node_error::unreachable(&node, error))
            }
        }
    }

    pub(super) fn refused(
        &mut self,
        mut command: Command<T>,
        code: spikewire_protocol::result_code::ResultCode,
        node: String,
        now: Tick,
    ) {
        let verdict = command.attempts.failed(
            Failure::Refused(code),
            command.target.write,
            &command.policy,
            command.deadline,
            now,
        );
        self.follow(command, verdict, Some(node), now);
    }

    pub(super) fn failed(&mut self, mut command: Command<T>, failure: Failure, now: Tick) {
        let (write, deadline) = (command.target.write, command.deadline);
        let verdict = command.attempts.failed(failure, write, &command.policy, deadline, now);
        self.follow(command, verdict, None, now);
    }

    pub(super) fn follow(
        &mut self,
        command: Command<T>,
        verdict: Verdict,
        node: Option<String>,
        now: Tick,
    ) {
        match verdict {
            // Also a retry at once takes the detour, so that a node that refuses everything
            // cannot make this call recurse.
            Verdict::Retry(at) => {
                self.alarm = self.alarm.min(at.max(now));
                self.delayed.push(Delayed { at, command });
            }
            Verdict::Fail(error) => {
                let error = match node {
                    Some(node) => error.on(node),
                    None => error,
                };
                self.fail(command, error);
            }
        }
    }

    pub(super) fn time_out(&mut self, orphan: Orphan<T>) {
        let Orphan { mut command, sent } = orphan;
        let error = command.attempts.timed_out(command.target.write, sent, &command.policy);
        self.fail(command, error);
    }

    pub(super) fn fail(&mut self, command: Command<T>, error: Error) {
        buffer::give(command.bytes);
        self.failed.push((command.ticket, command.attempts.dress(error)));
    }
}
