//! Options of one statement.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cassandra::options::SpeculativeDelay;
use spikewire_cassandra::session::Session as Composer;
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_cql::consistency::Consistency;
use spikewire_transport::Priority;

/// Options of one statement, or of all statements through one session, that override the defaults
/// of the session.
///
/// ```
/// use std::time::Duration;
/// use spikewire::cql::{CallOptions, Consistency};
///
/// let options = CallOptions::new()
///     .consistency(Consistency::LocalQuorum)
///     .idempotent(true)
///     .timeout(Duration::from_secs(2));
/// # let _ = options;
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    options: StatementOptions,
    node: Option<SocketAddr>,
}

impl CallOptions {
    /// The session's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many replicas must respond.
    pub fn consistency(mut self, level: Consistency) -> Self {
        self.options.consistency = Some(level);
        self
    }

    /// The consistency level for the condition of a lightweight transaction:
    /// [`Consistency::Serial`] or [`Consistency::LocalSerial`].
    pub fn serial_consistency(mut self, level: Consistency) -> Self {
        self.options.serial_consistency = Some(level);
        self
    }

    /// Rows per page; 0 requests all of them at once.
    pub fn page_size(mut self, rows: u32) -> Self {
        self.options.page_size = Some(i32::try_from(rows).unwrap_or(i32::MAX));
        self
    }

    /// Where to continue: the paging state of the previous page
    /// ([`QueryResult::paging_state`](super::QueryResult::paging_state)), in this process or
    /// another one, with the same statement and the same values.
    pub fn paging_state(mut self, state: impl Into<Arc<[u8]>>) -> Self {
        self.options.paging_state = Some(state.into());
        self
    }

    /// The write timestamp, in microseconds since 1970. Default: a clock of this process that never
    /// returns the same time twice.
    pub fn timestamp(mut self, microseconds: i64) -> Self {
        self.options.timestamp = Some(microseconds);
        self
    }

    /// Whether the statement is idempotent, so that it is retried when in doubt. Default: only
    /// `SELECT` is.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.options.idempotent = Some(idempotent);
        self
    }

    /// Whether the server stores a trace, with the id
    /// [`QueryResult::tracing_id`](super::QueryResult::tracing_id).
    pub fn tracing(mut self, tracing: bool) -> Self {
        self.options.tracing = tracing;
        self
    }

    /// A custom payload entry for a handler in the server; call it again for more.
    pub fn payload(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.options.payload.push((name.into(), Some(bytes.into())));
        self
    }

    /// The keyspace that was set.
    pub(super) fn own_keyspace(&self) -> Option<Arc<str>> {
        self.options.keyspace.clone()
    }

    /// The keyspace of tables without one, for texts and for preparing. Requires version 5 of the
    /// native protocol.
    pub fn keyspace(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.keyspace = Some(name.into());
        self
    }

    /// The current time for TTLs, in seconds since 1970. Requires version 5 of the native protocol.
    pub fn now_in_seconds(mut self, seconds: i32) -> Self {
        self.options.now_in_seconds = Some(seconds);
        self
    }

    /// Total timeout of the statement including all retries; zero means no limit.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// Timeout for the connection with the request in flight if nothing arrives on it; zero means
    /// no limit.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.options.socket_timeout = Some(limit);
        self
    }

    /// Attempts after the first one.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.options.max_retries = Some(retries);
        self
    }

    /// Whether it goes before or behind others that wait for the same node. Default: interactive.
    pub fn priority(mut self, priority: Priority) -> Self {
        self.options.priority = priority;
        self
    }

    /// How long to wait for a reply before a copy of the statement is sent to another node, at
    /// least 1 ms; `None`: no copies. Only idempotent statements are copied.
    pub fn speculative_delay(mut self, delay: impl Into<Option<Duration>>) -> Self {
        let delay = delay.into().map(SpeculativeDelay::Time);
        self.options.speculation_mut().delay = Some(delay);
        self
    }

    /// The same after a percentile of the nodes' recent latencies, from 50 to 99.9: of the node
    /// whose percentile is lowest. There are no copies before 100 latencies of a node are known.
    ///
    /// # Errors
    ///
    /// If it is not within these bounds.
    pub fn speculative_percentile(mut self, percent: f64) -> Result<Self> {
        let delay = SpeculativeDelay::percentile(percent)?;
        self.options.speculation_mut().delay = Some(Some(delay));
        Ok(self)
    }

    /// Maximum number of copies in addition to the first request, up to 32.
    pub fn speculative_attempts(mut self, attempts: u32) -> Self {
        self.options.speculation_mut().attempts = Some(attempts);
        self
    }

    /// The only node to use, by an address of [`Session::nodes`](super::Session::nodes).
    pub fn node(mut self, address: SocketAddr) -> Self {
        self.node = Some(address);
        self
    }

    /// Converts the options for the engine.
    pub(super) fn resolve(&self, composer: &Composer) -> Result<StatementOptions> {
        let mut options = self.options.clone();
        options.check()?;
        if let Some(address) = self.node {
            let snapshot = composer.cluster().snapshot();
            let node = snapshot.nodes.iter().find(|node| node.address == address);
            let missing = || Error::new(Kind::NoNode, format!("no node at {address}"));
            options.node = Some(node.ok_or_else(missing)?.clone());
        }
        Ok(options)
    }
}
