//! Input of a worker: commands, new connections, connections of other workers.

use std::cmp::Reverse;
use std::io::{self, ErrorKind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Interest, Token};

use super::super::connection::Connection;
use super::super::listener::Port;
use super::super::{WorkerCommand, WorkerRole};
use super::{LISTENERS, Worker};
use crate::faults::{Dice, Refuse};
use crate::tls::Tls;

impl Worker {
    /// Processes received commands; returns whether to continue.
    pub(super) fn handle_commands(&mut self) -> bool {
        while let Ok((command, done)) = self.inbox.try_recv() {
            let result = match command {
                WorkerCommand::Stop => return false,
                WorkerCommand::Close(node) => self.close_node(node),
                WorkerCommand::Open(node) => self.open_node(node),
                WorkerCommand::Faults(node) => self.take_faults(node),
                WorkerCommand::Adopt(node, stream) => {
                    self.adopt(node, stream);
                    Ok(())
                }
                WorkerCommand::TakeOver(connection) => {
                    self.take_over(connection);
                    Ok(())
                }
            };
            if let Some(done) = done {
                let _ = done.send(result);
            }
        }
        true
    }

    fn close_node(&mut self, node: usize) -> io::Result<()> {
        self.shut[node] = true;
        for at in self.connections.find(|connection| connection.node == node) {
            if let Some(connection) = self.connections.take(at) {
                connection.reset_on_close();
                self.forget(at, &connection);
            }
        }
        self.ports[node].as_mut().map_or(Ok(()), Port::close)
    }

    fn open_node(&mut self, node: usize) -> io::Result<()> {
        self.shut[node] = false;
        self.faults[node] = None;
        let token = Token(LISTENERS + node);
        let registry = self.poll.registry();
        self.ports[node].as_mut().map_or(Ok(()), |port| port.open(registry, token))
    }

    fn take_faults(&mut self, node: usize) -> io::Result<()> {
        let faults = self.state.nodes[node].faults();
        let refuse = faults.as_ref().map_or(Refuse::Never, |faults| faults.refuse);
        self.faults[node] = faults.map(|faults| {
            let dice = Dice::new(faults.seed ^ (node as u64) << 32);
            (faults, dice)
        });
        // Check delayed and slowed-down replies again.
        self.ready.extend(self.connections.find(|connection| connection.node == node));
        let token = Token(LISTENERS + node);
        let registry = self.poll.registry();
        let Some(port) = &mut self.ports[node] else { return Ok(()) };
        if refuse == Refuse::Port {
            port.close()
        } else if self.state.nodes[node].is_alive() {
            port.open(registry, token)
        } else {
            Ok(())
        }
    }

    pub(super) fn accept(&mut self, node: usize) {
        loop {
            let Some(listener) = self.ports[node].as_ref().and_then(Port::listener) else { return };
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                // Most likely out of file descriptors: retry soon.
                Err(_) => {
                    self.timers.push(Reverse((
                        Instant::now() + Duration::from_millis(50),
                        LISTENERS + node,
                    )));
                    return;
                }
            };
            if self.faults[node].as_ref().is_some_and(|(plan, _)| plan.refuse == Refuse::Close) {
                continue;
            }
            let chosen = self.next % self.links.acceptors.len();
            self.next += 1;
            if chosen == self.links.number {
                self.adopt(node, stream);
            } else {
                let _ =
                    self.links.acceptors[chosen].send((WorkerCommand::Adopt(node, stream), None));
            }
        }
    }

    fn adopt(&mut self, node: usize, stream: TcpStream) {
        let Ok(tls) = self.state.tls.as_ref().map(Tls::accept).transpose() else { return };
        self.state.nodes[node].connections.fetch_add(1, Ordering::Relaxed);
        self.state.nodes[node].connections_opened.fetch_add(1, Ordering::Relaxed);
        let mut connection = Box::new(Connection::new(stream, tls, node));
        connection.silent_until = self.state.nodes[node].silent_until();
        self.add_connection(connection);
    }

    /// Takes over a connection of its partner.
    fn take_over(&mut self, connection: Box<Connection>) {
        if let Some(at) = self.add_connection(connection) {
            self.serve(at);
        }
    }

    /// Registers a connection.
    fn add_connection(&mut self, mut connection: Box<Connection>) -> Option<usize> {
        if self.shut[connection.node] {
            connection.reset_on_close();
            self.uncount(&connection);
            return None;
        }
        let at = self.connections.reserve();
        let interest = Interest::READABLE | Interest::WRITABLE;
        if self.poll.registry().register(&mut connection.stream, Token(at), interest).is_err() {
            self.forget(at, &connection);
            return None;
        }
        self.connections.put(at, connection);
        Some(at)
    }

    /// Passes a connection to the partner.
    pub(super) fn pass_to_partner(&mut self, at: usize, mut connection: Box<Connection>) {
        connection.queued = false;
        if self.poll.registry().deregister(&mut connection.stream).is_err() {
            return self.forget(at, &connection);
        }
        self.connections.release(at);
        let node = connection.node;
        if self.links.partner.send((WorkerCommand::TakeOver(connection), None)).is_err() {
            // The cluster is stopping.
            self.state.nodes[node].connections.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether the partner has to serve the connection.
    pub(super) fn belongs_to_partner(&self, connection: &Connection) -> bool {
        connection.running.is_some() != (self.links.role == WorkerRole::Streams)
    }
}
