//! From replies on the sockets to the outcomes of commands.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use mio::event::Event;

use super::counting::Counting;
use super::maintenance::{self, FaultSource};
use super::shared_reads::ReadTable;
use super::{Multiplexer, Poller, WAKER, copies, overload, shared_reads};
use crate::buffer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::fault::Fault;
use crate::pipeline::Arrival;
use crate::protocol::{CommandOf, Disposition, ErrorOf, NodeOf, Protocol, ReplyKind};
use crate::reply::{Outcome, Reply};
use crate::ticket_handle::{Settlement, TicketHandle};
use crate::topology::{Endpoint as _, Target as _, Topology as _};

/// A command with the end of its reply, what that means, and when the command was written.
type EndedReply<'a, P, T> = (CommandOf<P, T>, &'a [u8], Disposition, Option<Tick>);

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
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

    /// Reads from a connection. `first` is the result of an earlier read, if there was one.
    pub(super) fn read(
        &mut self,
        index: usize,
        first: Option<io::Result<(usize, bool)>>,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) {
        // Two versions, so that nothing is checked while counting is disabled.
        if self.counts && self.refresh_counts() {
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
        let topology = &*self.topology;
        let counting = COUNTED.then(|| Counting::begin(topology, &mut self.recorder)).flatten();
        let mut round = Round {
            topology,
            reads: &mut self.reads,
            counting,
            now,
            completed: 0,
            exceptions: &mut self.exceptions,
        };
        if COUNTED {
            connection.pipeline.time_writes(round.is_timed());
        }
        let outcome = connection.read::<COUNTED>(
            first,
            now,
            |ended, node| round.end::<COUNTED>(ended, node, deliver),
            |node, frame| topology.event(node, frame),
        );
        let completed = round.completed;
        let (exceptions, is_overload) = (self.exceptions.any, self.exceptions.is_overload);
        if connection.pipeline.observes() || is_overload {
            let answered = completed + self.exceptions.retries.len();
            overload::observe(&mut connection, answered, is_overload, now);
        }
        self.in_flight -= completed;
        self.ended += completed as u32;
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
        if exceptions {
            self.handle_exceptions(now);
        }
        self.admit(key, now);
    }

    /// What follows from replies that do not simply end their commands.
    #[cold]
    fn handle_exceptions(&mut self, now: Tick) {
        let Exceptions { retries, supersedes, .. } = std::mem::take(&mut self.exceptions);
        self.superseded |= supersedes;
        for (command, error, doubtful) in retries {
            self.on_server_error(command, error, doubtful, now);
        }
    }
}

/// What a read from a connection amounts to.
struct Round<'a, P: Protocol, T> {
    topology: &'a P::Topology,
    reads: &'a mut ReadTable<P, T>,
    counting: Option<Counting<'a>>,
    now: Tick,
    /// How many commands have ended.
    completed: usize,
    exceptions: &'a mut Exceptions<P, T>,
}

/// Replies that do not simply end their commands.
#[derive(Debug)]
pub(super) struct Exceptions<P: Protocol, T> {
    /// Whether there are any.
    any: bool,
    /// Commands that another attempt may get past what the node answered, and whether they are in
    /// doubt.
    retries: Vec<(CommandOf<P, T>, ErrorOf<P>, bool)>,
    /// Whether another request of a command is still in flight.
    supersedes: bool,
    /// Whether the node said that it has too much to do.
    is_overload: bool,
}

impl<P: Protocol, T> Default for Exceptions<P, T> {
    fn default() -> Self {
        Self { any: false, retries: Vec::new(), supersedes: false, is_overload: false }
    }
}

impl<P: Protocol, T: ResponseHandler> Round<'_, P, T> {
    /// Whether stages are timed.
    fn is_timed(&self) -> bool {
        self.counting.as_ref().is_some_and(Counting::is_timed)
    }

    /// A reply has arrived as a whole.
    #[inline(always)]
    fn end<const COUNTED: bool>(
        &mut self,
        (mut command, body, disposition, written): EndedReply<'_, P, T>,
        node: &Arc<NodeOf<P>>,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) {
        let (topology, now) = (self.topology, self.now);
        let timed = COUNTED && self.is_timed();
        let reply = Reply { body, node, attempts: command.attempts };
        let mut counts = true;
        let goes_on = matches!(disposition.outcome, ReplyKind::Retry { .. });
        if (command.has_copy() || command.target.is_measured()) && !goes_on {
            let settled = copies::answered::<P, T>(topology, &mut command, node, body, now);
            counts = settled != Settlement::Dropped;
            if settled == (Settlement::Counts { supersedes: true }) {
                (self.exceptions.any, self.exceptions.supersedes) = (true, true);
            }
            if counts && command.has_copy() {
                let (counting, reply) = (self.counting.as_mut(), (reply, disposition.outcome));
                let reads = &mut *self.reads;
                self.completed += reads.answer(topology, command, reply, counting, now, deliver);
                return;
            }
        }
        if !goes_on {
            shared_reads::count_write::<P, T>(topology, &command);
        }
        if COUNTED
            && counts
            && let Some(counting) = &mut self.counting
        {
            counting.answered::<P, T>(&command, body, disposition.outcome, node, now);
            if timed {
                counting.record_arrival(command.start, written, now);
            }
        }
        let explained = P::explain(body, &command.bytes);
        match disposition.outcome {
            ReplyKind::Done | ReplyKind::More => buffer::give(command.bytes),
            ReplyKind::Returned => command.ticket.returned(command.bytes),
            ReplyKind::Retry { doubtful } => {
                node.breaker().record();
                self.exceptions.any = true;
                self.exceptions.is_overload |= P::is_overload(body);
                return self.exceptions.retries.push((command, reply.error(), doubtful));
            }
        }
        self.completed += 1;
        let ending = reply.outcome(topology, &mut command.target, explained);
        let TicketHandle::Own(mut ticket) = command.ticket else { return };
        if COUNTED
            && timed
            && let Some(at) = self.counting.as_ref().and_then(Counting::delivery_start)
        {
            ticket.answered_at(at);
        }
        deliver(ticket, ending);
        if COUNTED
            && timed
            && let Some(counting) = &mut self.counting
        {
            counting.record_delivery();
        }
    }
}

impl<P: Protocol, T: ResponseHandler> Connection<P, T> {
    /// Reads what has arrived. `first` is the result of an earlier read, if there was one. Calls
    /// `take` for the end of every reply and `event` for frames that answer no request.
    fn read<const TIMED: bool>(
        &mut self,
        mut first: Option<io::Result<(usize, bool)>>,
        now: Tick,
        mut take: impl FnMut(EndedReply<'_, P, T>, &Arc<NodeOf<P>>),
        mut event: impl FnMut(&Arc<NodeOf<P>>, &[u8]),
    ) -> Result<(), Fault> {
        // The rest of what arrived with the handshake.
        if first.is_none() && self.pipeline.has_input() {
            self.arrivals::<TIMED>(&mut take, &mut event)?;
        }
        loop {
            let filled = first.take();
            let filled = filled.unwrap_or_else(|| self.pipeline.fill(&mut self.wire, || now));
            let drained = match filled {
                Ok((0, _)) => {
                    return Err(Fault::broken(&*self.node, "the server closed the connection"));
                }
                Ok((_, drained)) => drained,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
                Err(error) => {
                    return Err(Fault::broken(&*self.node, &error).because(error));
                }
            };
            self.arrivals::<TIMED>(&mut take, &mut event)?;
            if drained && !self.ended && !self.wire.has_more() {
                return Ok(());
            }
        }
    }

    fn arrivals<const TIMED: bool>(
        &mut self,
        take: &mut impl FnMut(EndedReply<'_, P, T>, &Arc<NodeOf<P>>),
        event: &mut impl FnMut(&Arc<NodeOf<P>>, &[u8]),
    ) -> Result<(), Fault> {
        let node = &self.node;
        let ended = || Fault::broken(&**node, "the server ended the session");
        loop {
            let arrival = self.pipeline.next_arrival::<TIMED>();
            match arrival.map_err(|error| Fault::malformed(&**node, &error))? {
                None => return Ok(()),
                Some(Arrival::More(command, body)) => {
                    command.reply_bytes = command.reply_bytes.saturating_add(body.len() as u32);
                    command.ticket.collect(body);
                }
                Some(Arrival::Event(body)) => event(node, body),
                Some(Arrival::Ended(command, body, disposition, written)) => {
                    take((command, body, disposition, written), node);
                    if disposition.closes {
                        return Err(ended());
                    }
                }
                Some(Arrival::SessionEnded) => return Err(ended()),
                Some(Arrival::Verdict(why)) => return Err(Fault::ended(&**node, why)),
            }
        }
    }
}
