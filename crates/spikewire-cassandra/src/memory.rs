//! A session's state between statements: the cluster, the keyspace, prepared statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use rustc_hash::FxHashMap;
use spikewire_cql::envelope::Extras;
use spikewire_cql::request;
use spikewire_cql::version::Version;
use spikewire_sync::RwLock;
use spikewire_transport::buffer;

use crate::cluster::Cluster;
use crate::error::Result;
use crate::options::Options;
use crate::statement::Prepared;
use crate::timestamps::Timestamps;

/// Maximum number of prepared statements kept. Beyond it all of them are dropped, which costs a
/// request for each that is prepared again.
const REMEMBERED: usize = 10_000;

/// The key of a prepared statement: its keyspace, if that was given, and its text.
pub(crate) type Name = (Option<Arc<str>>, Arc<str>);

/// A session's state between statements.
#[derive(Debug)]
pub(crate) struct Memory {
    pub cluster: Arc<Cluster>,
    pub timestamps: Timestamps,
    turn: AtomicU32,
    /// The keyspace after a `USE`, which each request then names.
    keyspace: ArcSwapOption<Arc<str>>,
    prepared: RwLock<FxHashMap<Name, Arc<Prepared>>>,
}

impl Memory {
    /// The state of a new session.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        Self {
            cluster,
            timestamps: Timestamps::default(),
            turn: AtomicU32::new(0),
            keyspace: ArcSwapOption::empty(),
            prepared: RwLock::default(),
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
        self.keyspace.store(Some(Arc::new(Arc::from(name))));
    }

    /// The statement, if it is prepared.
    pub fn known(&self, name: &Name) -> Option<Arc<Prepared>> {
        self.prepared.read().get(name).cloned()
    }

    /// Stores a prepared statement; if it is already stored, the existing one stays.
    pub fn remember(&self, prepared: Arc<Prepared>) -> Arc<Prepared> {
        let mut all = self.prepared.write();
        if all.len() >= REMEMBERED {
            all.clear();
        }
        let name = (prepared.keyspace.clone(), prepared.text.clone());
        all.entry(name).or_insert(prepared).clone()
    }

    /// Drops a prepared statement that cannot be used any more, so that preparing it again asks a
    /// node.
    pub fn forget(&self, prepared: &Arc<Prepared>) {
        prepared.outdate();
        let name = (prepared.keyspace.clone(), prepared.text.clone());
        let mut all = self.prepared.write();
        if all.get(&name).is_some_and(|known| Arc::ptr_eq(known, prepared)) {
            all.remove(&name);
        }
    }

    /// The request that prepares a statement again on a node.
    pub fn prepare_again(&self, prepared: &Prepared) -> Result<Vec<u8>> {
        let mut bytes = buffer::take();
        let keyspace = prepared.keyspace.as_deref();
        let extras = Extras::default();
        request::prepare(&mut bytes, self.version(), &prepared.text, keyspace, &extras)?;
        Ok(bytes)
    }

    /// How long to wait for schema agreement.
    pub fn schema_agreement(&self) -> Duration {
        self.options().schema_agreement
    }
}
