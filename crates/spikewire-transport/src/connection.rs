//! A multiplexed connection: a socket and the pipeline over it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection_table::NodeKey;
use crate::dial::{Dial, DialError};
use crate::limiter::HEAVIEST;
use crate::pipeline::{AbandonedCommand, Inbound, Pipeline};
use crate::policy::Policy;
use crate::protocol::{CommandOf, NodeOf, Protocol, Sharing};
use crate::shard_connections::ConnectionPurpose;
use crate::shard_route::ShardRoute;
use crate::topology::Endpoint as _;
use crate::wire::Wire;

/// How long opening a connection may take before requests that can go elsewhere do: handshakes take
/// their time when many connections are opened at once.
const OPENING: Duration = Duration::from_millis(250);

/// A connection after its handshake, not yet used.
pub(crate) type Opened<P> = (Wire, P, Inbound<P>);

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
    /// What the node's limiter knows to be in flight on it.
    pub published: u32,
}

impl<P: Protocol, T> Drop for Connection<P, T> {
    fn drop(&mut self) {
        if let Some(gauges) = self.node.gauges() {
            gauges.closes();
        }
        if self.published != 0 {
            self.node.health().limiter().publish(&mut self.published, 0);
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
        let (dirty, watches_write, ended, published) = (false, true, false, 0);
        Ok(Self {
            node,
            wire,
            pipeline,
            dial,
            dirty,
            sharing,
            purpose,
            watches_write,
            ended,
            published,
        })
    }

    /// One that was opened ahead.
    pub fn ready(
        node: Arc<NodeOf<P>>,
        (wire, protocol, inbound): Opened<P>,
        sharing: Sharing,
        now: Tick,
    ) -> Self {
        let pipeline = Pipeline::new(protocol, now).with_inbound(inbound);
        let (dial, purpose) = (None, ConnectionPurpose::Commands);
        let (dirty, watches_write, ended, published) = (false, true, false, 0);
        Self {
            node,
            wire,
            pipeline,
            dial,
            dirty,
            sharing,
            purpose,
            watches_write,
            ended,
            published,
        }
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
            if let Some(gauges) = self.node.gauges() {
                gauges.connected(Tick::now().since(dial.started()));
            }
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

    /// Removes commands that have timed out or were withdrawn; returns those that must be sent
    /// elsewhere.
    pub fn expire(
        &mut self,
        now: Tick,
        take: impl FnMut(AbandonedCommand<CommandOf<P, T>>),
    ) -> Vec<CommandOf<P, T>> {
        self.pipeline.commit(self.wire.committed());
        let is_over = |command: &CommandOf<P, T>, since| {
            command.is_over(now) || command.policy.attempt_ends(since) <= now
        };
        self.pipeline.expire(is_over, take)
    }

    /// The weight of what is in flight, as the node's limiter counts it.
    pub fn load(&self) -> usize {
        self.load_of(self.pipeline.weight())
    }

    /// The same of so much in flight.
    pub fn load_of(&self, weight: usize) -> usize {
        if self.sharing == Sharing::Shared { weight } else { weight.min(HEAVIEST) }
    }

    /// Tells the node's limiter what is in flight.
    pub fn publish(&mut self) {
        let load = self.load();
        self.node.health().limiter().publish(&mut self.published, load);
    }

    /// The earliest deadline in flight, of a command or of an attempt.
    pub fn deadline(&self) -> Tick {
        self.pipeline
            .earliest(|command, since| command.deadline.min(command.policy.attempt_ends(since)))
    }

    /// When its silence becomes longer than usual: that of a node, or of one that does not finish
    /// opening it.
    pub fn silence_lasts_long(&self) -> Tick {
        let lasts_long = self.pipeline.silence_lasts_long();
        match &self.dial {
            Some(_) => lasts_long.max(self.pipeline.last_progress().after(OPENING)),
            None => lasts_long,
        }
    }

    /// When the connection must be given up if nothing arrives.
    pub fn silence_ends(&self) -> Tick {
        self.pipeline.silence_ends(|command| {
            let Policy { socket_timeout: limit, flags, .. } = command.policy;
            (!limit.is_zero() && !flags.bounds_attempts()).then(|| limit.into())
        })
    }
}
