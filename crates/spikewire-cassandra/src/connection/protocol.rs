//! The result codes of replies, and the cluster as the transport's topology. Frames are in
//! `framing.rs`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::envelope;
use spikewire_cql::response::Code;
use spikewire_transport::jitter::jittered;
use spikewire_transport::limiter::Tolerance;
use spikewire_transport::metrics::{About, Gauges};
use spikewire_transport::protocol::{RequestKind, Sharing};
use spikewire_transport::ready::ReadyConnections;
use spikewire_transport::topology::{Endpoint, Settings, dedicated_callers};
use spikewire_transport::{
    Breaker, Encryption, Health, Metrics, Protocol, RetryBudget, ShardRoute, Topology,
};

use super::{Cassandra, about};
use crate::cluster::{Cluster, Node};
use crate::error::{Error, Kind, Result, SESSION_CLOSED, label};
use crate::framing::{is_error, read_error};
use crate::routing::{Aim, Replica, Target, choose};

/// Requests longer than this (in bytes) use separate connections, so that short ones never wait
/// behind them.
const LARGE: usize = 128 << 10;

/// The pause after an overloaded node first rejects a request. It doubles with each further
/// rejection, up to [`MOST_DOUBLINGS`] times.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MOST_DOUBLINGS: u32 = 5;

impl Protocol for Cassandra {
    type Topology = Cluster;
    type Code = u8;

    const IDS: Option<u16> = Some(i16::MAX as u16);

    /// Id 0 is left out: an error on stream 0 is about the connection.
    const FIRST_ID: u16 = 1;

    /// Nodes reply in any order and one by one, so that a second write costs them nothing.
    const BURST: usize = 64;

    /// Longer than servers take to report a timeout themselves, which is 12 s at most.
    const PATIENCE: Duration = Duration::from_secs(15);

    const SHARDS: bool = true;

    /// Some statements read one row, others a million.
    const TOLERANCE: Tolerance = Tolerance::UNEVEN;

    const CLOSED: &'static str = SESSION_CLOSED;

    fn new(cluster: &Cluster, node: &Node) -> Self {
        Self::to_node(cluster.handshake(), node.address, node.shards.clone())
    }

    fn shard(&self) -> Option<u16> {
        self.shard()
    }

    #[inline]
    fn code(frame: &[u8]) -> u8 {
        frame[4]
    }

    fn server_error(frame: &[u8]) -> Error {
        match read_error(frame) {
            Ok(error) => Error::from_server(error),
            Err(error) => Error::new(Kind::Malformed, error.to_string()),
        }
    }

    /// A limit on the rate of one partition says nothing about the node.
    fn is_overload(frame: &[u8]) -> bool {
        read_error(frame).is_ok_and(|error| error.code == Code::Overloaded)
    }

    fn about<'a>(bytes: &'a [u8], target: &'a Target, rows: usize, _: RequestKind) -> About<'a> {
        about::about(bytes, target, rows)
    }

    fn result(frame: &[u8]) -> &'static str {
        match Self::is_server_error(frame).then(|| read_error(frame)) {
            None => "ok",
            Some(Ok(error)) => label(error.code),
            Some(Err(_)) => Kind::Malformed.name(),
        }
    }

    fn is_server_error(frame: &[u8]) -> bool {
        is_error(frame)
    }

    #[inline]
    fn stamp(&mut self, request: &mut [u8], id: u16, _: Duration) {
        envelope::stamp(request, id);
    }

    fn sharing(len: usize, _: usize, _: RequestKind) -> Sharing {
        if len > LARGE { Sharing::Alone } else { Sharing::Shared }
    }
}

/// The pause between this attempt and the next on an overloaded cluster. Pauses grow and vary, so
/// that clients that were rejected together do not retry together.
fn back_off(attempts: u32) -> Duration {
    jittered(FIRST_PAUSE * (1 << attempts.saturating_sub(1).min(MOST_DOUBLINGS)))
}

impl Topology for Cluster {
    type Node = Node;
    type Target = Target;
    type Preference = Replica;
    type Error = Error;
    type Router = ();

    fn router(&self) {}

    fn route(&self, (): &(), target: &Target, _: Replica, step: u32) -> Result<Arc<Node>> {
        choose(&self.snapshot(), target, step)
    }

    #[inline]
    fn shard(&self, target: &Target, node: &Node) -> Option<u16> {
        match &target.aim {
            Aim::Token { tablet: Some(tablet), token, .. } => node.shard_in(tablet, *token),
            Aim::Token { token, .. } => node.shards.of(*token),
            Aim::Any | Aim::Node(_) => None,
        }
    }

    fn attempt_failed(&self, target: &mut Target, error: &Error, attempts: u32) -> Duration {
        let again = target.was_tried(error);
        target.note(error);
        let is_overloaded = error.server().is_some_and(|error| error.code == Code::Overloaded);
        // If there is a node that has not rejected the request, it is asked at once.
        if is_overloaded || (again && error.kind() == Kind::CircuitOpen) {
            back_off(attempts)
        } else {
            Duration::ZERO
        }
    }

    fn conclude(&self, target: &mut Target, error: Error) -> Error {
        error.with_earlier(target.take_failed())
    }

    #[cold]
    fn measured(&self, _: &Target, node: &Node, took: Duration, _: bool) {
        node.latencies().record(took);
    }

    fn has_alternative(&self, target: &Target, _: Replica, node: &Node) -> bool {
        let snapshot = self.snapshot();
        !matches!(target.aim, Aim::Node(_))
            && snapshot.nodes.iter().any(|other| {
                let is_eligible = snapshot.is_local(other) || snapshot.goes_abroad();
                let is_trusted = other.is_up() && other.health.is_trusted();
                other.number != node.number && other.is_active() && is_trusted && is_eligible
            })
    }

    fn suspects(&self, node: &Arc<Node>) {
        self.suspect(node);
    }

    fn settings(&self) -> Settings {
        let options = self.options();
        Settings {
            in_flight: usize::MAX,
            connections_per_node: options.connections_per_node(),
            depth: options.depth,
            queue: options.queue,
            connect_timeout: options.connect_timeout,
            idle: options.idle,
        }
    }

    /// A thread that reads its own reply needs no other one to be woken; but with many nodes those
    /// would be many connections.
    fn dedicated_callers(&self) -> usize {
        let options = self.options();
        options.connections_per_node.unwrap_or_else(|| {
            let snapshot = self.snapshot();
            let each = snapshot.nodes.iter().map(|node| usize::from(node.shards.count()).max(1));
            dedicated_callers(each.sum(), options.connections_per_node())
        })
    }

    fn is_closed(&self) -> bool {
        Self::is_closed(self)
    }

    #[inline]
    fn metrics(&self) -> Option<&Metrics> {
        Some(Self::metrics(self))
    }

    fn retry_budget(&self) -> Option<&RetryBudget> {
        Some(Self::retry_budget(self))
    }

    fn refresh_soon(&self) {
        self.look_soon();
    }
}

impl Endpoint for Node {
    fn key(&self) -> u32 {
        self.number
    }

    #[expect(clippy::misnamed_getters, reason = "what is dialled may be a proxy of the node")]
    fn address(&self) -> SocketAddr {
        self.dial
    }

    fn shard_count(&self) -> u16 {
        self.shards.count()
    }

    fn shard_route(&self, shard: u16) -> Option<ShardRoute> {
        self.shards.shard_route(self.address.ip(), shard)
    }

    fn avoid_shard_routes(&self) {
        self.shards.avoid_port();
    }

    fn is_active(&self) -> bool {
        Self::is_active(self)
    }

    fn is_lost(&self) -> bool {
        Self::is_lost(self)
    }

    fn encryption(&self) -> Option<Encryption> {
        self.encryption.clone()
    }

    fn gauges(&self) -> Option<&Gauges> {
        Some(&self.gauges)
    }

    fn ready_connections(&self) -> Option<&ReadyConnections> {
        Some(&self.ready)
    }

    fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    fn health(&self) -> &Health {
        &self.health
    }
}
