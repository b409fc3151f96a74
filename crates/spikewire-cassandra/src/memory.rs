//! A session's state between statements: the cluster, the keyspace, prepared statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use spikewire_cql::dialect::Dialect;
use spikewire_cql::envelope::Extras;
use spikewire_cql::request;
use spikewire_cql::version::Version;
use spikewire_transport::buffer;

use crate::cluster::Cluster;
use crate::error::Result;
use crate::options::Options;
use crate::statement::{Prepared, StatementCache};
use crate::timestamps::Timestamps;

/// A session's state between statements.
#[derive(Debug)]
pub(crate) struct Memory {
    pub cluster: Arc<Cluster>,
    pub timestamps: Timestamps,
    turn: AtomicU32,
    /// How requests are composed.
    pub dialect: Dialect,
    /// The keyspace after a `USE`, which each request then names if the protocol allows that.
    keyspace: ArcSwapOption<Arc<str>>,
    /// The prepared statements.
    pub statements: Arc<StatementCache>,
}

impl Memory {
    /// The state of a new session.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let statements = Arc::new(StatementCache::default());
        cluster.set_schema_listener(statements.clone());
        Self {
            dialect: cluster.handshake().dialect(),
            cluster,
            statements,
            timestamps: Timestamps::default(),
            turn: AtomicU32::new(0),
            keyspace: ArcSwapOption::empty(),
        }
    }

    /// A number that differs from request to request.
    pub fn next_turn(&self) -> u32 {
        self.turn.fetch_add(1, Relaxed)
    }

    /// What the session was opened with.
    pub fn options(&self) -> &Options {
        self.cluster.options()
    }

    /// The protocol version in use.
    pub fn version(&self) -> Version {
        self.cluster.version()
    }

    /// The keyspace set by a `USE`.
    pub fn changed_keyspace(&self) -> Option<Arc<str>> {
        self.keyspace.load_full().map(|name| (*name).clone())
    }

    /// Records the keyspace after a `USE` was answered.
    pub fn set_keyspace(&self, name: &str) {
        if self.version() == Version::V4 {
            self.cluster.use_keyspace(name);
        }
        self.keyspace.store(Some(Arc::new(Arc::from(name))));
    }

    /// The request that prepares a statement again on a node.
    pub fn prepare_again(&self, prepared: &Prepared) -> Result<Vec<u8>> {
        self.prepare_text(prepared.keyspace.as_deref(), &prepared.text)
    }

    /// The request that prepares a text in a keyspace.
    pub fn prepare_text(&self, keyspace: Option<&str>, text: &str) -> Result<Vec<u8>> {
        let mut bytes = buffer::take();
        // In version 4 it is that of the connection.
        let keyspace = keyspace.filter(|_| self.version() == Version::V5);
        request::prepare(&mut bytes, self.version(), text, keyspace, &Extras::default())?;
        Ok(bytes)
    }

    /// How long to wait for schema agreement.
    pub fn schema_agreement(&self) -> Duration {
        self.options().schema_agreement
    }
}
