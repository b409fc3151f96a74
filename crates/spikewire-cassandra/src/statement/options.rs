//! Options of an execution.

use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::consistency::Consistency;

use crate::cluster::Node;
use crate::error::Result;
use crate::options::Speculation;

/// Options of one execution; for those not given, the session's apply.
#[derive(Debug, Clone, Default)]
pub struct StatementOptions {
    /// The consistency level.
    pub consistency: Option<Consistency>,
    /// The consistency level of a lightweight transaction's condition.
    pub serial_consistency: Option<Consistency>,
    /// Rows per page; 0 disables paging.
    pub page_size: Option<i32>,
    /// Where the page begins, from the previous page's result.
    pub paging_state: Option<Arc<[u8]>>,
    /// The timestamp of writes, in microseconds since 1970.
    pub timestamp: Option<i64>,
    /// Whether executing it twice makes no difference. Assumed for `SELECT`.
    pub idempotent: Option<bool>,
    /// Whether the server records a trace.
    pub tracing: bool,
    /// Custom payload for a query handler in the server.
    pub payload: Vec<(String, Option<Vec<u8>>)>,
    /// The default keyspace for tables. Protocol version 5.
    pub keyspace: Option<Arc<str>>,
    /// The current time for TTLs, in seconds since 1970. Protocol version 5.
    pub now_in_seconds: Option<i32>,
    /// Timeout for the statement including all retries; zero means no limit.
    pub timeout: Option<Duration>,
    /// Longest silence on a connection with the request in flight; zero means no limit.
    pub socket_timeout: Option<Duration>,
    /// Maximum number of retries.
    pub max_retries: Option<u32>,
    /// When copies are sent to further nodes, if the statement is idempotent. Boxed because it is
    /// rare.
    pub speculation: Option<Box<SpeculationOptions>>,
    /// The only node to ask.
    pub node: Option<Arc<Node>>,
}

/// Speculation options of one execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeculationOptions {
    /// How long each copy waits for an answer to the ones before it; `Some(None)` disables copies.
    pub delay: Option<Option<Duration>>,
    /// Maximum number of copies besides the first request.
    pub attempts: Option<u32>,
}

impl StatementOptions {
    /// The options for preparing what is then executed with these.
    #[must_use]
    pub fn to_prepare(&self) -> Self {
        Self { tracing: false, payload: Vec::new(), ..self.clone() }
    }

    /// Its speculation options, mutable.
    pub fn speculation_mut(&mut self) -> &mut SpeculationOptions {
        self.speculation.get_or_insert_default()
    }

    /// Rejects invalid speculation options; the message names the option.
    pub fn check_speculation(&self) -> Result<()> {
        let own = self.speculation.as_deref().copied().unwrap_or_default();
        let attempts = own.attempts.unwrap_or(Speculation::default().attempts);
        Speculation { delay: own.delay.flatten(), attempts }.check()
    }

    /// When copies are sent, given the session's options.
    #[inline]
    pub(crate) fn speculation(&self, session: Speculation) -> Speculation {
        match &self.speculation {
            None => session,
            Some(own) => Speculation {
                delay: own.delay.unwrap_or(session.delay),
                attempts: own.attempts.unwrap_or(session.attempts),
            },
        }
    }
}
