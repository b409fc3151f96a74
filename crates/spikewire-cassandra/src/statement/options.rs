//! What can be said about one execution of a statement.

use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::consistency::Consistency;

use crate::cluster::Node;

/// What can be said about one execution; where it says nothing, the session's options hold.
#[derive(Debug, Clone, Default)]
pub struct StatementOptions {
    /// How many replicas must answer.
    pub consistency: Option<Consistency>,
    /// The same for the condition of a lightweight transaction.
    pub serial_consistency: Option<Consistency>,
    /// Rows of a page; 0 for all at once.
    pub page_size: Option<i32>,
    /// Where the page begins: what came with the page before.
    pub paging_state: Option<Arc<[u8]>>,
    /// When what is written was written, in microseconds since 1970.
    pub timestamp: Option<i64>,
    /// Whether a second execution makes no difference. `SELECT` is taken for such.
    pub idempotent: Option<bool>,
    /// Whether the server keeps a trace.
    pub tracing: bool,
    /// Names and bytes for a handler in the server.
    pub payload: Vec<(String, Option<Vec<u8>>)>,
    /// The keyspace of tables without one. Version 5.
    pub keyspace: Option<Arc<str>>,
    /// The time that TTLs are computed with, in seconds since 1970. Version 5.
    pub now_in_seconds: Option<i32>,
    /// Time for the statement with all its retries; zero: no limit.
    pub timeout: Option<Duration>,
    /// Longest silence on a connection with the request in flight; zero: no limit.
    pub socket_timeout: Option<Duration>,
    /// Further attempts after the first one.
    pub max_retries: Option<u32>,
    /// The only node to ask.
    pub node: Option<Arc<Node>>,
}
