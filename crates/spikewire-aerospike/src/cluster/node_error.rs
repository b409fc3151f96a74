//! Why a host could not be used, with messages that help to find the cause.

use std::io;
use std::time::Duration;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::info::InfoError;
use spikewire_transport::CLIENT_CLOSED;
use spikewire_transport::dial::DialError;
use spikewire_transport::fault::without_number;
use spikewire_transport::resolve::Unresolved;

use super::build::{Build, OLDEST};
use crate::framing::stranger;
use crate::model::{Error, Kind};
use crate::security::LoginRejection;

/// Why a request to a host failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NodeError {
    #[error("{0}")]
    Unresolved(Unresolved),
    #[error("connection refused")]
    PortClosed,
    #[error("no connection within {0:?}")]
    NoConnection(Duration),
    #[error("connected, but no answer within {0:?}")]
    NoAnswer(Duration),
    #[error("the connection was closed before an answer came")]
    HungUp,
    #[error("{0}")]
    Io(String),
    #[error("answered with something that is not this protocol{0}")]
    NotThisProtocol(&'static str),
    #[error("{0}")]
    Garbled(#[from] Malformed),
    #[error("{0}")]
    Unusable(String),
    #[error("{0}")]
    Info(#[from] InfoError),
    #[error("node {actual} answers there, not {expected}")]
    OtherNode { actual: String, expected: String },
    #[error("wrong cluster name '{actual}', expected '{expected}'")]
    OtherCluster { actual: String, expected: String },
    #[error("the node has not joined a cluster yet (partition-generation {0})")]
    NotClustered(i64),
    #[error("server build {0} is too old: {OLDEST} is the oldest that can be used")]
    TooOld(Build),
    #[error("{}", .0.why)]
    LoginRejected(LoginRejection),
    #[error("{CLIENT_CLOSED}")]
    Stopped,
}

impl From<Unresolved> for NodeError {
    fn from(error: Unresolved) -> Self {
        match error {
            Unresolved::Stopped => Self::Stopped,
            error => Self::Unresolved(error),
        }
    }
}

impl NodeError {
    /// Whether a stale connection, rather than the host, may be the cause.
    pub fn may_be_stale_connection(&self) -> bool {
        matches!(self, Self::HungUp | Self::Io(_))
    }

    /// Converts the failure to the engine's error.
    pub fn into_error(self) -> Error {
        let kind = match self {
            Self::NoConnection(_) | Self::NoAnswer(_) => Kind::Timeout,
            Self::NotThisProtocol(_) | Self::Garbled(_) => Kind::Malformed,
            Self::LoginRejected(ref rejection) => Kind::Server(rejection.code),
            Self::Stopped => Kind::Closed,
            _ => Kind::Connection,
        };
        Error::new(kind, self.to_string())
    }
}

impl From<DialError> for NodeError {
    fn from(error: DialError) -> Self {
        match error {
            // The TLS error explains more than the fact that the connection ended.
            DialError::Io(error) if error.get_ref().is_some() => Self::Io(without_number(error)),
            DialError::Io(error) => error.into(),
            DialError::HungUp => Self::HungUp,
            DialError::Stopped => Self::Stopped,
            error => Self::Unusable(error.to_string()),
        }
    }
}

impl From<io::Error> for NodeError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{
            BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof,
        };
        match error.kind() {
            ConnectionRefused => Self::PortClosed,
            ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof => Self::HungUp,
            _ => Self::Io(without_number(error)),
        }
    }
}

/// Guesses what the peer is from the first bytes of a reply in another protocol.
pub(super) fn guess(bytes: &[u8]) -> NodeError {
    NodeError::NotThisProtocol(stranger(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_other_protocols_are_recognized() {
        let text = |bytes: &[u8]| guess(bytes).to_string();
        assert_eq!(
            text(b"HTTP/1.1 400 Bad Request"),
            "answered with something that is not this protocol (an HTTP server?)"
        );
        assert!(text(&[0x15, 3, 3, 0, 2]).ends_with("(a TLS port?)"));
        assert!(text(b"-ERR unknown command").contains("Redis"));
        assert!(text(b"\0\0").ends_with("protocol"));
    }

    #[test]
    fn broken_connections_differ_from_closed_ports() {
        let of = |kind: io::ErrorKind| NodeError::from(io::Error::from(kind));
        assert_eq!(of(io::ErrorKind::ConnectionRefused), NodeError::PortClosed);
        assert!(of(io::ErrorKind::ConnectionReset).may_be_stale_connection());
        assert!(!NodeError::PortClosed.may_be_stale_connection());
        assert!(!NodeError::NoAnswer(Duration::from_secs(1)).may_be_stale_connection());
    }
}
