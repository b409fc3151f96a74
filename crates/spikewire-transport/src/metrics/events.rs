//! Rare events, queued for a listener. Nothing waits for the listener: if the queue is full, events
//! are dropped and counted.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_sync::atomic::{AtomicBool, Ordering::Relaxed};
use spikewire_sync::{Condvar, Mutex};

/// Capacity of the queue.
const MOST: usize = 4096;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A node joined the cluster, as seen by the client.
    NodeUp(Arc<str>),
    /// A node left the cluster.
    NodeDown(Arc<str>),
    /// A node became part of the cluster; for databases that tell this from [`Event::NodeUp`].
    NodeAdded(Arc<str>),
    /// A node is no part of the cluster any more; for these databases.
    NodeRemoved(Arc<str>),
    /// The owners of partitions or tokens changed.
    MapChanged,
    /// The schema changed; for databases that announce it.
    SchemaChanged,
    /// A node's circuit breaker opened.
    BreakerOpened(Arc<str>),
    /// A node's circuit breaker closed.
    BreakerClosed(Arc<str>),
    /// A command exceeded the limit for slow commands.
    Slow(SlowCommand),
}

impl Event {
    /// Its name, and the node that it is about.
    pub fn named(&self) -> (&'static str, Option<&Arc<str>>) {
        match self {
            Self::NodeUp(node) => ("node_up", Some(node)),
            Self::NodeDown(node) => ("node_down", Some(node)),
            Self::NodeAdded(node) => ("node_added", Some(node)),
            Self::NodeRemoved(node) => ("node_removed", Some(node)),
            Self::MapChanged => ("map_changed", None),
            Self::SchemaChanged => ("schema_changed", None),
            Self::BreakerOpened(node) => ("breaker_opened", Some(node)),
            Self::BreakerClosed(node) => ("breaker_closed", Some(node)),
            Self::Slow(slow) => ("slow_command", Some(&slow.node)),
        }
    }
}

/// A command that took longer than the limit set by
/// [`Metrics::report_slower_than`](super::Metrics).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowCommand {
    /// The kind of command.
    pub operation: &'static str,
    /// The namespace or keyspace.
    pub namespace: Arc<str>,
    /// The node that answered or failed.
    pub node: Arc<str>,
    /// How it ended.
    pub result: &'static str,
    /// Time from the call to the end.
    pub took: Duration,
    /// Number of records.
    pub records: usize,
    /// Number of attempts.
    pub attempts: u32,
}

/// The event queue of a client.
#[derive(Debug, Default)]
pub struct Events {
    listens: AtomicBool,
    line: Mutex<Line>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<Event>,
    lost: u64,
}

impl Events {
    /// Starts or stops keeping events for the listener.
    pub fn listen(&self, listens: bool) {
        self.listens.store(listens, Relaxed);
        let mut line = self.line.lock();
        if !listens {
            *line = Line::default();
        }
        self.news.notify_all();
    }

    /// Whether there is a listener.
    pub fn has_listener(&self) -> bool {
        self.listens.load(Relaxed)
    }

    /// Queues an event if there is a listener.
    pub fn push(&self, event: Event) {
        if !self.has_listener() {
            return;
        }
        let mut line = self.line.lock();
        if line.waiting.len() < MOST {
            line.waiting.push_back(event);
        } else {
            line.lost += 1;
        }
        drop(line);
        self.news.notify_all();
    }

    /// Waits up to `limit` for events and takes them. Also returns how many were dropped since the
    /// last call. Returns at once if there is no listener any more.
    pub fn wait(&self, limit: Duration) -> (Vec<Event>, u64) {
        let until = Instant::now() + limit;
        let mut line = self.line.lock();
        while line.waiting.is_empty() && line.lost == 0 && self.has_listener() {
            if Instant::now() >= until {
                break;
            }
            (line, _) = self.news.wait_until(line, until);
        }
        let lost = std::mem::take(&mut line.lost);
        (line.waiting.drain(..).collect(), lost)
    }
}
