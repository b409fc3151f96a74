//! Requests to single nodes that are not about records, and their replies.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::manage::Row;

use super::Node;
use crate::clock::Tick;
use crate::model::Result;

/// A request to one node that is not an info command.
#[derive(Debug, Clone)]
pub struct MessageRequest {
    /// The node.
    pub node: Arc<Node>,
    /// The complete frame.
    pub frame: Arc<[u8]>,
    /// The deadline of the reply.
    pub deadline: Tick,
}

/// A request for users and roles.
#[derive(Clone)]
pub struct ManageRequest {
    /// The complete frame.
    pub frame: Arc<[u8]>,
    /// Whether it is a query whose reply is a list.
    pub is_question: bool,
    /// Time limit of the node; zero: no limit.
    pub limit: Duration,
    /// The deadline.
    pub deadline: Tick,
}

/// Does not print the frame, which may contain a password hash.
impl fmt::Debug for ManageRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManageRequest").finish_non_exhaustive()
    }
}

/// The reply of a node.
#[derive(Debug)]
pub struct NodeAnswer {
    /// The node.
    pub node: Arc<Node>,
    /// The text of the reply; error replies are errors of [`Kind::Server`](crate::Kind::Server).
    pub answer: Result<String>,
    /// The requested users or roles.
    pub rows: Vec<Row>,
}

impl NodeAnswer {
    /// A text reply.
    pub fn text(node: Arc<Node>, answer: Result<String>) -> Self {
        Self { node, answer, rows: Vec::new() }
    }

    /// The reply to a request for users and roles.
    pub(crate) fn rows(node: Arc<Node>, answer: Result<Vec<Row>>) -> Self {
        match answer {
            Ok(rows) => Self { node, answer: Ok(String::new()), rows },
            Err(error) => {
                let error = error.on(node.to_string());
                Self { node, answer: Err(error), rows: Vec::new() }
            }
        }
    }
}
