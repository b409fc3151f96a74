//! One thread's loop: wait, read, run, write.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use super::connection::{BACKLOG, Connection};
use super::faults::{Dice, Faults, Refuse};
use super::listener::Port;
use super::slab::Slab;
use super::{Duty, Message, Order, Place};
use crate::cluster::state::State;
use crate::command::Context;
use crate::command::stream::SLICE;
use crate::turn::NextTurn;

/// The token a worker is woken with.
pub const WAKE: Token = Token(usize::MAX);
/// Tokens from here on are listeners.
const LISTENERS: usize = usize::MAX / 2;
/// Bytes one read takes.
const READ: usize = 256 << 10;
/// Reads of one connection before the others get their turn.
const READS: usize = 4;
/// Connections with more to do that get their turn before events of others are looked at.
const TURNS: usize = 8;
/// How much nicer than the rest of the process a thread is that makes the replies that go on.
const NICER: i32 = 5;
/// An output buffer larger than this is not kept for the next connection.
const KEEP: usize = 4 << 20;

/// A thread that serves connections.
#[derive(Debug)]
pub struct Worker {
    pub(super) state: Arc<State>,
    pub(super) context: Context,
    poll: Poll,
    inbox: Receiver<Message>,
    place: Place,
    /// Who gets the next connection.
    next: usize,
    /// Nodes that were closed.
    shut: Vec<bool>,
    ports: Vec<Option<Port>>,
    pub(super) plans: Vec<Option<(Arc<Faults>, Dice)>>,
    connections: Slab<Box<Connection>>,
    /// Connections that have more to do, the one that waits longest first.
    ready: VecDeque<usize>,
    timers: BinaryHeap<Reverse<(Instant, usize)>>,
    buffer: Vec<u8>,
    spare: Vec<u8>,
    /// When the first client will have taken nothing for too long.
    check_at: Option<Instant>,
}

impl Worker {
    /// A worker without ports.
    pub fn new(state: Arc<State>, poll: Poll, inbox: Receiver<Message>, place: Place) -> Self {
        let nodes = state.nodes.len();
        Self {
            context: Context::new(state.clone()),
            state,
            poll,
            inbox,
            next: place.me,
            place,
            shut: vec![false; nodes],
            ports: (0..nodes).map(|_| None).collect(),
            plans: (0..nodes).map(|_| None).collect(),
            connections: Slab::default(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
            buffer: vec![0; READ],
            spare: Vec::new(),
            check_at: None,
        }
    }

    /// Gives the worker a node's port.
    pub fn add_port(&mut self, node: usize, mut port: Port) -> io::Result<()> {
        port.register(self.poll.registry(), Token(LISTENERS + node))?;
        self.ports[node] = Some(port);
        Ok(())
    }

    /// Serves until it is told to stop.
    pub fn run(mut self) {
        // Where niceness is that of a whole process, it stays as it is.
        if self.place.duty == Duty::Streams && cfg!(any(target_os = "linux", target_os = "android"))
        {
            let _ = rustix::process::nice(NICER);
        }
        let mut events = Events::with_capacity(1024);
        loop {
            let timeout = self.timeout();
            if let Err(error) = self.poll.poll(&mut events, timeout)
                && error.kind() != ErrorKind::Interrupted
            {
                return;
            }
            for event in &events {
                if event.token() == WAKE {
                    if !self.obey() {
                        return;
                    }
                } else if event.token().0 >= LISTENERS {
                    self.accept(event.token().0 - LISTENERS);
                } else {
                    self.notice(event);
                }
            }
            for _ in 0..TURNS.min(self.ready.len()) {
                let Some(at) = self.ready.pop_front() else { break };
                if let Some(connection) = self.connections.get_mut(at) {
                    connection.queued = false;
                    self.serve(at);
                }
            }
            self.run_timers();
            self.drop_stuck();
        }
    }

    fn timeout(&self) -> Option<Duration> {
        if !self.ready.is_empty() {
            return Some(Duration::ZERO);
        }
        let timer = self.timers.peek().map(|Reverse((due, _))| {
            // Rounded up: the system counts in milliseconds and must not wake us too early.
            due.saturating_duration_since(Instant::now()) + Duration::from_micros(999)
        });
        let check = self
            .check_at
            .map(|due| due.saturating_duration_since(Instant::now()) + Duration::from_micros(999));
        timer.into_iter().chain(check).min()
    }

    /// Carries out what it was told; says whether to go on.
    fn obey(&mut self) -> bool {
        while let Ok((order, done)) = self.inbox.try_recv() {
            let result = match order {
                Order::Stop => return false,
                Order::Close(node) => self.close_node(node),
                Order::Open(node) => self.open_node(node),
                Order::Faults(node) => self.take_faults(node),
                Order::Adopt(node, stream) => {
                    self.adopt(node, stream);
                    Ok(())
                }
                Order::TakeOver(connection) => {
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
        self.plans[node] = None;
        let token = Token(LISTENERS + node);
        let registry = self.poll.registry();
        self.ports[node].as_mut().map_or(Ok(()), |port| port.open(registry, token))
    }

    fn take_faults(&mut self, node: usize) -> io::Result<()> {
        let faults = self.state.nodes[node].faults();
        let refuse = faults.as_ref().map_or(Refuse::Never, |faults| faults.refuse);
        self.plans[node] = faults.map(|faults| {
            let dice = Dice::new(faults.seed ^ (node as u64) << 32);
            (faults, dice)
        });
        // What was held back or slowed down is looked at again.
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

    fn accept(&mut self, node: usize) {
        loop {
            let Some(listener) = self.ports[node].as_ref().and_then(Port::listener) else { return };
            let stream = match listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::ConnectionAborted => continue,
                // Out of descriptors, most likely: look again soon rather than never.
                Err(_) => {
                    self.timers.push(Reverse((
                        Instant::now() + Duration::from_millis(50),
                        LISTENERS + node,
                    )));
                    return;
                }
            };
            if self.plans[node].as_ref().is_some_and(|(plan, _)| plan.refuse == Refuse::Close) {
                continue;
            }
            let chosen = self.next % self.place.accepting.len();
            self.next += 1;
            if chosen == self.place.me {
                self.adopt(node, stream);
            } else {
                let _ = self.place.accepting[chosen].send((Order::Adopt(node, stream), None));
            }
        }
    }

    fn adopt(&mut self, node: usize, stream: TcpStream) {
        self.state.nodes[node].connections.fetch_add(1, Ordering::Relaxed);
        self.state.nodes[node].connections_opened.fetch_add(1, Ordering::Relaxed);
        self.settle(Box::new(Connection::new(stream, node)));
    }

    /// Goes on with a connection that the other one of the pair had until now.
    fn take_over(&mut self, connection: Box<Connection>) {
        if let Some(at) = self.settle(connection) {
            self.serve(at);
        }
    }

    /// Gives a connection a place, and waits for its events from now on.
    fn settle(&mut self, mut connection: Box<Connection>) -> Option<usize> {
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

    /// Gives a connection to the other one of the pair.
    fn hand_over(&mut self, at: usize, mut connection: Box<Connection>) {
        connection.queued = false;
        if self.poll.registry().deregister(&mut connection.stream).is_err() {
            return self.forget(at, &connection);
        }
        self.connections.release(at);
        let node = connection.node;
        if self.place.pair.send((Order::TakeOver(connection), None)).is_err() {
            // The cluster is ending.
            self.state.nodes[node].connections.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether the connection is the other one's of the pair.
    fn is_of_pair(&self, connection: &Connection) -> bool {
        connection.running.is_some() != (self.place.duty == Duty::Streams)
    }

    fn notice(&mut self, event: &Event) {
        let at = event.token().0;
        let Some(mut connection) = self.connections.take(at) else { return };
        // A client that closed its sending side is dropped, whatever it sent before.
        if event.is_read_closed() || event.is_error() {
            return self.forget(at, &connection);
        }
        connection.readable |= event.is_readable();
        self.connections.put(at, connection);
        self.serve(at);
    }

    /// Lets a connection have its turn.
    fn serve(&mut self, at: usize) {
        let Some(mut connection) = self.connections.take(at) else { return };
        if connection.out.is_empty() {
            std::mem::swap(&mut connection.out, &mut self.spare);
        }
        let outcome = self.turn(at, &mut connection);
        self.state.nodes[connection.node].counters.take(&mut self.context.tally);
        if connection.out.is_empty() {
            std::mem::swap(&mut connection.out, &mut self.spare);
            self.spare.shrink_to(KEEP);
        }
        match outcome {
            Ok(()) if self.is_of_pair(&connection) => self.hand_over(at, connection),
            Ok(()) => {
                self.check_at = self.check_at.into_iter().chain(connection.stuck_at()).min();
                self.connections.put(at, connection);
            }
            Err(_) => self.forget(at, &connection),
        }
    }

    fn turn(&mut self, at: usize, connection: &mut Connection) -> io::Result<()> {
        for _ in 0..READS {
            self.send(at, connection)?;
            if connection.closing || connection.pending() > BACKLOG {
                return Ok(());
            }
            if self.is_of_pair(connection) {
                return Ok(());
            }
            if connection.running.is_some() {
                // With less room, the rest is announced by an event or a timer.
                if connection.pending() >= SLICE {
                    return Ok(());
                }
                match self.advance(connection) {
                    NextTurn::Never => continue,
                    NextTurn::Soon => {
                        self.send(at, connection)?;
                        self.queue(at, connection);
                        return Ok(());
                    }
                    NextTurn::At(due) => {
                        self.send(at, connection)?;
                        self.timers.push(Reverse((due, at)));
                        return Ok(());
                    }
                }
            }
            if connection.waiting {
                let mut input = std::mem::take(&mut connection.input);
                let used = self.run_frames(connection, &input);
                input.drain(..used);
                connection.input = input;
                continue;
            }
            if !connection.readable {
                return Ok(());
            }
            self.receive(connection)?;
        }
        self.send(at, connection)?;
        if connection.readable || connection.waiting || connection.running.is_some() {
            self.queue(at, connection);
        }
        Ok(())
    }

    /// Notes that a connection has more to do, once.
    fn queue(&mut self, at: usize, connection: &mut Connection) {
        if !std::mem::replace(&mut connection.queued, true) {
            self.ready.push_back(at);
        }
    }

    fn receive(&mut self, connection: &mut Connection) -> io::Result<()> {
        let count = match connection.stream.read(&mut self.buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                connection.readable = false;
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            Err(error) => return Err(error),
        };
        // A read that does not fill the buffer has emptied the socket; more is announced by an event.
        connection.readable = count == self.buffer.len();
        if connection.input.is_empty() {
            let buffer = std::mem::take(&mut self.buffer);
            let used = self.run_frames(connection, &buffer[..count]);
            connection.input.extend_from_slice(&buffer[used..count]);
            self.buffer = buffer;
        } else {
            let mut input = std::mem::take(&mut connection.input);
            input.extend_from_slice(&self.buffer[..count]);
            let used = self.run_frames(connection, &input);
            input.drain(..used);
            input.shrink_to(READ);
            connection.input = input;
        }
        Ok(())
    }

    /// Sends what may be sent now and sets a timer for the rest.
    fn send(&mut self, at: usize, connection: &mut Connection) -> io::Result<()> {
        let release = connection.release();
        let drip = self.plans[connection.node].as_ref().and_then(|(plan, _)| plan.drip);
        let next = match drip {
            None => {
                connection.flush()?;
                None
            }
            Some(drip) => connection.flush_slowly(drip)?,
        };
        if let Some(due) = release.into_iter().chain(next).min() {
            self.timers.push(Reverse((due, at)));
        }
        Ok(())
    }

    fn run_timers(&mut self) {
        if self.timers.is_empty() {
            return;
        }
        let now = Instant::now();
        let mut due = Vec::new();
        while let Some(Reverse((moment, at))) = self.timers.peek()
            && *moment <= now
        {
            due.push(*at);
            self.timers.pop();
        }
        due.sort_unstable();
        due.dedup();
        for at in due {
            if at >= LISTENERS {
                self.accept(at - LISTENERS);
            } else {
                self.serve(at);
            }
        }
    }

    fn drop_stuck(&mut self) {
        let now = Instant::now();
        if self.check_at.is_none_or(|due| now < due) {
            return;
        }
        let is_stuck = |connection: &Connection| connection.stuck_at().is_some_and(|at| at <= now);
        for at in self.connections.find(|connection| is_stuck(connection)) {
            if let Some(connection) = self.connections.take(at) {
                if let Some(running) = &connection.running {
                    running.reply.time_out();
                    connection.reset_on_close();
                }
                self.forget(at, &connection);
            }
        }
        self.check_at = self.connections.iter().filter_map(|it| it.stuck_at()).min();
    }

    /// Ends a connection that was taken out of its place.
    fn forget(&mut self, at: usize, connection: &Connection) {
        self.uncount(connection);
        self.connections.release(at);
    }

    fn uncount(&self, connection: &Connection) {
        self.state.nodes[connection.node].connections.fetch_sub(1, Ordering::Relaxed);
    }
}
