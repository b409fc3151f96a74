//! What goes wrong with connections, in the same words wherever it shows.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};

/// What a command is told that comes after the end, unless its protocol says something else.
pub const CLIENT_CLOSED: &str = "the client is closed";

/// The class of a failure that the transport itself finds. What a server refuses is the
/// protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The command's total deadline passed.
    Timeout,
    /// No connection could be made, or it broke under the command.
    Connection,
    /// The bounded wait for a place on a node is full.
    Busy,
    /// The node's circuit breaker is open.
    BreakerOpen,
    /// The node's bytes are not the protocol.
    Malformed,
    /// The client is closed.
    Closed,
    /// The command was withdrawn.
    Withdrawn,
}

/// A failure of the transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its class.
    pub kind: FaultKind,
    /// What happened, in plain words.
    pub message: String,
    /// The node's name and address, where one is at fault.
    pub node: Option<String>,
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// A failure without a node.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), node: None }
    }

    fn about(node: &impl Display, kind: FaultKind, message: String) -> Self {
        Self { kind, message, node: Some(node.to_string()) }
    }

    /// No connection could be made.
    pub fn unreachable(node: &impl Display, why: impl Display) -> Self {
        let message = format!("could not connect to node {node}: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// A connection ended under its commands.
    pub fn broken(node: &impl Display, why: impl Display) -> Self {
        let message = format!("connection to node {node} broke: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// The server said why it ends a connection.
    pub fn ended(node: &impl Display, why: impl Display) -> Self {
        let message = format!("node {node} ended the connection: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// What came is not the protocol.
    pub fn malformed(node: &impl Display, why: &Malformed) -> Self {
        let message = format!("node {node} sent bytes that make no sense: {why}");
        Self::about(node, FaultKind::Malformed, message)
    }

    /// Nothing came for too long.
    pub fn silent(node: &impl Display) -> Self {
        let message = format!("node {node} was silent for longer than the socket timeout");
        Self::about(node, FaultKind::Connection, message)
    }

    /// The node answers nothing, which was looked at apart.
    pub fn lost(node: &impl Display) -> Self {
        Self::about(node, FaultKind::Connection, format!("node {node} does not answer any more"))
    }

    /// The node is not part of the cluster any more.
    pub fn left(node: &impl Display) -> Self {
        Self::about(node, FaultKind::Connection, format!("node {node} left the cluster"))
    }

    /// The node's circuit breaker is open.
    pub fn breaker_open(node: &impl Display) -> Self {
        let message = format!("node {node} failed too often lately; its circuit breaker is open");
        Self::about(node, FaultKind::BreakerOpen, message)
    }

    /// As many commands wait for the node as may.
    pub fn full(node: &impl Display, limit: usize) -> Self {
        let message = format!(
            "{limit} commands wait for node {node} already, which is the client's limit \
             (queue_limit={limit}); lower the load or raise the limit"
        );
        Self::about(node, FaultKind::Busy, message)
    }
}

/// What the caller of a failed command gets.
pub trait CommandError: From<Fault> + Clone + Debug {
    /// Says how often the command was attempted and whether it may have been applied.
    #[must_use]
    fn after(self, attempts: u32, in_doubt: bool) -> Self;

    /// What was said so: how often, and whether.
    fn tried(&self) -> (u32, bool);

    /// Names the node.
    #[must_use]
    fn on(self, node: String) -> Self;

    /// What went wrong, in a word to count it by.
    fn label(&self) -> &'static str {
        "error"
    }

    /// The node that was named.
    fn node(&self) -> Option<&str> {
        None
    }

    /// Whether a request that was never sent because of this need not be tried again.
    fn is_final(&self) -> bool;
}

/// Bytes that are not the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub Cow<'static, str>);

impl Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}
