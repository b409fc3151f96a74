//! What one statement does differently.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cassandra::session::Session as Composer;
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_cql::consistency::Consistency;

/// What one statement, or every statement through one session, does differently from the defaults
/// that the session was opened with.
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

    /// How many replicas must answer.
    pub fn consistency(mut self, level: Consistency) -> Self {
        self.options.consistency = Some(level);
        self
    }

    /// The same for the condition of a lightweight transaction: [`Consistency::Serial`] or
    /// [`Consistency::LocalSerial`].
    pub fn serial_consistency(mut self, level: Consistency) -> Self {
        self.options.serial_consistency = Some(level);
        self
    }

    /// Rows of a page; 0 asks for all of them at once.
    pub fn page_size(mut self, rows: u32) -> Self {
        self.options.page_size = Some(i32::try_from(rows).unwrap_or(i32::MAX));
        self
    }

    /// Where to go on: what came with the page before
    /// ([`QueryResult::paging_state`](super::QueryResult::paging_state)), in this process or
    /// another one, with the same statement and the same values.
    pub fn paging_state(mut self, state: impl Into<Arc<[u8]>>) -> Self {
        self.options.paging_state = Some(state.into());
        self
    }

    /// When what is written was written, in microseconds since 1970. Default: a clock of this
    /// process that never gives the same time twice.
    pub fn timestamp(mut self, microseconds: i64) -> Self {
        self.options.timestamp = Some(microseconds);
        self
    }

    /// Whether a second execution makes no difference, so that a statement in doubt is tried again.
    /// Default: `SELECT` is, and nothing else.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.options.idempotent = Some(idempotent);
        self
    }

    /// Whether the server keeps a trace, which it does under
    /// [`QueryResult::tracing_id`](super::QueryResult::tracing_id).
    pub fn tracing(mut self, tracing: bool) -> Self {
        self.options.tracing = tracing;
        self
    }

    /// A name and bytes for a handler in the server; call it again for more of them.
    pub fn payload(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.options.payload.push((name.into(), Some(bytes.into())));
        self
    }

    /// The keyspace that they say.
    pub(super) fn said_keyspace(&self) -> Option<Arc<str>> {
        self.options.keyspace.clone()
    }

    /// The keyspace of tables without one, as text and when preparing. Takes version 5 of the native
    /// protocol.
    pub fn keyspace(mut self, name: impl Into<Arc<str>>) -> Self {
        self.options.keyspace = Some(name.into());
        self
    }

    /// The time by which TTLs run, in seconds since 1970. Takes version 5 of the native protocol.
    pub fn now_in_seconds(mut self, seconds: i32) -> Self {
        self.options.now_in_seconds = Some(seconds);
        self
    }

    /// Total time for the statement with all its retries; zero: no limit.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.timeout = Some(limit);
        self
    }

    /// Longest silence on a connection with the request in flight; zero: no limit.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.options.socket_timeout = Some(limit);
        self
    }

    /// Further attempts after the first one.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.options.max_retries = Some(retries);
        self
    }

    /// How long to wait for an answer before a copy of the statement goes to another node, 1 ms at
    /// least; `None`: there are no copies. Only idempotent statements have copies.
    pub fn speculative_delay(mut self, delay: impl Into<Option<Duration>>) -> Self {
        self.options.speculation_mut().delay = Some(delay.into());
        self
    }

    /// How many copies there may be besides the first, up to 32.
    pub fn speculative_attempts(mut self, attempts: u32) -> Self {
        self.options.speculation_mut().attempts = Some(attempts);
        self
    }

    /// The only node to ask, by an address of [`Session::nodes`](super::Session::nodes).
    pub fn node(mut self, address: SocketAddr) -> Self {
        self.node = Some(address);
        self
    }

    /// As the engine takes them.
    pub(super) fn resolve(&self, composer: &Composer) -> Result<StatementOptions> {
        let mut options = self.options.clone();
        options.check_speculation()?;
        if let Some(address) = self.node {
            let snapshot = composer.cluster().snapshot();
            let node = snapshot.nodes.iter().find(|node| node.address == address);
            let missing = || Error::new(Kind::NoNode, format!("no node at {address}"));
            options.node = Some(node.ok_or_else(missing)?.clone());
        }
        Ok(options)
    }
}
