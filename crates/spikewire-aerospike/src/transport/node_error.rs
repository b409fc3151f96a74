//! Errors of a node and its connections that the transport reports.

use std::error;
use std::fmt::Display;

use spikewire_transport::Fault;
use spikewire_transport::protocol::Malformed;

use crate::cluster::Node;
use crate::model::Error;

/// No connection could be opened.
pub fn unreachable(node: &Node, error: impl error::Error + Send + Sync + 'static) -> Error {
    Fault::unreachable(node, &error).because(error).into()
}

/// A connection ended while commands were in flight.
pub fn broken(node: &Node, error: impl error::Error + Send + Sync + 'static) -> Error {
    Fault::broken(node, &error).because(error).into()
}

/// The node sent invalid data.
pub fn nonsense(node: &Node, why: impl Display) -> Error {
    Fault::malformed(node, &Malformed(why.to_string().into())).into()
}

/// The node's circuit breaker is open.
pub fn circuit_open(node: &Node) -> Error {
    Fault::breaker_open(node).into()
}
