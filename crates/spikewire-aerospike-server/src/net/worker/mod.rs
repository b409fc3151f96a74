//! The loop of a worker thread: wait, read, process, write.
//!
//! | module | what it holds |
//! |---|---|
//! | `arrivals` | commands, and connections that are accepted or handed over |

mod arrivals;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use mio::event::Event;
use mio::{Events, Poll, Token};

use super::compression::Compression;
use super::connection::{BACKLOG, Connection};
use super::listener::Port;
use super::slab::Slab;
use super::{Message, WorkerLinks, WorkerRole};
use crate::command::Context;
use crate::command::stream::SLICE;
use crate::faults::{Dice, Faults};
use crate::state::ClusterState;
use crate::turn::NextTurn;

/// Token of the worker's waker.
pub const WAKE: Token = Token(usize::MAX);
/// First token of listeners.
const LISTENERS: usize = usize::MAX / 2;
/// Buffer size of one read.
const READ_CHUNK: usize = 256 << 10;
/// Maximum number of reads per turn of a connection.
const READS_PER_TURN: usize = 4;
/// Number of queued connections served between two polls.
const TURNS_PER_POLL: usize = 8;
/// Niceness of threads that produce streamed replies.
const NICENESS: i32 = 5;
/// Output buffers larger than this are not reused.
const RETAIN_CAPACITY: usize = 4 << 20;

/// A thread that serves connections.
#[derive(Debug)]
pub struct Worker {
    pub(super) state: Arc<ClusterState>,
    pub(super) context: Context,
    /// Created by the first compressed message.
    pub(super) compression: Option<Box<Compression>>,
    poll: Poll,
    inbox: Receiver<Message>,
    links: WorkerLinks,
    /// Index of the worker for the next connection.
    next: usize,
    /// Closed nodes.
    shut: Vec<bool>,
    ports: Vec<Option<Port>>,
    pub(super) faults: Vec<Option<(Arc<Faults>, Dice)>>,
    connections: Slab<Box<Connection>>,
    /// Queued connections, the longest waiting first.
    ready: VecDeque<usize>,
    timers: BinaryHeap<Reverse<(Instant, usize)>>,
    buffer: Vec<u8>,
    out_buffer: Vec<u8>,
    /// When the first client will not have read for too long.
    check_at: Option<Instant>,
}

impl Worker {
    /// A worker without ports.
    pub fn new(
        state: Arc<ClusterState>,
        poll: Poll,
        inbox: Receiver<Message>,
        links: WorkerLinks,
    ) -> Self {
        let nodes = state.nodes.len();
        Self {
            context: Context::new(state.clone()),
            state,
            compression: None,
            poll,
            inbox,
            next: links.number,
            links,
            shut: vec![false; nodes],
            ports: (0..nodes).map(|_| None).collect(),
            faults: (0..nodes).map(|_| None).collect(),
            connections: Slab::default(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
            buffer: vec![0; READ_CHUNK],
            out_buffer: Vec::new(),
            check_at: None,
        }
    }

    /// Adds a node's port.
    pub fn add_port(&mut self, node: usize, mut port: Port) -> io::Result<()> {
        port.register(self.poll.registry(), Token(LISTENERS + node))?;
        self.ports[node] = Some(port);
        Ok(())
    }

    /// Runs until the stop command.
    pub fn run(mut self) {
        // Not where niceness applies to the whole process.
        if self.links.role == WorkerRole::Streams
            && cfg!(any(target_os = "linux", target_os = "android"))
        {
            let _ = rustix::process::nice(NICENESS);
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
                    if !self.handle_commands() {
                        return;
                    }
                } else if event.token().0 >= LISTENERS {
                    self.accept(event.token().0 - LISTENERS);
                } else {
                    self.handle_event(event);
                }
            }
            for _ in 0..TURNS_PER_POLL.min(self.ready.len()) {
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
            // Rounded up: the system uses milliseconds and must not wake the thread too early.
            due.saturating_duration_since(Instant::now()) + Duration::from_micros(999)
        });
        let check = self
            .check_at
            .map(|due| due.saturating_duration_since(Instant::now()) + Duration::from_micros(999));
        timer.into_iter().chain(check).min()
    }

    fn handle_event(&mut self, event: &Event) {
        let at = event.token().0;
        let Some(mut connection) = self.connections.take(at) else { return };
        // A client that closed its sending side is dropped, whatever it had sent.
        if event.is_read_closed() || event.is_error() {
            return self.forget(at, &connection);
        }
        connection.readable |= event.is_readable();
        self.connections.put(at, connection);
        self.serve(at);
    }

    /// Runs one turn of a connection.
    fn serve(&mut self, at: usize) {
        let Some(mut connection) = self.connections.take(at) else { return };
        if connection.out.is_empty() {
            std::mem::swap(&mut connection.out, &mut self.out_buffer);
        }
        let outcome = self.turn(at, &mut connection);
        self.publish_counters(connection.node);
        if connection.out.is_empty() {
            std::mem::swap(&mut connection.out, &mut self.out_buffer);
            self.out_buffer.shrink_to(RETAIN_CAPACITY);
        }
        match outcome {
            Ok(()) if self.belongs_to_partner(&connection) => self.pass_to_partner(at, connection),
            Ok(()) => {
                self.check_at = self.check_at.into_iter().chain(connection.stuck_at()).min();
                self.connections.put(at, connection);
            }
            Err(_) => self.forget(at, &connection),
        }
    }

    fn turn(&mut self, at: usize, connection: &mut Connection) -> io::Result<()> {
        for _ in 0..READS_PER_TURN {
            self.send(at, connection)?;
            if connection.closing || connection.pending() > BACKLOG {
                return Ok(());
            }
            if self.belongs_to_partner(connection) {
                return Ok(());
            }
            if connection.running.is_some() {
                // Otherwise an event or a timer announces when there is room.
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

    /// Queues a connection for another turn, once.
    fn queue(&mut self, at: usize, connection: &mut Connection) {
        if !std::mem::replace(&mut connection.queued, true) {
            self.ready.push_back(at);
        }
    }

    fn receive(&mut self, connection: &mut Connection) -> io::Result<()> {
        let count = match connection.read(&mut self.buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                connection.readable = false;
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(()),
            Err(error) => return Err(error),
        };
        // A short read has emptied the socket; an event announces more data.
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
            input.shrink_to(READ_CHUNK);
            connection.input = input;
        }
        Ok(())
    }

    fn publish_counters(&mut self, node: usize) {
        self.state.nodes[node].counters.take(&mut self.context.counters);
    }

    /// Sends what can be sent now and sets a timer for the rest. Whoever has a reply finds its
    /// request counted.
    fn send(&mut self, at: usize, connection: &mut Connection) -> io::Result<()> {
        if !connection.out.is_empty() {
            self.publish_counters(connection.node);
        }
        let release = connection.release();
        let drip = self.faults[connection.node].as_ref().and_then(|(plan, _)| plan.drip);
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

    /// Drops a connection that was removed from the slab.
    fn forget(&mut self, at: usize, connection: &Connection) {
        self.uncount(connection);
        if let Some((faults, _)) = &self.faults[connection.node]
            && !faults.service_time.is_zero()
        {
            self.state.nodes[connection.node].leave(faults.service_time, connection.undue());
        }
        self.connections.release(at);
    }

    fn uncount(&self, connection: &Connection) {
        self.state.nodes[connection.node].connections.fetch_sub(1, Ordering::Relaxed);
    }
}
