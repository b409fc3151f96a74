//! What goes wrong with a node and its connections, told in the same words wherever it shows.

use std::fmt::Display;

use crate::cluster::Node;
use crate::error::{Error, Kind};

/// No connection could be made.
pub fn unreachable(node: &Node, why: impl Display) -> Error {
    about(node, Kind::Connection, format!("could not connect to node {node}: {why}"))
}

/// A connection ended under its commands.
pub fn broken(node: &Node, why: impl Display) -> Error {
    about(node, Kind::Connection, format!("connection to node {node} broke: {why}"))
}

/// What came is not this protocol.
pub fn nonsense(node: &Node, why: impl Display) -> Error {
    about(node, Kind::Malformed, format!("node {node} sent bytes that make no sense: {why}"))
}

/// The node's breaker is open.
pub fn resting(node: &Node) -> Error {
    let message = format!("node {node} failed too often lately and is given a rest");
    about(node, Kind::Resting, message)
}

/// As many commands wait for the node as may.
pub fn full(node: &Node, limit: usize) -> Error {
    let message = format!(
        "{limit} commands wait for node {node} already, which is the client's limit \
         (queue_limit={limit}); lower the load or raise the limit"
    );
    about(node, Kind::Busy, message)
}

fn about(node: &Node, kind: Kind, message: String) -> Error {
    Error::new(kind, message).on(node.to_string())
}
