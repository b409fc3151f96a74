//! What a client knows of itself, as plain data.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use super::{Histogram, Labels, Metrics, Snapshot, Stage, Totals};
use crate::clock::Tick;
use crate::topology::Endpoint;

/// What a client counted, and what it holds at the moment.
#[derive(Debug, Clone)]
pub struct Stats {
    /// Whether commands are counted.
    pub counting: bool,
    /// Commands by kind, namespace, node and result, since the last reset.
    pub commands: Vec<(Labels, Totals)>,
    /// Commands that were handed to connections and have not ended, as of the last replies.
    pub in_flight: usize,
    /// Those of them that wait for a place on a connection.
    pub queued: usize,
    /// Second requests that were sent for reads, and how many of them were answered first, since the
    /// client began.
    pub hedges: (u64, u64),
    /// The stages of commands, while they were timed.
    pub stages: Vec<(Stage, Histogram)>,
    /// The nodes of the cluster.
    pub nodes: Vec<NodeStats>,
    /// How often the client looked at the cluster.
    pub tends: u64,
    /// How often it found no node.
    pub failed_tends: u64,
    /// How long ago it looked last.
    pub tend_age: Duration,
}

/// A node, as the client sees it.
#[derive(Debug, Clone)]
pub struct NodeStats {
    /// What the server calls itself.
    pub name: String,
    /// As commands and events name it.
    pub label: String,
    /// `host:port` where commands go.
    pub address: String,
    /// Connections that commands share, open or being opened.
    pub connections: usize,
    /// How many of them there were in all.
    pub opened: u64,
    /// Failures in this window of the circuit breaker.
    pub errors: u32,
    /// Whether the breaker keeps commands away.
    pub breaker_open: bool,
}

/// A client that counts its commands.
pub trait Observed: Send + Sync {
    /// Its counters and events.
    fn metrics(&self) -> &Metrics;

    /// What it counted and holds.
    fn stats(&self) -> Stats;
}

impl NodeStats {
    /// Of a node of this name.
    pub fn of(name: String, node: &impl Endpoint) -> Self {
        let (connections, opened) =
            node.gauges().map(|gauges| (gauges.open(), gauges.opened())).unwrap_or_default();
        Self {
            name,
            label: node.to_string(),
            address: node.address().to_string(),
            connections,
            opened,
            errors: node.breaker().errors(),
            breaker_open: node.breaker().is_open(),
        }
    }
}

impl Stats {
    /// Of a client that has these.
    pub fn new(metrics: &Metrics, nodes: Vec<NodeStats>, looks: &Looks) -> Self {
        let Snapshot { commands, in_flight, queued, stages } = metrics.snapshot();
        Self {
            counting: metrics.is_on(),
            commands,
            in_flight,
            queued,
            hedges: (0, 0),
            stages,
            nodes,
            tends: looks.all.load(Relaxed),
            failed_tends: looks.failed.load(Relaxed),
            tend_age: Tick::now().since(Tick(looks.last.load(Relaxed))),
        }
    }
}

/// How often a client looked at its cluster, and when last.
#[derive(Debug, Default)]
pub struct Looks {
    all: AtomicU64,
    failed: AtomicU64,
    last: AtomicU64,
}

impl Looks {
    /// Notes one that ended.
    pub fn note(&self, found: bool) {
        self.all.fetch_add(1, Relaxed);
        self.failed.fetch_add(u64::from(!found), Relaxed);
        self.last.store(Tick::now().0, Relaxed);
    }
}

/// Tells of a breaker that opened or closed since this was said of it last.
pub fn tell_of_breaker(metrics: &Metrics, was_open: &mut bool, node: &impl Endpoint) {
    let open = node.breaker().is_open();
    if open != *was_open {
        *was_open = open;
        let name: Arc<str> = node.to_string().into();
        let opened = super::Event::BreakerOpened;
        metrics.events().push(if open { opened(name) } else { super::Event::BreakerClosed(name) });
    }
}
