//! The cluster as a session sees it: nodes and replicas.
//!
//! Each session has one background thread with the control connection. It reads nodes and
//! keyspaces, receives events, and publishes an immutable [`Snapshot`] behind an atomic pointer.
//! Requests read it without a lock.
//!
//! | file | contents |
//! |---|---|
//! | `seeds` | connecting and reconnecting: the first node that answers, and its protocol version |
//! | `control` | the control connection: requests and events |
//! | `worker`, `after_events` | the background thread: when to refresh what |
//! | `node_reports` | events about nodes |
//! | `tables`, `versions` | reading the system tables; schema versions of nodes |
//! | `reach` | which nodes can be reached |
//! | `addresses` | where advertised addresses are reached |
//! | `node`, `shards`, `snapshot` | the public view |
//! | `tablets` | the tablets of tables |
//! | `schema`, `schema_state`, `schema_tables` | keyspaces and tables, on request |
//! | `shared` | state shared by the thread and the users |

mod addresses;
mod after_events;
mod control;
mod node;
mod node_reports;
mod reach;
#[cfg(test)]
pub(crate) mod sample;
pub mod schema;
mod schema_state;
mod schema_tables;
pub(crate) mod seeds;
mod shared;
mod snapshot;
mod tables;
mod tablets;
pub(crate) mod versions;
mod worker;

use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use arc_swap::Guard;
use spikewire_cql::response::SchemaChange;
use spikewire_cql::version::Version;
use spikewire_sync::Mutex;
use spikewire_transport::metrics::{NodeStats, Observed, Stats};
use spikewire_transport::{Metrics, RetryBudget, Tick, UpkeepTask};

pub use crate::shards::Shards;
pub use node::{HostId, Node};
pub use snapshot::{MOST_REPLICAS, Snapshot};

use crate::error::{Error, Kind, Result};
use crate::framing::Handshake;
use crate::options::Options;
use schema::Schema;
use schema_state::Lookup;
pub(crate) use shared::SchemaListener;
use shared::Shared;
use tablets::Tablets;
use worker::ClusterWorker;

/// A connected cluster. Dropping the last handle ends its thread.
#[derive(Debug)]
pub struct Cluster {
    shared: Arc<Shared>,
    /// Never dropped implicitly: in a forked child the thread does not exist, and its handle must
    /// not be touched there.
    thread: ManuallyDrop<Mutex<Option<JoinHandle<()>>>>,
}

impl Cluster {
    /// Connects to the cluster through the contact points and reads its nodes and keyspaces; then
    /// keeps listening in the background. Fails if no contact point leads to a node, with a message
    /// that gives the reason for each of them.
    pub fn connect(options: Options) -> Result<Arc<Self>> {
        let worker = ClusterWorker::start(options)?;
        let shared = worker.shared();
        let thread = thread::Builder::new()
            .name("spikewire-cql".to_owned())
            .spawn(move || worker.run())
            .map_err(|error| {
                Error::new(
                    Kind::Connection,
                    format!("could not start the background thread: {error}"),
                )
            })?;
        let thread = ManuallyDrop::new(Mutex::new(Some(thread)));
        Ok(Arc::new(Self { shared, thread }))
    }

    /// The options it was connected with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// The parameters of all handshakes.
    pub(crate) fn handshake(&self) -> Arc<Handshake> {
        self.shared.handshake.clone()
    }

    /// The protocol version in use.
    pub fn version(&self) -> Version {
        self.shared.handshake.version
    }

    /// The latest snapshot. Takes no lock.
    pub fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.shared.snapshot.load()
    }

    /// Requests a probe of the nodes, because a connection failed.
    pub(crate) fn look_soon(&self) {
        self.shared.look_soon();
    }

    /// Requests a probe of a node that owes replies and is silent.
    pub(crate) fn suspect(&self, node: &Arc<Node>) {
        self.shared.suspect(node);
    }

    /// Whether all nodes agreed on the schema when they were asked after `since`. If not, they are
    /// asked until they do or it is this time.
    pub(crate) fn has_agreed(&self, since: Tick, until: Tick) -> bool {
        self.shared.has_agreed(since, until)
    }

    /// Uses other connections from now on, to the same nodes, that use this keyspace. Those of
    /// before end when they are idle.
    pub(crate) fn use_keyspace(&self, name: &str) {
        self.shared.use_keyspace(name);
    }

    /// The tablets of tables.
    pub(crate) fn tablets(&self) -> &Tablets {
        &self.shared.tablets
    }

    /// Takes note of a change of the schema that a statement made.
    pub(crate) fn note_schema_change(&self, change: &SchemaChange) {
        self.shared.note_schema_change(Some(change));
    }

    /// The schema, after all changes by statements of this session and all those that were
    /// announced. It is read when it is first asked for, and from then on after each change.
    /// Blocks while it is read, no longer than the default timeout of statements.
    pub fn schema(&self) -> Result<Arc<Schema>> {
        let waits = match self.shared.schema.look_up() {
            Lookup::Known(schema) => return Ok(schema),
            Lookup::Waits(waits) => waits,
        };
        if self.is_closed() {
            return Err(Error::closed());
        }
        self.shared.wake();
        let limit = self.options().limits.timeout;
        let limit = if limit.is_zero() { Duration::MAX } else { limit };
        waits.recv_timeout(limit).unwrap_or_else(|_| {
            let seconds = limit.as_secs_f64();
            let message = format!("the schema could not be read within {seconds} s");
            Err(Error::new(Kind::Timeout, message))
        })
    }

    /// The same, read from now on: with changes of others of which no node has told yet.
    pub fn schema_anew(&self) -> Result<Arc<Schema>> {
        self.shared.schema.change();
        self.schema()
    }

    /// Tells `listener` of changes of the schema from now on. There is one listener.
    pub(crate) fn set_schema_listener(&self, listener: Arc<dyn SchemaListener>) {
        let _ = self.shared.schema_listener.set(listener);
    }

    /// The metrics of its requests, and its events.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// The budget for retries and speculative executions.
    pub fn retry_budget(&self) -> &RetryBudget {
        &self.shared.retry_budget
    }

    /// Its statistics.
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let nodes = snapshot.nodes.iter();
        let nodes = nodes.map(|node| NodeStats::of(node.id(), &**node));
        let mut stats = Stats::new(&self.shared.metrics, nodes.collect(), &self.shared.refreshes);
        stats.retries = self.retry_budget().counts();
        stats
    }

    /// Lets `task` do its work regularly for as long as it lives.
    pub fn add_upkeep_task(&self, task: Weak<dyn UpkeepTask>) {
        self.shared.upkeep_tasks.add(task);
    }

    /// Whether [`Cluster::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends the background thread and retires all nodes. Calling it again does nothing; on the
    /// background thread itself it does not wait.
    pub fn close(&self) {
        if self.shared.closed.swap(true, SeqCst) {
            return;
        }
        self.shared.wake();
        self.shared.metrics.events().listen(false);
        self.shared.schema.close();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        self.shared.publish(Snapshot::default());
    }

    /// For the child after a fork: the background thread does not exist there, and what it held is
    /// lost. Closes the inherited control connection and takes no lock that the thread may have
    /// held.
    pub fn abandon(&self) {
        self.shared.closed.store(true, SeqCst);
        self.shared.close_inherited();
        self.snapshot().nodes.iter().for_each(|node| node.retire());
    }
}

impl Observed for Cluster {
    fn metrics(&self) -> &Metrics {
        Self::metrics(self)
    }

    fn stats(&self) -> Stats {
        Self::stats(self)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}
