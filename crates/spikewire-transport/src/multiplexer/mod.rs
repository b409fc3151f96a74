//! All connections of one driver behind a single pollable descriptor.
//!
//! A multiplexer is used by one thread at a time and never blocks unless it is asked to. Its
//! driver, whatever that is (asyncio, a native thread, tokio), does three things:
//!
//! - after one or more [`Multiplexer::submit`] calls, it calls [`Multiplexer::flush`] once: what
//!   was submitted in between is sent in one write per connection;
//! - when the descriptor is readable, it calls [`Multiplexer::turn`];
//! - when [`Multiplexer::alarm`] has come, it calls [`Multiplexer::expire`].
//!
//! Each of them completes commands through the closure it is given.
//!
//! | module | contents |
//! |---|---|
//! | here | its state, what is due, closing |
//! | `send` | from a command to bytes on a socket |
//! | `turn` | from replies on the sockets to outcomes |
//! | `failure`, `retry_queue`, `copies` | another attempt or an error; what waits for its time; copies |
//! | `silence` | nodes that do not answer |
//! | `overload` | limits on what a node gets; the retry budget |
//! | `maintenance`, `shards` | opening connections, giving them up; those to parts of a node |
//! | `order`, `line` | the order of commands about the same record; the limit on those in flight |
//! | `shared_reads` | identical reads that share a request |
//! | `poller`, `waiting_read` | waiting for many connections, or for one |
//! | `counting` | counts what ends |

mod copies;
mod counting;
mod failure;
mod line;
mod maintenance;
mod order;
mod overload;
#[cfg(not(loom))]
mod poller;
#[cfg(loom)]
#[path = "loom_poller.rs"]
mod poller;
mod retry_queue;
mod send;
mod shards;
mod shared_reads;
mod silence;
mod turn;
mod waiting_read;

use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use mio::{Registry, Token};

pub(crate) use self::maintenance::REVALIDATE_AFTER_IDLE;
use self::order::Order;
pub use self::poller::{Poller, Waker};
use self::retry_queue::DelayedCommand;
use self::send::Spread;
use self::shared_reads::ReadTable;
use self::turn::Exceptions;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::connection_table::ConnectionTable;
use crate::fault::{Fault, FaultKind};
use crate::metrics::Recorder;
use crate::pipeline::AbandonedCommand;
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol};
use crate::reply::Outcome;
use crate::topology::{Settings, Target as _, Topology};
use crate::waiting::WaitingCommands;

/// How often the multiplexer checks for stuck connections while commands are in flight.
const LOOK: Duration = Duration::from_millis(25);
/// A connection whose oldest command is older than this gets no more commands if possible.
const STALL: Duration = Duration::from_millis(10);
/// Maximum number of retries per call of [`Multiplexer::expire`], so that it does not block an
/// event loop.
const RETRIES: usize = 256;
/// Nanoseconds within which no request can be sent and answered: a command that is due so soon fails
/// without being sent, rather than depending on how fast the machine is.
const SHORTEST: u64 = 1_000;
/// Token of the waker returned by [`Multiplexer::waker`].
const WAKER: Token = Token(usize::MAX);

/// The connections of one driver, speaking protocol `P`. `T` is what is completed: a future, a
/// waker, a waiting thread.
#[derive(Debug)]
pub struct Multiplexer<P: Protocol, T> {
    topology: Arc<P::Topology>,
    router: <P::Topology as Topology>::Router,
    settings: Settings,
    registry: Registry,
    /// `None` while another thread waits with it.
    poller: Option<Poller>,
    connections: Vec<Option<Box<Connection<P, T>>>>,
    vacant: Vec<usize>,
    nodes: ConnectionTable<CommandOf<P, T>>,
    dirty: Vec<usize>,
    /// Failed commands whose error is not delivered yet.
    failed: Vec<(T, ErrorOf<P>)>,
    /// Commands waiting for their next attempt.
    delayed: BinaryHeap<DelayedCommand<CommandOf<P, T>>>,
    /// How many ever were.
    delays: u64,
    /// Whether requests wait for the replies to those written before them.
    holds: bool,
    /// How commands spread over connections.
    spread: Spread,
    /// Keeps the order of commands about the same record.
    order: Order,
    /// Reads in flight that others may join.
    reads: ReadTable<P, T>,
    /// Of the read that is being processed.
    exceptions: Exceptions<P, T>,
    in_flight: usize,
    /// Limit on commands in flight; further ones wait in `line`.
    most: usize,
    /// Interactive ones first, in order of arrival.
    line: WaitingCommands<CommandOf<P, T>>,
    /// Whether waiting commands are being placed anew.
    places_anew: bool,
    /// Whether commands may be waiting, in `line` or for a connection.
    waits: bool,
    alarm: Tick,
    closed: bool,
    /// Whether commands may be in flight whose copies were answered.
    superseded: bool,
    /// Whether a copy may be in flight.
    copied: bool,
    /// Whether commands may be in flight that are counted.
    counts: bool,
    /// Commands that ended and were not counted in the client's retry budget yet.
    ended: u32,
    /// Counts them.
    recorder: Option<Box<Recorder>>,
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// A multiplexer without connections; they are opened when commands need them.
    pub fn new(topology: Arc<P::Topology>) -> io::Result<Self> {
        let queue = topology.settings().queue;
        Self::with_queue(topology, queue)
    }

    /// Like [`Multiplexer::new`], with its own bound on the commands that wait for one node; for
    /// drivers that limit the commands in flight themselves.
    pub fn with_queue(topology: Arc<P::Topology>, queue: usize) -> io::Result<Self> {
        let router = topology.router();
        let settings = Settings { queue, ..topology.settings() };
        let poller = Poller::new()?;
        let recorder = topology.metrics().map(|metrics| Box::new(metrics.recorder()));
        Ok(Self {
            topology,
            router,
            settings,
            registry: poller.registry()?,
            poller: Some(poller),
            connections: Vec::new(),
            vacant: Vec::new(),
            nodes: ConnectionTable::default(),
            dirty: Vec::new(),
            failed: Vec::new(),
            delayed: BinaryHeap::new(),
            delays: 0,
            holds: false,
            spread: Spread::default(),
            order: Order::default(),
            reads: ReadTable::default(),
            exceptions: Exceptions::default(),
            in_flight: 0,
            most: usize::MAX,
            line: WaitingCommands::default(),
            places_anew: false,
            waits: false,
            alarm: Tick::NEVER,
            closed: false,
            superseded: false,
            copied: false,
            counts: false,
            ended: 0,
            recorder,
        })
    }

    /// Like [`Multiplexer::new`], for an event loop; limits the commands in flight as the settings
    /// say.
    pub fn for_loop(topology: Arc<P::Topology>) -> io::Result<Self> {
        let mut multiplexer = Self::new(topology)?;
        multiplexer.bound();
        multiplexer.keep_order();
        Ok(multiplexer)
    }

    /// Limits the commands in flight as the settings say from here on; further ones wait in a
    /// queue.
    pub(crate) fn bound(&mut self) {
        self.most = self.settings.in_flight;
    }

    /// A handle that makes a blocking [`Multiplexer::turn`] on another thread return.
    #[cfg(not(loom))]
    pub fn waker(&self) -> io::Result<Waker> {
        Waker::new(&self.registry, WAKER)
    }

    /// A handle that makes a blocking [`Multiplexer::turn`] on another thread return.
    #[cfg(loom)]
    pub fn waker(&self) -> io::Result<Waker> {
        Ok(self.poller.as_ref().map(Poller::waker).unwrap_or_default())
    }

    /// When [`Multiplexer::expire`] is due. Only `submit` can make this earlier.
    pub fn alarm(&self) -> Tick {
        self.alarm
    }

    /// Commands submitted and not completed.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Calls `look` with the tickets of all commands that were not completed, in no particular
    /// order. It may see one twice, if its command has a copy.
    pub fn each_ticket(&self, look: &mut dyn FnMut(&T)) {
        let connections = self.connections.iter().flatten();
        let sent = connections.flat_map(|connection| connection.pipeline.commands());
        let waiting = self.nodes.values().flat_map(|node| node.waiting.iter());
        let delayed = self.delayed.iter().map(|next| &next.command);
        let commands = sent.chain(waiting).chain(delayed).chain(self.line.iter());
        commands.for_each(|command| command.ticket.look(look));
        self.failed.iter().for_each(|(ticket, _)| look(ticket));
    }

    /// Calls `look` with the node of each connection, whether it is open, and the requests in flight
    /// on it.
    pub fn each_connection(&self, look: &mut dyn FnMut(&NodeOf<P>, bool, usize)) {
        for connection in self.connections.iter().flatten() {
            let is_open = connection.dial.is_none();
            look(&connection.node, is_open, connection.pipeline.in_flight());
        }
    }

    /// Whether commands whose copies were answered have been in flight since the last call.
    /// [`Multiplexer::expire`] ends them; until then they are in flight.
    #[inline(always)]
    pub(crate) fn take_superseded(&mut self) -> bool {
        self.copied && self.take_note_of_superseded()
    }

    #[cold]
    fn take_note_of_superseded(&mut self) -> bool {
        self.copied = self.in_flight > 0;
        std::mem::take(&mut self.superseded)
    }

    /// For many threads that share one multiplexer behind a lock. From here on a request waits
    /// while its connection awaits a reply, so that the next write carries those of several
    /// threads, and fewer connections are used, which carry more per write.
    pub fn share(&mut self) {
        self.holds = true;
        self.spread = Spread::shared();
    }

    /// Ends what is overdue: commands, connection attempts, stuck and idle connections, nodes that
    /// left. Starts retries whose time has come. Replies that have already arrived are taken first:
    /// a driver that was held up must not blame the nodes.
    pub fn expire(&mut self, now: Tick, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        // If the poll fails, the next turn reports it.
        let _ = self.turn(Some(Duration::ZERO), deliver);
        self.earn_retries();
        self.end_late_callers(now);
        for index in 0..self.connections.len() {
            self.inspect(index, now);
        }
        let mut late = Vec::new();
        for here in self.nodes.values_mut() {
            let overdue = here.waiting.take_if(|command| command.is_over(now));
            if !overdue.is_empty() {
                let connections = here.connections.iter();
                let node = connections
                    .filter_map(|index| self.connections[*index].as_ref())
                    .map(|connection| connection.node.clone())
                    .next();
                late.extend(overdue.into_iter().map(|command| (command, node.clone())));
            }
        }
        for (command, _) in &late {
            self.order.leaves(command.target.order());
        }
        late.extend(self.late_in_line(now).into_iter().map(|command| (command, None)));
        for (command, node) in late {
            self.time_out(AbandonedCommand { command, sent: false }, node.as_deref());
        }
        // What fails at once and is to be retried at once has to wait for the next call, by which
        // it may be overdue.
        for _ in 0..self.delayed.len().min(RETRIES) {
            self.forget_copies();
            let due = self.delayed.peek_mut().filter(|next| next.at <= now);
            let Some(DelayedCommand { command, is_copy, .. }) = due.map(PeekMut::pop) else {
                break;
            };
            if is_copy {
                if !command.is_over(now) {
                    self.begin_copy(command, now);
                }
            } else if command.is_over(now) {
                self.time_out(AbandonedCommand { command, sent: false }, None);
            } else if command.attempts.count == 0 {
                // It was delayed, perhaps by another thread's clock.
                self.begin(command, now);
            } else {
                self.attempt(command, now);
            }
        }
        self.admit_everywhere(now);
        self.flush(now, deliver);
        self.alarm = self.next_alarm(now);
    }

    /// Fails everything in flight and closes every connection.
    pub fn close(&mut self, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        self.closed = true;
        let closed = || Fault::new(FaultKind::Closed, "the client was closed");
        for index in 0..self.connections.len() {
            let Some(mut connection) = self.remove(index) else { continue };
            for AbandonedCommand { mut command, sent } in connection.pipeline.abandon() {
                command.attempts.in_doubt |= sent && command.target.writes();
                self.fail(command, closed().into());
            }
        }
        let delayed = std::mem::take(&mut self.delayed).into_iter();
        // A copy that has not started needs no outcome.
        let delayed = delayed.filter(|next| !next.is_copy).map(|delayed| delayed.command);
        let waiting = self.nodes.values_mut().flat_map(|node| node.waiting.take_all());
        let line = self.line.take_all();
        self.order.forget_waiting();
        for command in delayed.chain(waiting).chain(line).collect::<Vec<_>>() {
            self.fail(command, closed().into());
        }
        self.report(deliver);
        self.alarm = Tick::NEVER;
        self.publish();
    }
}

impl<P: Protocol, T> AsRawFd for Multiplexer<P, T> {
    /// Readable when [`Multiplexer::turn`] has something to do.
    fn as_raw_fd(&self) -> RawFd {
        self.registry.as_raw_fd()
    }
}
