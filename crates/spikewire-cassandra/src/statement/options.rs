//! What can be said about one execution of a statement.

use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::consistency::Consistency;

use crate::cluster::Node;
use crate::error::Result;
use crate::options::Speculation;

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
    /// When copies are sent to further nodes, if the statement is idempotent. Boxed, for it is rare.
    pub speculation: Option<Box<SpeculationOptions>>,
    /// The only node to ask.
    pub node: Option<Arc<Node>>,
}

/// What one execution says about copies.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeculationOptions {
    /// How long each one waits for an answer to those before it; `Some(None)`: there are none.
    pub delay: Option<Option<Duration>>,
    /// How many there may be besides the first.
    pub attempts: Option<u32>,
}

impl StatementOptions {
    /// The same for preparing what is executed with it afterwards.
    #[must_use]
    pub fn to_prepare(&self) -> Self {
        Self { tracing: false, payload: Vec::new(), ..self.clone() }
    }

    /// What it says about copies, to be changed.
    pub fn speculation_mut(&mut self) -> &mut SpeculationOptions {
        self.speculation.get_or_insert_default()
    }

    /// Refuses what makes no sense about copies, in words that name it.
    pub fn check_speculation(&self) -> Result<()> {
        let own = self.speculation.as_deref().copied().unwrap_or_default();
        let attempts = own.attempts.unwrap_or(Speculation::default().attempts);
        Speculation { delay: own.delay.flatten(), attempts }.check()
    }

    /// When there are copies, where the session says this.
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
