//! Connection errors, worded the same way everywhere.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::limiter::Rejection;

/// The error of a command submitted after closing, unless its protocol has its own text.
pub const CLIENT_CLOSED: &str = "the client is closed";

/// The kind of a failure detected by the transport. Errors returned by a server belong to the
/// protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The command's total deadline passed.
    Timeout,
    /// No connection could be made, or it broke while the command was in flight.
    Connection,
    /// The bounded queue for a node is full.
    Busy,
    /// The command could not be answered in time, given what waits for the node already.
    Overloaded,
    /// The node's circuit breaker is open.
    BreakerOpen,
    /// The node sent bytes that are not valid in the protocol.
    Malformed,
    /// The client is closed.
    Closed,
    /// The command was withdrawn.
    Withdrawn,
}

/// The error underneath a failure, shared by its copies.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// A failure detected by the transport.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened.
    pub message: String,
    /// The name and address of the node at fault, if any.
    pub node: Option<String>,
    /// The error underneath, such as that of the operating system.
    pub cause: Option<Cause>,
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// A copy of an error of the operating system, which cannot be cloned.
pub(crate) fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

impl Fault {
    /// A failure that concerns no node.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), node: None, cause: None }
    }

    fn about(node: &impl Display, kind: FaultKind, message: String) -> Self {
        Self { kind, message, node: Some(node.to_string()), cause: None }
    }

    /// Adds the error underneath.
    #[must_use]
    pub fn because(mut self, cause: impl Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    /// No connection could be made.
    pub fn unreachable(node: &impl Display, why: impl Display) -> Self {
        let message = format!("could not connect to node {node}: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// A connection broke while commands were in flight.
    pub fn broken(node: &impl Display, why: impl Display) -> Self {
        let message = format!("connection to node {node} broke: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// The server ended the connection and gave a reason.
    pub fn ended(node: &impl Display, why: impl Display) -> Self {
        let message = format!("node {node} ended the connection: {why}");
        Self::about(node, FaultKind::Connection, message)
    }

    /// The server sent bytes that are not valid in the protocol.
    pub fn malformed(node: &impl Display, why: &Malformed) -> Self {
        let message = format!("node {node} sent invalid bytes: {why}");
        Self::about(node, FaultKind::Malformed, message).because(why.clone())
    }

    /// Nothing arrived within the socket timeout.
    pub fn silent(node: &impl Display) -> Self {
        let message = format!("node {node} was silent for longer than the socket timeout");
        Self::about(node, FaultKind::Connection, message)
    }

    /// An attempt took longer than each may.
    pub fn late(node: &impl Display, limit: Duration) -> Self {
        let limit = limit.as_secs_f64();
        let message =
            format!("no answer came from node {node} within {limit} s, an attempt's limit");
        Self::about(node, FaultKind::Timeout, message)
    }

    /// The node does not answer, which was found by other means than this connection.
    pub fn lost(node: &impl Display) -> Self {
        Self::about(node, FaultKind::Connection, format!("node {node} does not answer any more"))
    }

    /// The node does not answer, and no other can take the command.
    pub fn mute(node: &impl Display) -> Self {
        let message = format!(
            "node {node} does not answer, neither commands nor the client's own requests, and no \
             other node can take the command"
        );
        Self::about(node, FaultKind::Connection, message)
    }

    /// The node is no longer part of the cluster.
    pub fn left(node: &impl Display) -> Self {
        Self::about(node, FaultKind::Connection, format!("node {node} left the cluster"))
    }

    /// The node's circuit breaker is open.
    pub fn breaker_open(node: &impl Display) -> Self {
        let message = format!("node {node} failed too often lately; its circuit breaker is open");
        Self::about(node, FaultKind::BreakerOpen, message)
    }

    /// The command was not sent, because it would not be answered in time.
    pub fn overloaded(node: &impl Display, rejection: Rejection, left: Duration) -> Self {
        let Rejection { ahead, wait } = rejection;
        let (wait, left) = (wait.as_secs_f64() * 1e3, left.as_secs_f64() * 1e3);
        let message = format!(
            "node {node} is overloaded: {ahead} commands wait for it, so that the answer would take \
             about {wait:.1} ms, and {left:.1} ms are left of the timeout; the command was not sent"
        );
        Self::about(node, FaultKind::Overloaded, message)
    }

    /// The queue for the node is full.
    pub fn full(node: &impl Display, limit: usize) -> Self {
        let message = format!(
            "{limit} commands wait for node {node} already, which is the client's limit \
             (queue_limit={limit}); lower the load or raise the limit"
        );
        Self::about(node, FaultKind::Busy, message)
    }
}

/// The error that the caller of a failed command gets.
pub trait CommandError: From<Fault> + Clone + Debug {
    /// Adds the number of attempts and whether the command may have been applied.
    #[must_use]
    fn after(self, attempts: u32, in_doubt: bool) -> Self;

    /// What was added by [`CommandError::after`]: the attempts and `in_doubt`.
    fn tried(&self) -> (u32, bool);

    /// Adds the node.
    #[must_use]
    fn on(self, node: String) -> Self;

    /// Says in its message that there is no further attempt, because the client's retry budget is
    /// used up.
    #[must_use]
    fn without_budget(self) -> Self {
        self
    }

    /// The kind of error, as a label to count it by.
    fn label(&self) -> &'static str {
        "error"
    }

    /// The node that was added.
    fn node(&self) -> Option<&str> {
        None
    }

    /// Whether there is no point in retrying a request that was not sent because of this error.
    fn is_final(&self) -> bool;
}

/// The bytes are not valid in the protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub Cow<'static, str>);

impl Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Malformed {}
