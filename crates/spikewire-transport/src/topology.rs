//! What the transport needs from a database's cluster.

use std::fmt::{Debug, Display};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::breaker::Breaker;
use crate::fault::CommandError;
use crate::health::Health;
use crate::keys::OrderKey;
use crate::metrics::{Gauges, Metrics};
pub use crate::policy::Preference;
use crate::ready::ReadyConnections;
use crate::retry_budget::RetryBudget;
use crate::shard_route::ShardRoute;
use crate::shared_reads::{ShareReads, SharedReads};
use crate::tls::Encryption;

/// The nodes of a cluster and how to reach them; one per client.
pub trait Topology: Debug + 'static {
    /// A node.
    type Node: Endpoint;
    /// What a command targets, as far as routing needs it.
    type Target: Target;
    /// How a command chooses among suitable nodes.
    type Preference: Preference;
    /// The error that the caller of a failed command gets.
    type Error: CommandError;
    /// Per-driver state of routing.
    type Router: Debug;

    /// A router for one driver.
    fn router(&self) -> Self::Router;

    /// The node for a command whose earlier attempts moved on `step` times.
    fn route(
        &self,
        router: &Self::Router,
        target: &Self::Target,
        preference: Self::Preference,
        step: u32,
    ) -> Result<Arc<Self::Node>, Self::Error>;

    /// The best shard of a node for this target. A shard is one of the parts that a node is divided
    /// into; each connection leads to one of them. Called if
    /// [`Protocol::SHARDS`](crate::Protocol::SHARDS). Any other shard answers too.
    fn shard(&self, target: &Self::Target, node: &Self::Node) -> Option<u16> {
        let _ = (target, node);
        None
    }

    /// The limits of the connections.
    fn settings(&self) -> Settings;

    /// How many calling threads at a time may have connections of their own, for the nodes there
    /// are now; further ones share theirs.
    fn dedicated_callers(&self) -> usize {
        self.settings().connections_per_node
    }

    /// Whether the client is closed.
    fn is_closed(&self) -> bool;

    /// The client's metrics, if it has any.
    fn metrics(&self) -> Option<&Metrics> {
        None
    }

    /// The client's retry budget, if there is one.
    fn retry_budget(&self) -> Option<&RetryBudget> {
        None
    }

    /// The client's reads that share requests, if it has any.
    #[inline(always)]
    fn shared_reads(&self) -> Option<&SharedReads> {
        None
    }

    /// A connection failed: the cluster should be refreshed soon.
    fn refresh_soon(&self);

    /// An attempt at a command failed, the `number`th, and another one follows; what that needs to
    /// know is recorded in `target`. Returns an additional pause, beyond the policy's, before the
    /// next attempt.
    fn attempt_failed(
        &self,
        target: &mut Self::Target,
        error: &Self::Error,
        number: u32,
    ) -> Duration {
        let _ = (target, error, number);
        Duration::ZERO
    }

    /// A command failed for good with this error, to which what was recorded of earlier attempts
    /// may be added.
    fn conclude(&self, target: &mut Self::Target, error: Self::Error) -> Self::Error {
        let _ = target;
        error
    }

    /// A command starts. Returns the plan of a copy to start later, unless the command is finished
    /// by then.
    #[inline(always)]
    fn copy_of(
        &self,
        router: &Self::Router,
        target: &mut Self::Target,
        preference: Self::Preference,
    ) -> Option<CopyPlan<Self::Target>> {
        let _ = (router, preference);
        let (delay, target) = target.begins()?;
        Some(CopyPlan { delay, target, shares: false })
    }

    /// Whether a copy that shares its command's ticket may start, now that its time has come.
    fn admits_copy(&self, target: &Self::Target) -> bool {
        let _ = target;
        true
    }

    /// A node answered the first attempt at a command that [is measured](Target::is_measured), or
    /// had not answered it after this time when the other copy was answered. `counts` says whether
    /// it was the first reply.
    fn measured(&self, target: &Self::Target, node: &Self::Node, took: Duration, counts: bool) {
        let _ = (target, node, took, counts);
    }

    /// A command that [is measured](Target::is_measured) is about to be completed with this reply,
    /// or has been with that of its other copy.
    fn answered(&self, target: &Self::Target, node: &Arc<Self::Node>, body: &[u8]) {
        let _ = (target, node, body);
    }

    /// Whether a command that this node does not answer, and that may be repeated, can be sent to
    /// another node, which is believed to answer.
    fn has_alternative(
        &self,
        target: &Self::Target,
        preference: Self::Preference,
        node: &Self::Node,
    ) -> bool;

    /// A node owes replies, and nothing has come from it for much longer than usual: it should be
    /// asked whether it answers ([`Health`]). Called repeatedly until something arrives.
    fn suspects(&self, node: &Arc<Self::Node>);

    /// A node sent a frame that answers no command.
    fn event(&self, node: &Arc<Self::Node>, frame: &[u8]) {
        let _ = (node, frame);
    }
}

/// A node as connections see it.
pub trait Endpoint: Debug + Display {
    /// A number that no other node of the client ever has. Numbers start at or near 0, because
    /// drivers use them as table indexes.
    fn key(&self) -> u32;

    /// The address it listens on.
    fn address(&self) -> SocketAddr;

    /// How connections to it are encrypted; `None` if they are not.
    fn encryption(&self) -> Option<Encryption> {
        None
    }

    /// How many shards it has, as far as is known.
    fn shard_count(&self) -> u16 {
        0
    }

    /// The route to a shard; `None` if the node chooses the shard of a connection.
    fn shard_route(&self, shard: u16) -> Option<ShardRoute> {
        let _ = shard;
        None
    }

    /// A route did not lead where it should: no routes are used for some time.
    fn avoid_shard_routes(&self) {}

    /// Whether it is part of the cluster; once `false`, it stays so.
    fn is_active(&self) -> bool;

    /// Whether it is known not to answer at present, so that outstanding replies are not waited for
    /// any longer.
    fn is_lost(&self) -> bool {
        false
    }

    /// The gauges of its connections, if they are counted.
    fn gauges(&self) -> Option<&Gauges> {
        None
    }

    /// The connections to it that were opened ahead, if there may be some.
    fn ready_connections(&self) -> Option<&ReadyConnections> {
        None
    }

    /// Its circuit breaker.
    fn breaker(&self) -> &Breaker;

    /// How well it answers.
    fn health(&self) -> &Health;
}

/// A copy of a command, sent if the command has no reply by then.
#[derive(Debug)]
pub struct CopyPlan<K> {
    /// How much later than the command it starts.
    pub delay: Duration,
    /// What it targets.
    pub target: K,
    /// Whether it shares its command's ticket ([`TicketHandle`](crate::TicketHandle)) and is attempted only
    /// once. Otherwise it has a ticket of its own, a
    /// [`ResponseHandler::ticket_for_copy`](crate::ResponseHandler::ticket_for_copy).
    pub shares: bool,
}

/// What a command targets.
pub trait Target: Debug + Clone {
    /// Whether executing it twice may make a difference, so that a lost reply leaves it in doubt.
    fn writes(&self) -> bool;

    /// Whether whoever sent it sends what it is about to other nodes if it fails.
    fn regroups(&self) -> bool {
        false
    }

    /// What it is about. On drivers whose callers send commands without waiting for earlier ones,
    /// commands with equal keys keep their order.
    #[inline(always)]
    fn order(&self) -> OrderKey {
        OrderKey::NONE
    }

    /// The command starts. If another copy of it is to start later, unless the command is finished
    /// by then, returns its delay and target. The copy's ticket is the
    /// [`ResponseHandler::ticket_for_copy`](crate::ResponseHandler::ticket_for_copy) of this command's.
    #[inline(always)]
    fn begins(&mut self) -> Option<(Duration, Self)>
    where
        Self: Sized,
    {
        None
    }

    /// Whether [`Topology::measured`] is called with the latencies of its replies, and
    /// [`Topology::answered`] with the replies.
    #[inline(always)]
    fn is_measured(&self) -> bool {
        false
    }

    /// Which requests it may share, if it is a read of one record. The client needs
    /// [`Topology::shared_reads`].
    #[inline(always)]
    fn shares(&self) -> ShareReads {
        ShareReads::Off
    }

    /// Whether a read with this target and one with the other are sent in the same way, if their
    /// requests are the same.
    fn is_sent_like(&self, other: &Self) -> bool {
        let _ = other;
        true
    }
}

/// How many calling threads have connections of their own by default, if each may need `each` of
/// them: 64, fewer if these were more than 256 in all, but not fewer than `least`.
pub fn dedicated_callers(each: usize, least: usize) -> usize {
    (256 / each.max(1)).clamp(least, 64)
}

/// The limits of the connections to one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Maximum number of connections to one node (or to one shard) of one multiplexer that carry many
    /// commands, and of those that carry one at a time.
    pub connections_per_node: usize,
    /// Total weight of the commands in flight on one connection before the next one waits.
    pub depth: usize,
    /// How many commands may wait for a place on one node; further ones fail.
    pub queue: usize,
    /// How many commands may be in flight on one event loop before the next one waits.
    pub in_flight: usize,
    /// Time limit from the first packet to the end of the handshake.
    pub connect_timeout: Duration,
    /// How long a connection may be idle before it is closed.
    pub idle: Duration,
}
