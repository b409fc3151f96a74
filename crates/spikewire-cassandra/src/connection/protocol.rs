//! What a reply means to its request, and the nodes, as the transport asks for them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::envelope::{self, Opcode};
use spikewire_cql::response::{Message, Response, Retry, ServerError};
use spikewire_transport::protocol::{Asked, Disposition, Malformed, ReplyKind, Sharing};
use spikewire_transport::topology::{Endpoint, Settings};
use spikewire_transport::{Breaker, Protocol, Topology};

use super::Cassandra;
use crate::cluster::{Cluster, Node};
use crate::error::{Error, Kind, Result};
use crate::routing::{Replica, Router, Target};

/// Requests longer than this (bytes) travel on connections of their own, so that short ones never
/// wait behind them.
const LARGE: usize = 128 << 10;

impl Protocol for Cassandra {
    type Topology = Cluster;
    type Code = u8;

    /// Id 0 is left out: an error on stream 0 is about the connection.
    const IDS: Option<u16> = Some(i16::MAX as u16);

    fn new(cluster: &Cluster, _: &Node) -> Self {
        Self::new(cluster.handshake())
    }

    #[inline]
    fn classify(&mut self, frame: &[u8], _: Asked) -> std::result::Result<Disposition, Malformed> {
        let outcome = if Self::code(frame) == Opcode::Error as u8 {
            kind_of(&read_error(frame)?)
        } else {
            ReplyKind::Done
        };
        Ok(Disposition { outcome, closes: false })
    }

    #[inline]
    fn code(frame: &[u8]) -> u8 {
        frame[4]
    }

    fn refusal(frame: &[u8]) -> Error {
        match read_error(frame) {
            Ok(error) => Error::refused(error),
            Err(error) => Error::new(Kind::Malformed, error.to_string()),
        }
    }

    #[inline]
    fn stamp(&mut self, request: &mut [u8], id: u16, _: Duration) {
        envelope::stamp(request, id + 1);
    }

    fn sharing(len: usize, _: usize) -> Sharing {
        if len > LARGE { Sharing::Alone } else { Sharing::Shared }
    }
}

/// What an error means to its request.
fn kind_of(error: &ServerError) -> ReplyKind {
    match error.retry() {
        Retry::Prepare => ReplyKind::Returned,
        Retry::SameNode | Retry::NextNode => ReplyKind::Retry { doubtful: false },
        Retry::SameNodeIfIdempotent | Retry::NextNodeIfIdempotent => {
            ReplyKind::Retry { doubtful: true }
        }
        Retry::Never => ReplyKind::Done,
    }
}

fn read_error(frame: &[u8]) -> std::result::Result<ServerError, Malformed> {
    match Response::read(frame).map(|response| response.message) {
        Ok(Message::Error(error)) => Ok(error),
        Ok(_) => Err(Malformed("an error that is none".into())),
        Err(error) => Err(Malformed(error.to_string().into())),
    }
}

impl Topology for Cluster {
    type Node = Node;
    type Target = Target;
    type Preference = Replica;
    type Error = Error;
    type Router = Router;

    fn router(&self) -> Router {
        Router::default()
    }

    fn route(&self, router: &Router, target: &Target, _: Replica, step: u32) -> Result<Arc<Node>> {
        router.choose(&self.snapshot(), target, step)
    }

    fn settings(&self) -> Settings {
        let options = self.options();
        Settings {
            connections_per_node: options.connections_per_node,
            depth: options.depth,
            queue: options.queue,
            connect_timeout: options.connect_timeout,
            idle: options.idle,
        }
    }

    fn is_closed(&self) -> bool {
        Self::is_closed(self)
    }

    fn look_again_soon(&self) {
        self.look_soon();
    }
}

impl Endpoint for Node {
    fn key(&self) -> u32 {
        self.number
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn is_active(&self) -> bool {
        Self::is_active(self)
    }

    fn breaker(&self) -> &Breaker {
        &self.breaker
    }
}
