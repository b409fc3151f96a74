//! A multiplexed connection: a socket and the pipeline over it.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::dial::{Dial, DialError};
use crate::fault::Fault;
use crate::keys::OrderKey;
use crate::pipeline::{AbandonedCommand, Arrival, Pipeline, Request};
use crate::placement::NodeKey;
use crate::protocol::{CommandOf, Disposition, NodeOf, Protocol, Sharing};
use crate::shard_connections::ConnectionPurpose;
use crate::shard_route::ShardRoute;
use crate::topology::Endpoint as _;
use crate::wire::Wire;

/// A command with the end of its reply, what that means, and when the command was written.
type EndedReply<'a, P, T> = (CommandOf<P, T>, &'a [u8], Disposition, Option<Tick>);

#[derive(Debug)]
pub(crate) struct Connection<P: Protocol, T> {
    pub node: Arc<NodeOf<P>>,
    pub wire: Wire,
    pub pipeline: Pipeline<P, CommandOf<P, T>>,
    /// The connection attempt; `None` once the connection is ready.
    pub dial: Option<Dial>,
    /// Whether it is in the multiplexer's list of connections to flush.
    pub dirty: bool,
    /// Which commands it carries.
    pub sharing: Sharing,
    /// Why it was opened.
    pub purpose: ConnectionPurpose,
    /// Whether the poller watches for writability.
    pub watches_write: bool,
    /// Whether the poller has reported the end of the stream. It reports that only once, perhaps
    /// together with the last bytes, so a read must then continue to the end.
    pub ended: bool,
}

impl<P: Protocol, T> Drop for Connection<P, T> {
    fn drop(&mut self) {
        if let Some(gauges) = self.node.gauges() {
            gauges.closes();
        }
    }
}

impl<P: Protocol, T: ResponseHandler> Connection<P, T> {
    /// Starts connecting; the poller reports when to continue.
    pub fn open(
        node: Arc<NodeOf<P>>,
        protocol: P,
        (sharing, purpose): (Sharing, ConnectionPurpose),
        route: Option<ShardRoute>,
        now: Tick,
        until: Tick,
    ) -> io::Result<Self> {
        let (wire, dial) = match route {
            None => Dial::start(node.address(), node.encryption(), until)?,
            Some(route) => Dial::start_along(&route, node.encryption(), until)?,
        };
        if let Some(gauges) = node.gauges() {
            gauges.opens();
        }
        let pipeline = Pipeline::new(protocol, now);
        let dial = Some(dial);
        let (dirty, watches_write, ended) = (false, true, false);
        Ok(Self { node, wire, pipeline, dial, dirty, sharing, purpose, watches_write, ended })
    }

    /// The key under which the multiplexer keeps it.
    pub fn key(&self) -> NodeKey {
        (self.node.key(), self.sharing)
    }

    /// Continues opening the connection; returns whether it is ready.
    pub fn open_further(&mut self) -> Result<bool, DialError> {
        let Some(dial) = &mut self.dial else { return Ok(true) };
        let (protocol, inbound) = self.pipeline.handshake();
        let ready = dial.advance(&mut self.wire, protocol, inbound)?;
        if ready {
            self.dial = None;
        }
        Ok(ready)
    }

    /// Whether the poller has to watch for writability.
    pub fn wants_to_write(&self) -> bool {
        let own = match &self.dial {
            Some(dial) => dial.awaits_writing(),
            None => self.pipeline.has_unsent(),
        };
        own || self.wire.has_unsent()
    }

    /// Queues a command for the next write. Returns whether an earlier one with its key is
    /// unanswered.
    #[inline(always)]
    pub fn queue(&mut self, command: CommandOf<P, T>, key: OrderKey, now: Tick) -> bool {
        let composed = self.pipeline.compose(|out| out.extend_from_slice(&command.bytes));
        let (kind, many, weight) = (command.kind, command.stream, command.rows.max(1));
        let request = Request { kind, many, weight, deadline: command.deadline, key };
        self.pipeline.queue(composed, request, command, now)
    }

    /// Writes what is queued; returns whether everything was written.
    pub fn write(&mut self, now: Tick) -> io::Result<bool> {
        if self.dial.is_some() {
            return Ok(false);
        }
        let done = self.pipeline.write(&mut self.wire, now)?;
        self.wire.flush()?;
        Ok(done)
    }

    /// Waits for bytes in a read, up to about `limit`. Returns the result of [`Pipeline::fill`] and
    /// the time.
    pub fn wait(&mut self, limit: Duration) -> (io::Result<(usize, bool)>, Tick) {
        let mut came = None;
        let filled = self
            .wire
            .waiting(limit)
            .and_then(|mut wire| self.pipeline.fill(&mut wire, || *came.insert(Tick::now())));
        (filled, came.unwrap_or_else(Tick::now))
    }

    /// Reads what has arrived. `first` is the result of an earlier read, if there was one. Calls
    /// `take` for the end of every reply and `event` for frames that answer no request.
    pub fn read<const TIMED: bool>(
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
                Some(Arrival::More(command, body)) => command.ticket.collect(body),
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

    /// Removes commands that have timed out or were withdrawn; returns those that must be sent
    /// elsewhere.
    pub fn expire(
        &mut self,
        now: Tick,
        take: impl FnMut(AbandonedCommand<CommandOf<P, T>>),
    ) -> Vec<CommandOf<P, T>> {
        self.pipeline.commit(self.wire.committed());
        self.pipeline.expire(|command| command.is_over(now), take)
    }

    /// The earliest deadline in flight.
    pub fn deadline(&self) -> Tick {
        self.pipeline.earliest(|command| command.deadline)
    }

    /// When the connection must be given up if nothing arrives.
    pub fn silence_ends(&self) -> Tick {
        self.pipeline.silence_ends(|command| {
            let limit = command.policy.socket_timeout;
            (!limit.is_zero()).then(|| limit.into())
        })
    }
}
