//! The error type of the engine, from which all APIs map.

use std::fmt;
use std::sync::{Arc, LazyLock};

use spikewire_cql::notation::{Malformed, TooLong};
use spikewire_cql::response::{Code, ServerError};
use spikewire_options::InvalidArgument;
use spikewire_transport::fault::Cause;
use spikewire_transport::{CommandError, Fault, FaultKind};

/// Shorthand for results of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The message of the error for a statement submitted after closing.
pub const SESSION_CLOSED: &str = "the session is closed";

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The statement's total deadline passed.
    Timeout,
    /// No connection could be made, or it broke while the request was in flight.
    Connection,
    /// The server returned an error; see [`Error::server`].
    Server,
    /// The server rejected the credentials, or requires some.
    Authentication,
    /// There is no node to ask.
    NoNode,
    /// The queue for a node is full.
    Busy,
    /// It could not be answered in time, given what waits for the node already; it was not sent.
    Overloaded,
    /// The node failed too often recently: its circuit breaker is open.
    CircuitOpen,
    /// The node sent bytes that are not valid in the protocol.
    Malformed,
    /// The session is closed.
    Closed,
    /// A signal interrupted the caller.
    Interrupted,
    /// The caller's input cannot be used.
    Invalid,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Server => "server",
            Self::Authentication => "authentication",
            Self::NoNode => "no_node",
            Self::Busy => "busy",
            Self::Overloaded => "overloaded",
            Self::CircuitOpen => "circuit_open",
            Self::Malformed => "malformed",
            Self::Closed | Self::Interrupted => "closed",
            Self::Invalid => "invalid",
        }
    }
}

/// A failure: what happened, on which node, after how many attempts, and whether a write may have
/// been applied nevertheless.
#[derive(Debug, Clone)]
pub struct Error(Box<Details>);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

#[derive(Debug, Clone)]
struct Details {
    kind: Kind,
    message: String,
    node: Option<String>,
    attempts: u32,
    in_doubt: bool,
    /// The error underneath, such as that of the operating system.
    cause: Option<Cause>,
    server: Option<Arc<ServerError>>,
    earlier: Vec<Error>,
}

impl Error {
    /// A failure without a node that leaves nothing in doubt.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        let message = message.into();
        let (node, attempts, in_doubt) = (None, 0, false);
        let (cause, server, earlier) = (None, None, Vec::new());
        Self(Box::new(Details { kind, message, node, attempts, in_doubt, cause, server, earlier }))
    }

    /// The session is closed.
    pub fn closed() -> Self {
        Self::new(Kind::Closed, SESSION_CLOSED)
    }

    /// Invalid input from the caller.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// An error returned by the server.
    pub fn from_server(error: ServerError) -> Self {
        let mut new = Self::new(Kind::Server, error.message.clone());
        new.0.server = Some(Arc::new(error));
        new
    }

    /// Adds the node.
    #[must_use]
    pub fn on(mut self, node: impl Into<String>) -> Self {
        self.0.node = Some(node.into());
        self
    }

    /// Adds the error underneath, which [`source`](std::error::Error::source) returns.
    #[must_use]
    pub fn because(mut self, cause: Option<Cause>) -> Self {
        self.0.cause = cause;
        self
    }

    /// Sets the number of attempts and whether the request may have been applied.
    #[must_use]
    pub fn after(mut self, attempts: u32, in_doubt: bool) -> Self {
        self.0.attempts = attempts;
        self.0.in_doubt = in_doubt;
        self
    }

    /// Adds the errors of earlier attempts, oldest first.
    #[must_use]
    pub(crate) fn with_earlier(mut self, mut earlier: Vec<Self>) -> Self {
        if !earlier.is_empty() {
            earlier.append(&mut self.0.earlier);
            self.0.earlier = earlier;
        }
        self
    }

    /// This error and the earlier ones, each without its own list of earlier errors.
    pub(crate) fn alone(&self) -> impl Iterator<Item = Self> {
        self.earlier().iter().chain([self]).map(|error| {
            let mut error = error.clone();
            error.0.earlier.clear();
            error
        })
    }

    /// The errors of earlier attempts with their nodes, oldest first.
    pub fn earlier(&self) -> &[Self] {
        &self.0.earlier
    }

    /// Node and message of each failed attempt, oldest first: the earlier ones, then this error.
    pub fn failed_attempts(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        // A timeout between two attempts is not an attempt.
        let within = self.kind() != Kind::Timeout || self.node().is_some();
        let counts = self.attempts() > 0 && (within || self.earlier().is_empty());
        let own = counts.then_some(self);
        self.earlier().iter().chain(own).map(|error| (error.node(), error.message()))
    }

    /// The kind of this failure.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The name of its class, for languages that have classes of errors.
    pub fn class_name(&self) -> &'static str {
        match (self.server().map(|server| server.code), self.kind()) {
            (Some(Code::Unavailable), _) => "Unavailable",
            (Some(Code::Overloaded), _) | (None, Kind::Overloaded) => "Overloaded",
            (Some(Code::RateLimit(_)), _) => "RateLimited",
            (Some(Code::Bootstrapping), _) => "Bootstrapping",
            (Some(Code::WriteTimeout), _) => "WriteTimeout",
            (Some(Code::ReadTimeout), _) => "ReadTimeout",
            (Some(Code::ReadFailure), _) => "ReadFailure",
            (Some(Code::FunctionFailure), _) => "FunctionFailed",
            (Some(Code::WriteFailure), _) => "WriteFailure",
            (Some(Code::CasWriteUnknown), _) => "WriteUnknown",
            (Some(Code::Syntax), _) => "SyntaxException",
            (Some(Code::Unauthorized), _) => "Unauthorized",
            (Some(Code::Invalid), _) => "InvalidRequest",
            (Some(Code::AlreadyExists), _) => "AlreadyExists",
            (Some(Code::BadCredentials), _) | (None, Kind::Authentication) => {
                "AuthenticationFailed"
            }
            (Some(Code::Protocol), _) | (None, Kind::Malformed) => "ProtocolError",
            (Some(_), _) | (None, Kind::Server | Kind::Invalid) => "ServerError",
            (None, Kind::Timeout) => "Timeout",
            (None, Kind::Connection) => "ConnectionFailed",
            (None, Kind::NoNode | Kind::CircuitOpen) => "NodeUnavailable",
            (None, Kind::Busy) => "TooBusy",
            (None, Kind::Closed | Kind::Interrupted) => "SessionClosed",
        }
    }

    /// What happened; the server's message if it returned an error.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The node's address, if one was involved.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// Number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Whether a write may have been applied although it failed.
    pub fn in_doubt(&self) -> bool {
        self.0.in_doubt
    }

    /// The server's error, if it returned one.
    pub fn server(&self) -> Option<&ServerError> {
        self.0.server.as_deref()
    }
}

impl From<InvalidArgument> for Error {
    fn from(error: InvalidArgument) -> Self {
        Self::invalid(error.message())
    }
}

impl From<TooLong> for Error {
    fn from(error: TooLong) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<Malformed> for Error {
    #[cold]
    fn from(error: Malformed) -> Self {
        Self::new(Kind::Malformed, format!("a node sent invalid bytes: {error}"))
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::Timeout => Kind::Timeout,
            FaultKind::Connection => Kind::Connection,
            FaultKind::Busy => Kind::Busy,
            FaultKind::Overloaded => Kind::Overloaded,
            FaultKind::BreakerOpen => Kind::CircuitOpen,
            FaultKind::Malformed => Kind::Malformed,
            FaultKind::Closed => Kind::Closed,
            FaultKind::Withdrawn => Kind::Interrupted,
        };
        let error = Self::new(kind, fault.message).because(fault.cause);
        match fault.node {
            Some(node) => error.on(node),
            None => error,
        }
    }
}

static LABELS: LazyLock<Vec<(Code, String)>> = LazyLock::new(|| {
    Code::known().map(|code| (code, code.name().replace(' ', "_").to_ascii_lowercase())).collect()
});

/// The label of a server's error: its name in lower case.
pub(crate) fn label(code: Code) -> &'static str {
    if matches!(code, Code::RateLimit(_)) {
        return "rate_limit";
    }
    let known = LABELS.iter().find(|(known, _)| *known == code);
    known.map_or("unknown_error", |(_, label)| label)
}

impl CommandError for Error {
    fn after(self, attempts: u32, in_doubt: bool) -> Self {
        Self::after(self, attempts, in_doubt)
    }

    fn on(self, node: String) -> Self {
        Self::on(self, node)
    }

    fn tried(&self) -> (u32, bool) {
        (self.attempts(), self.in_doubt())
    }

    fn without_budget(mut self) -> Self {
        let note = "; not sent again, because the session's retry_budget is used up";
        self.0.message.push_str(note);
        self
    }

    fn label(&self) -> &'static str {
        match (self.kind(), self.server()) {
            (Kind::Server, Some(error)) => label(error.code),
            (Kind::Interrupted, _) => "withdrawn",
            (kind, _) => kind.name(),
        }
    }

    fn node(&self) -> Option<&str> {
        Self::node(self)
    }

    fn is_final(&self) -> bool {
        matches!(
            self.kind(),
            Kind::Closed | Kind::Invalid | Kind::Busy | Kind::Overloaded | Kind::NoNode
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_error_has_a_label() {
        let labels: Vec<_> = Code::known().map(label).collect();
        assert!(labels.contains(&"write_timeout") && labels.contains(&"cdc_write_failure"));
        assert!(
            labels.iter().all(|label| label.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
        );
        assert_eq!(label(Code::Other(7)), "unknown_error");
    }
}
