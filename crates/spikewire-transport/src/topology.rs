//! What the transport asks of a database's cluster.

use std::fmt::{Debug, Display};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::breaker::Breaker;
use crate::fault::CommandError;
use crate::metrics::{Gauges, Metrics};
pub use crate::policy::Preference;
use crate::tls::Encryption;
use crate::way::Way;

/// How long a node may owe answers and say nothing before [`Topology::is_silent`] is called.
pub const SILENCE: Duration = Duration::from_secs(1);

/// The nodes of a cluster and the ways to them; one for each client.
pub trait Topology: Debug + 'static {
    /// A node.
    type Node: Endpoint;
    /// What a command is about, as far as routing needs it.
    type Target: Target;
    /// How a command chooses among the nodes that could do.
    type Preference: Preference;
    /// What a failed command's caller gets.
    type Error: CommandError;
    /// What routing keeps for each driver.
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

    /// The lane of a node that is best asked: one of the parts that a node is divided into, where
    /// each connection leads to one of them. Asked if [`Protocol::LANES`](crate::Protocol::LANES).
    /// Any other lane answers, too.
    fn lane(&self, target: &Self::Target, node: &Self::Node) -> Option<u16> {
        let _ = (target, node);
        None
    }

    /// The limits of the connections.
    fn settings(&self) -> Settings;

    /// Whether the client is closed.
    fn is_closed(&self) -> bool;

    /// What is counted of the commands, if anything is.
    fn metrics(&self) -> Option<&Metrics> {
        None
    }

    /// A connection failed: the nodes should be looked at.
    fn look_again_soon(&self);

    /// An attempt at a command failed, one of `made`, and another one follows: what that has to
    /// know is noted in `target`. Returns how much longer than its policy says the command pauses before.
    fn attempt_failed(
        &self,
        target: &mut Self::Target,
        error: &Self::Error,
        made: u32,
    ) -> Duration {
        let _ = (target, error, made);
        Duration::ZERO
    }

    /// A command failed for good with this error; what was noted of earlier attempts may go into it.
    fn conclude(&self, target: &mut Self::Target, error: Self::Error) -> Self::Error {
        let _ = target;
        error
    }

    /// A command begins: the copy of it that is to begin later, unless it is over by then.
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

    /// The time of a copy that shares its command's ticket has come: whether it may begin.
    fn admits_copy(&self, target: &Self::Target) -> bool {
        let _ = target;
        true
    }

    /// A node answered the first attempt at a command that [is measured](Target::is_measured), or had
    /// not answered it after this time when the other copy was. `counts`: it was the first answer.
    fn measured(&self, target: &Self::Target, node: &Self::Node, took: Duration, counts: bool) {
        let _ = (target, node, took, counts);
    }

    /// A node owes answers, and nothing has come from it for [`SILENCE`]. Told again and again
    /// until something comes.
    fn is_silent(&self, node: &Arc<Self::Node>) {
        let _ = node;
    }

    /// A node sent a frame that answers no command.
    fn event(&self, node: &Arc<Self::Node>, frame: &[u8]) {
        let _ = (node, frame);
    }
}

/// A node as connections see it.
pub trait Endpoint: Debug + Display {
    /// A number that no other node of the client has or will have. They are counted from 0 or near
    /// it, for drivers keep a table by number.
    fn key(&self) -> u32;

    /// Where it listens.
    fn address(&self) -> SocketAddr;

    /// How connections to it are encrypted; `None`: they are not.
    fn encryption(&self) -> Option<Encryption> {
        None
    }

    /// How many lanes it has, as far as is known.
    fn lanes(&self) -> u16 {
        0
    }

    /// The way to a lane; `None` where the node chooses the lane of a connection.
    fn way(&self, lane: u16) -> Option<Way> {
        let _ = lane;
        None
    }

    /// A way did not lead where it should: there is none for some time.
    fn avoid_ways(&self) {}

    /// Whether it is part of the cluster; once false it stays so.
    fn is_active(&self) -> bool;

    /// Whether it is known to answer nothing at present, so that the answers that it owes are not
    /// waited for any longer.
    fn is_lost(&self) -> bool {
        false
    }

    /// Where its connections are counted, if they are.
    fn gauges(&self) -> Option<&Gauges> {
        None
    }

    /// Keeps commands away when it fails too often.
    fn breaker(&self) -> &Breaker;
}

/// A copy of a command, which is sent while no answer to the command has come.
#[derive(Debug)]
pub struct CopyPlan<K> {
    /// How much later than the command it begins.
    pub delay: Duration,
    /// What it is about.
    pub target: K,
    /// Whether it shares its command's ticket ([`Carried`](crate::Carried)) and is tried once.
    /// Otherwise it has a ticket of its own, a [`ResponseHandler::twin`](crate::ResponseHandler::twin).
    pub shares: bool,
}

/// What a command is about.
pub trait Target: Debug {
    /// Whether a second execution may make a difference, so that a lost answer leaves doubt.
    fn writes(&self) -> bool;

    /// The command begins. Where another copy of it is to begin, unless it is over by then: how
    /// much later, and what that is about. Its ticket is the
    /// [`ResponseHandler::twin`](crate::ResponseHandler::twin) of this one.
    #[inline(always)]
    fn begins(&mut self) -> Option<(Duration, Self)>
    where
        Self: Sized,
    {
        None
    }

    /// Whether [`Topology::measured`] is told how long nodes take to answer it.
    #[inline(always)]
    fn is_measured(&self) -> bool {
        false
    }
}

/// The limits of the connections to one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Shared connections to one node (or lane, where it has some), and as many that carry one
    /// command at a time.
    pub connections_per_node: usize,
    /// Weight of the commands in flight on one connection before the next one waits.
    pub depth: usize,
    /// Commands that may wait for a place on one node; beyond it they fail.
    pub queue: usize,
    /// Commands in flight on one event loop before the next one waits in line.
    pub in_flight: usize,
    /// Time from the first packet to the end of the handshake.
    pub connect_timeout: Duration,
    /// Idle connections are closed after this time.
    pub idle: Duration,
}
