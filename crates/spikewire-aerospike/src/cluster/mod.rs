//! The client's view of the cluster: its nodes and the partitions they hold.
//!
//! One background thread per client (the cluster worker) polls the nodes every tend interval and
//! publishes an immutable [`Snapshot`] behind an atomic pointer. Commands read it without a lock.
//!
//! | file | what it holds |
//! |---|---|
//! | `seeds` | start-up: the first node, or why no seed led to one |
//! | `worker`, `discovery` | one pass over all nodes: counters, maps, racks; nodes that join and leave |
//! | `member`, `peers` | what the cluster worker keeps about one node, and about nodes not yet met |
//! | `rules`, `partition_table`, `node_info`, `address`, `build` | the rules, without sockets |
//! | `info_request`, `poll`, `probe` | one info request to one node; many at once; all addresses of a host |
//! | `names` | resolving the addresses that nodes announce |
//! | `info_command`, `node_request` | requests to single nodes, checked, and their replies |
//! | `ask` | requests of callers to single nodes |
//! | `net`, `node_error` | shared settings; why a node cannot be used |
//! | `shared` | what the cluster worker and others share |
//! | `tally` | counting queries and jobs |
//! | `node`, `snapshot`, `stats` | the public view |

mod address;
mod ask;
mod build;
mod discovery;
pub mod info_command;
mod info_request;
mod member;
mod names;
mod net;
mod node;
mod node_error;
mod node_info;
pub(crate) mod node_request;
mod partition_table;
mod peers;
mod poll;
mod probe;
mod rules;
mod seeds;
mod shared;
mod snapshot;
mod tally;
mod worker;

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use arc_swap::Guard;
use spikewire_sync::Mutex;
pub use spikewire_transport::UpkeepTask;
use spikewire_transport::jitter::{about, jittered};
use spikewire_transport::metrics::Observed;
use spikewire_transport::{Metrics, RetryBudget, SharedReads};

pub(crate) use ask::{info_answer, manage_answer, message_answer};
pub use build::Build;
pub use node::{Breaker, Node};
pub use snapshot::{NamespaceMap, NamespaceMaps, Snapshot, UnreachablePeer};
pub use spikewire_transport::metrics::{NodeStats, Stats};
pub(crate) use tally::{CounterScope, Tally};

use crate::model::Hedging;
use crate::model::Options;
use crate::model::{Error, Kind, Result};
use crate::near_cache::NearCache;
use crate::security::Credentials;
use net::Net;
use shared::Shared;
use worker::ClusterWorker;

/// Shortest and longest interval between regular passes.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
const LONGEST_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// While the cluster is changing, the cluster worker polls this many times as often.
const UNSETTLED_FACTOR: u32 = 4;

/// A connected cluster. Dropping the last handle stops its thread.
#[derive(Debug)]
pub struct Cluster {
    shared: Arc<Shared>,
    /// Not dropped automatically: in a forked child the thread does not exist, and its handle must
    /// not be touched there.
    thread: ManuallyDrop<Mutex<Option<JoinHandle<()>>>>,
}

impl Cluster {
    /// Finds the cluster through the seeds and reads all nodes and maps once; then keeps polling in
    /// the background. Fails if no seed leads to a node, with a message that gives the reason for
    /// each.
    pub fn connect(options: Options) -> Result<Arc<Self>> {
        seeds::check(&options.seeds, options.tls.is_some())?;
        let net = Net::new(&options)?;
        let shared = Arc::new(Shared::new(options, net));
        let worker = ClusterWorker::start(shared.clone())?;
        let thread = thread::Builder::new()
            .name("spikewire-tend".to_owned())
            .spawn(move || tend(worker))
            .map_err(|error| {
                Error::new(Kind::Connection, format!("no thread to tend the cluster: {error}"))
            })?;
        let thread = ManuallyDrop::new(Mutex::new(Some(thread)));
        Ok(Arc::new(Self { shared, thread }))
    }

    /// The options it was connected with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Whether connections log in.
    pub(crate) fn logs_in(&self) -> bool {
        self.shared.net.gate.logs_in()
    }

    /// The client's credentials, if any.
    pub fn credentials(&self) -> Option<Arc<Credentials>> {
        self.shared.net.gate.credentials().cloned()
    }

    /// The latest snapshot. Takes no lock.
    pub fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.shared.snapshot.load()
    }

    /// Counters of its commands, and rare events.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// Counters for operations that consist of many requests.
    pub(crate) fn counter_scope(&self, namespace: &str) -> CounterScope {
        CounterScope::new(self.shared.clone(), namespace)
    }

    /// The budget for hedged reads.
    pub fn hedging(&self) -> &Hedging {
        &self.shared.hedging
    }

    /// The budget for retries.
    pub fn retry_budget(&self) -> &RetryBudget {
        &self.shared.retry_budget
    }

    /// Its reads that share requests.
    #[inline]
    pub(crate) fn shared_reads(&self) -> &SharedReads {
        &self.shared.reads
    }

    /// Whether it has a near cache.
    #[inline(always)]
    pub fn has_near_cache(&self) -> bool {
        self.near_cache().is_some()
    }

    /// The cache for hot keys, if there is one.
    #[inline(always)]
    pub(crate) fn near_cache(&self) -> Option<&Arc<NearCache<Node>>> {
        self.shared.near_cache.as_ref()
    }

    /// Whether reads of a namespace are those of a session, which are never cached. So it is taken
    /// for one that is not known.
    pub(crate) fn is_strong(&self, namespace: &str) -> bool {
        self.snapshot().map(namespace).map_or(true, |map| map.strong)
    }

    /// Any record may be written, or have been written, by a command of this client.
    pub(crate) fn invalidate_near_cache(&self) {
        if let Some(cache) = self.near_cache() {
            cache.invalidate_all();
        }
    }

    /// Statistics of the client: counters, connections, nodes and their breakers, and the cluster
    /// worker.
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let nodes = snapshot.nodes.iter();
        let nodes = nodes.map(|node| NodeStats::of(node.name.clone(), &**node)).collect();
        let unreachable = snapshot.unreachable.iter();
        let unreachable = unreachable.map(|peer| (peer.name.clone(), peer.why.clone())).collect();
        let mut stats = Stats::new(&self.shared.metrics, nodes, &self.shared.tends);
        let hedging = self.hedging();
        stats.hedges = (hedging.sent(), hedging.won());
        stats.retries = self.retry_budget().counts();
        stats.reads_shared = self.shared_reads().joined();
        stats.rows_late = hedging.late();
        stats.near_cache = self.near_cache().map(|cache| cache.stats());
        stats.unreachable = unreachable;
        stats
    }

    /// Counts the end of a query before its last record as an error of each node that is the master of
    /// one of these partitions, for hosts to whom that is one (`max_error_rate`).
    pub fn count_aborted_query(&self, namespace: &str, partitions: Range<u16>) {
        let snapshot = self.snapshot();
        let Some(map) = snapshot.namespaces.get(namespace) else { return };
        for node in &snapshot.nodes {
            let holds =
                |pid| map.holder(0, pid).is_some_and(|(holder, _)| Arc::ptr_eq(holder, node));
            if partitions.clone().any(holds) {
                node.breaker.record();
            }
        }
    }

    /// Requests a pass now because a connection failed. Extra passes are at least 50 ms apart, and
    /// no request is lost.
    pub fn tend_soon(&self) {
        if !self.is_closed() {
            self.shared.signal.request();
        }
    }

    /// Calls `task` after every pass for as long as it exists.
    pub fn add_upkeep_task(&self, task: Weak<dyn UpkeepTask>) {
        self.shared.upkeep_tasks.add(task);
    }

    /// Whether [`Cluster::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Stops the background thread and retires all nodes. Idempotent. On the background thread
    /// itself (from a [`UpkeepTask`]) it does not wait.
    pub fn close(&self) {
        if self.shared.net.closed.swap(true, AcqRel) {
            return;
        }
        self.shared.signal.wake();
        if let Some(cache) = self.near_cache() {
            cache.due.close();
        }
        self.shared.metrics.events().listen(false);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        self.shared.publish(Snapshot::default());
    }

    /// For a forked child, where the background thread does not exist and the locks it held are
    /// never released. Closes the inherited connections and takes no lock that the thread may have
    /// held.
    pub fn abandon(&self) {
        self.shared.net.closed.store(true, Relaxed);
        self.shared.net.descriptors.close_inherited();
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

/// The background thread.
fn tend(mut worker: ClusterWorker) {
    let shared = worker.shared();
    let interval = shared.options.tend_interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
    let mut last = Instant::now();
    // No two clients ask the nodes in step for long.
    let mut regular = last + about(interval);
    loop {
        let sooner = jittered(interval / UNSETTLED_FACTOR);
        let unsettled = if worker.is_unsettled() { last + sooner } else { regular };
        if !shared.signal.wait(last, regular.min(unsettled), &shared.net.closed) {
            return;
        }
        last = Instant::now();
        let is_regular = last >= regular;
        if is_regular {
            regular = last + about(interval);
        }
        // Without any node, the next pass tries the seeds again.
        let is_reachable = worker.pass(is_regular).is_ok();
        shared.tends.note(is_reachable);
        if !shared.is_closed() {
            shared.upkeep_tasks.run_upkeep();
        }
    }
}
