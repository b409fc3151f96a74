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

mod attempt;
mod copies;
mod counting;
mod line;
mod maintenance;
mod order;
#[cfg(not(loom))]
mod poller;
#[cfg(loom)]
#[path = "loom_poller.rs"]
mod poller;
mod retry_queue;
mod shards;
mod waiting_read;

use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use mio::event::Event;
use mio::{Interest, Registry, Token};

use self::counting::Counting;
use self::maintenance::FaultSource;
pub(crate) use self::maintenance::REVALIDATE_AFTER_IDLE;
use self::order::Order;
pub use self::poller::{Poller, Waker};
use self::retry_queue::DelayedCommand;
use crate::buffer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::fault::{CommandError as _, Fault, FaultKind, copy_of};
use crate::metrics::Recorder;
use crate::pipeline::AbandonedCommand;
use crate::placement::{ConnectionTable, Spread};
use crate::protocol::{CommandOf, ErrorOf, Protocol, ReplyKind};
use crate::reply::{Outcome, Reply};
use crate::ticket_handle::{Settlement, TicketHandle};
use crate::topology::{Endpoint as _, Settings, Target as _, Topology};

/// How often the multiplexer checks for stuck connections while commands are in flight.
const LOOK: Duration = Duration::from_millis(100);
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
    in_flight: usize,
    /// Limit on commands in flight; further ones wait in `line`.
    most: usize,
    /// In order of arrival.
    line: VecDeque<CommandOf<P, T>>,
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
            in_flight: 0,
            most: usize::MAX,
            line: VecDeque::new(),
            waits: false,
            alarm: Tick::NEVER,
            closed: false,
            superseded: false,
            copied: false,
            counts: false,
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
        let waiting = self.nodes.values().flat_map(|node| &node.waiting);
        let delayed = self.delayed.iter().map(|next| &next.command);
        let commands = sent.chain(waiting).chain(delayed).chain(&self.line);
        commands.for_each(|command| command.ticket.look(look));
        self.failed.iter().for_each(|(ticket, _)| look(ticket));
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

    /// Accepts a command; it is written by the next flush. The outcome always comes through one of
    /// the completing calls, even if the command fails at once.
    // Inlined because a command is large: it is moved once instead of twice.
    #[inline(always)]
    pub fn submit(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        self.in_flight += 1;
        self.notes(&mut command);
        self.alarm = self.alarm.min(command.deadline).min(now.after(LOOK));
        if command.deadline.0 <= now.0.saturating_add(SHORTEST) {
            self.time_out(AbandonedCommand { command, sent: false }, None);
        } else if command.start > now {
            self.alarm = self.alarm.min(command.start);
            self.delay(command.start, command, false);
        } else if self.in_flight > self.most && self.has_no_room(&command) {
            self.line.push_back(command);
            self.waits = true;
        } else {
            self.begin(command, now);
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
            if self.line.is_empty() || !self.let_in(now) {
                break;
            }
        }
        self.publish();
    }

    /// Waits up to `wait` for something to happen, reads replies in bulk and completes their
    /// commands. `Some(ZERO)` does not wait, `None` has no limit.
    pub fn turn(
        &mut self,
        wait: Option<Duration>,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> io::Result<()> {
        let Some(mut poller) = self.poller.take() else {
            return Err(io::Error::other("another thread waits for this multiplexer"));
        };
        let mut polled = poller.wait(wait);
        let mut is_full = poller.is_full();
        self.handle(&mut poller, deliver);
        while is_full && polled.is_ok() {
            polled = poller.wait(Some(Duration::ZERO));
            is_full = poller.is_full();
            self.handle(&mut poller, deliver);
        }
        self.poller = Some(poller);
        match polled {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// For drivers that wait without holding the multiplexer: they wait with this poller, and then
    /// call [`Multiplexer::handle`], which does the rest of a turn. `None` if it is detached
    /// already.
    pub fn detach_poller(&mut self) -> Option<Poller> {
        self.poller.take()
    }

    /// For many threads that share one multiplexer behind a lock. From here on a request waits
    /// while its connection awaits a reply, so that the next write carries those of several
    /// threads, and fewer connections are used, which carry more per write.
    pub fn share(&mut self) {
        self.holds = true;
        self.spread = Spread::shared();
    }

    /// The part of a turn after the wait. Returns the time at which the wait ended.
    pub fn handle(
        &mut self,
        poller: &mut Poller,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> Tick {
        let now = Tick::now();
        for event in poller.events() {
            if event.token() != WAKER {
                self.ready(event, now, deliver);
            }
        }
        poller.forget();
        self.flush(now, deliver);
        now
    }

    /// Ends what is overdue: commands, connection attempts, stuck and idle connections, nodes that
    /// left. Starts retries whose time has come. Replies that have already arrived are taken first:
    /// a driver that was held up must not blame the nodes.
    pub fn expire(&mut self, now: Tick, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        // If the poll fails, the next turn reports it.
        let _ = self.turn(Some(Duration::ZERO), deliver);
        for index in 0..self.connections.len() {
            self.inspect(index, now);
        }
        let mut late = Vec::new();
        for here in self.nodes.values_mut() {
            if here.waiting.iter().any(|command| command.is_over(now)) {
                let waiting = std::mem::take(&mut here.waiting).into_iter();
                let (overdue, rest): (Vec<_>, _) =
                    waiting.partition(|command| command.is_over(now));
                here.waiting = rest.into();
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
        let waiting = self.nodes.values_mut().flat_map(|node| std::mem::take(&mut node.waiting));
        let line = std::mem::take(&mut self.line);
        self.order.forget_waiting();
        for command in delayed.chain(waiting).chain(line).collect::<Vec<_>>() {
            self.fail(command, closed().into());
        }
        self.report(deliver);
        self.alarm = Tick::NEVER;
        self.publish();
    }

    #[inline]
    fn report(&mut self, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        if !self.failed.is_empty() {
            self.report_failed(deliver);
        }
    }

    #[cold]
    fn report_failed(&mut self, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        for (ticket, error) in std::mem::take(&mut self.failed) {
            self.in_flight -= 1;
            deliver(ticket, Err(error));
        }
    }

    fn ready(&mut self, event: &Event, now: Tick, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        let (index, writable) = (event.token().0, event.is_writable());
        let Some(connection) = self.connections.get_mut(index).and_then(Option::as_mut) else {
            return;
        };
        connection.ended |= event.is_read_closed();
        let opens = connection.dial.is_some();
        if opens {
            match connection.open_further() {
                Ok(true) => {}
                Ok(false) => return self.watch(index, now),
                Err(error) => {
                    let error = Fault::unreachable(&*connection.node, &error)
                        .because(io::Error::from(error));
                    return self.give_up(index, error, FaultSource::Node, now);
                }
            }
        }
        if P::SHARDS && opens && !self.settle(index) {
            return;
        }
        // Once the connection is ready, what was queued meanwhile is written.
        if opens || writable {
            self.write(index, now);
        }
        self.read(index, None, now, deliver);
    }

    /// Writes what a connection has queued.
    fn write(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        match connection.write(now) {
            Ok(_) => self.watch(index, now),
            Err(error) => self.broken(index, &error, now),
        }
    }

    /// Keeps the poller's interest in step with what a connection waits for.
    #[inline]
    fn watch(&mut self, index: usize, now: Tick) {
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

    fn broken(&mut self, index: usize, why: &io::Error, now: Tick) {
        let Some(connection) = &self.connections[index] else { return };
        let error = Fault::broken(&*connection.node, why).because(copy_of(why));
        self.give_up(index, error, FaultSource::Node, now);
    }

    /// Reads from a connection. `first` is the result of an earlier read, if there was one.
    fn read(
        &mut self,
        index: usize,
        first: Option<io::Result<(usize, bool)>>,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) {
        // Two versions, so that nothing is checked while counting is disabled.
        if self.counts && self.still_counts() {
            self.read_as::<true>(index, first, now, deliver);
        } else {
            self.read_as::<false>(index, first, now, deliver);
        }
    }

    /// Like `read`, with counting decided.
    fn read_as<const COUNTED: bool>(
        &mut self,
        index: usize,
        first: Option<io::Result<(usize, bool)>>,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) {
        let Some(mut connection) = self.connections[index].take() else { return };
        let key = connection.key();
        let was_idle = connection.pipeline.in_flight() == 0;
        let mut retries = Vec::new();
        let (mut completed, mut supersedes) = (0, false);
        let topology = &*self.topology;
        let mut counting = COUNTED.then(|| Counting::begin(topology, &mut self.recorder)).flatten();
        let timed = COUNTED && counting.as_ref().is_some_and(Counting::is_timed);
        if COUNTED {
            connection.pipeline.time_writes(timed);
        }
        let outcome = connection.read::<COUNTED>(
            first,
            now,
            |(mut command, body, disposition, written), node| {
                let reply = Reply { body, node, attempts: command.attempts };
                let mut counts = true;
                let goes_on = matches!(disposition.outcome, ReplyKind::Retry { .. });
                if (command.has_copy() || command.target.is_measured()) && !goes_on {
                    let settled = copies::answered::<P, T>(topology, &mut command, node, now);
                    counts = settled != Settlement::Dropped;
                    supersedes |= settled == Settlement::Counts { supersedes: true };
                }
                if COUNTED
                    && counts
                    && let Some(counting) = &mut counting
                {
                    counting.answered::<P, T>(&command, body, disposition.outcome, node, now);
                    if timed {
                        counting.begins(command.start, written, now);
                    }
                }
                let explained = P::explain(body, &command.bytes);
                match disposition.outcome {
                    ReplyKind::Done | ReplyKind::More => buffer::give(command.bytes),
                    ReplyKind::Returned => command.ticket.returned(command.bytes),
                    ReplyKind::Retry { doubtful } => {
                        node.breaker().record();
                        return retries.push((command, reply.error(), doubtful));
                    }
                }
                completed += 1;
                let ending = if let Some(error) = explained {
                    Err(command.attempts.annotate(error.on(node.to_string())))
                } else if command.attempts.count > 1 && P::is_server_error(body) {
                    Err(topology.conclude(&mut command.target, reply.error()))
                } else {
                    Ok(reply)
                };
                let TicketHandle::Own(mut ticket) = command.ticket else { return };
                if COUNTED
                    && timed
                    && let Some(at) = counting.as_ref().and_then(Counting::handed_at)
                {
                    ticket.answered_at(at);
                }
                deliver(ticket, ending);
                if COUNTED
                    && timed
                    && let Some(counting) = &mut counting
                {
                    counting.delivered();
                }
            },
            |node, frame| topology.event(node, frame),
        );
        self.in_flight -= completed;
        self.superseded |= supersedes;
        let pipeline = &connection.pipeline;
        if self.holds && !connection.dirty && !pipeline.awaits() && pipeline.has_unsent() {
            connection.dirty = true;
            self.dirty.push(index);
        }
        let drained = connection.pipeline.is_drained();
        self.connections[index] = Some(connection);
        if let Err(error) = outcome {
            // Servers close idle connections: that is no fault.
            let source = if was_idle { FaultSource::None } else { FaultSource::Node };
            self.give_up(index, error, source, now);
        } else if drained {
            self.give_up(index, maintenance::drained(), FaultSource::None, now);
        }
        for (command, error, doubtful) in retries {
            self.on_server_error(command, error, doubtful, now);
        }
        self.admit(key, now);
    }
}

impl<P: Protocol, T> AsRawFd for Multiplexer<P, T> {
    /// Readable when [`Multiplexer::turn`] has something to do.
    fn as_raw_fd(&self) -> RawFd {
        self.registry.as_raw_fd()
    }
}
