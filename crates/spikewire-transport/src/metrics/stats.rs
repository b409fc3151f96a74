//! A client's statistics as plain data.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::{Histogram, Labels, Metrics, Snapshot, Stage, Totals};
use crate::clock::Tick;
use crate::limiter::LimiterStats;

/// A client's counters and its current state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Stats {
    /// Whether commands are counted.
    pub counting: bool,
    /// Commands by kind, namespace, node and result, since the last reset.
    pub commands: Vec<(Labels, Totals)>,
    /// Commands that were handed to connections and have not ended, as of the latest replies.
    pub in_flight: usize,
    /// Those that wait for a place on a connection.
    pub queued: usize,
    /// Hedged reads, and rows of reads with a deadline that were sent to a second node, since the
    /// client was created: second requests sent, and how many of them were answered first.
    pub hedges: (u64, u64),
    /// Retries and copies since the client was created: those that were sent, and those that were
    /// not because of the retry budget.
    pub retries: (u64, u64),
    /// Reads answered by the request of another, identical one since the client was created.
    pub reads_shared: u64,
    /// Rows of calls with a deadline that had not come by then, since the client was created.
    pub rows_late: u64,
    /// The near cache, if the client has one.
    pub near_cache: Option<NearCacheStats>,
    /// The stages of commands, if they were timed.
    pub stages: Vec<(Stage, Histogram)>,
    /// The nodes of the cluster.
    pub nodes: Vec<NodeStats>,
    /// Nodes that belong to the cluster and cannot be reached from here: the name of each, and what
    /// was tried and why it failed.
    pub unreachable: Vec<(String, String)>,
    /// How often the client refreshed its view of the cluster.
    pub tends: u64,
    /// How often it found no node.
    pub failed_tends: u64,
    /// Time since the last refresh.
    pub tend_age: Duration,
}

/// A node, as the client sees it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NodeStats {
    /// The server's own name.
    pub name: String,
    /// The name used in commands and events.
    pub label: String,
    /// `host:port` for commands.
    pub address: String,
    /// Shared connections, open or being opened.
    pub connections: usize,
    /// How many of them were opened so far.
    pub opened: u64,
    /// How long opening them took, until they were ready for commands, since the client found the
    /// node.
    pub connect_times: Histogram,
    /// Bytes of the client's own requests to the node since it found it, by which it follows the
    /// cluster, and of info commands.
    pub control_sent: u64,
    /// Bytes of the replies to these.
    pub control_received: u64,
    /// Failures in the current window of the circuit breaker.
    pub errors: u32,
    /// Whether the circuit breaker is open.
    pub breaker_open: bool,
    /// Its share of the requests that may as well go to another node, from 0 (it does not answer)
    /// to 1.
    pub share: f64,
    /// How many commands it gets at a time, and what that means for others.
    pub limiter: LimiterStats,
}

/// A client's near cache, since the client was created.
#[derive(Debug, Clone, Default)]
pub struct NearCacheStats {
    /// Reads that it answered.
    pub hits: u64,
    /// Reads that it could have answered and that were sent.
    pub misses: u64,
    /// How often a record was asked whether it has changed.
    pub revalidations: u64,
    /// Entries that made room for others.
    pub evictions: u64,
    /// Entries.
    pub entries: usize,
    /// Bytes that they take.
    pub bytes: u64,
    /// The keys that are read most often, of those in it.
    pub hot_keys: Vec<HotKey>,
}

/// A key that is read often.
#[derive(Debug, Clone, PartialEq)]
pub struct HotKey {
    /// Its namespace.
    pub namespace: String,
    /// Its set; empty for records without a set.
    pub set: String,
    /// The record's digest.
    pub digest: [u8; 20],
    /// How often it is read, answered by the cache or not.
    pub reads_per_second: f64,
}

/// A client that counts its commands.
pub trait Observed: Send + Sync {
    /// Its counters and events.
    fn metrics(&self) -> &Metrics;

    /// Its statistics.
    fn stats(&self) -> Stats;
}

impl Stats {
    /// The statistics of a client with these nodes.
    pub fn new(metrics: &Metrics, nodes: Vec<NodeStats>, refreshes: &RefreshCounter) -> Self {
        let Snapshot { commands, in_flight, queued, stages } = metrics.snapshot();
        Self {
            counting: metrics.is_on(),
            commands,
            in_flight,
            queued,
            hedges: (0, 0),
            retries: (0, 0),
            reads_shared: 0,
            rows_late: 0,
            near_cache: None,
            stages,
            nodes,
            unreachable: Vec::new(),
            tends: refreshes.all.load(Relaxed),
            failed_tends: refreshes.failed.load(Relaxed),
            tend_age: Tick::now().since(Tick(refreshes.last.load(Relaxed))),
        }
    }
}

/// How often a client refreshed its view of the cluster, and when last.
#[derive(Debug, Default)]
pub struct RefreshCounter {
    all: AtomicU64,
    failed: AtomicU64,
    last: AtomicU64,
}

impl RefreshCounter {
    /// Records a refresh and whether it found a node.
    pub fn note(&self, succeeded: bool) {
        self.all.fetch_add(1, Relaxed);
        self.failed.fetch_add(u64::from(!succeeded), Relaxed);
        self.last.store(Tick::now().0, Relaxed);
    }
}
