//! A driver's own counters.

use std::fmt::Display;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;

use super::histogram::{LiveHistogram, raise};
use super::{Event, Labels, Metrics, SlowCommand, Totals};
use crate::clock::Tick;

/// How many namespaces are counted separately. Further names, which no real cluster has, are
/// counted without a name.
const NAMESPACES: usize = 256;
/// How many nodes are counted separately, of all that ever answered. Further ones, which a cluster
/// has that replaces its nodes all the time, are counted without a name.
const NODES: usize = 1024;

/// What a request is, for the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// The kind of command.
    pub operation: &'static str,
    /// The namespace or keyspace, or empty.
    pub namespace: &'a str,
    /// Number of records.
    pub records: usize,
}

/// A command that ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedCommand<'a> {
    /// What it was.
    pub about: About<'a>,
    /// How it ended.
    pub result: &'static str,
    /// When it was composed.
    pub started: Tick,
    /// When it ended.
    pub ended: Tick,
    /// Number of attempts.
    pub attempts: u32,
    /// Bytes of its request, and of its reply.
    pub bytes: (u64, u64),
}

/// The counters of one driver, as readers see them.
#[derive(Debug, Default)]
pub(super) struct DriverCounters {
    pub series: Mutex<Vec<(Labels, Arc<Series>)>>,
    pub in_flight: AtomicUsize,
    pub queued: AtomicUsize,
    /// Allocated when the first stage is timed.
    pub stages: LiveStages,
}

/// Histograms of stages.
pub(super) type LiveStages = OnceLock<Box<[LiveHistogram; Stage::ALL.len()]>>;

/// A part of a command's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// From the call until its request is composed, if the host's verbs time that.
    Encode,
    /// From then until the system has accepted the request. Includes waiting for a place on a
    /// connection and for others that share the write, and any earlier attempts.
    Queue,
    /// From then until the reply has arrived: the network, the node and the system.
    Wire,
    /// From then until the reply's turn among those that arrived together.
    Turn,
    /// From then until the reply is delivered: decoded and given to its future, or copied for the
    /// waiting thread.
    Deliver,
    /// From then until whoever waits for it continues: the calling thread, or the task that the
    /// loop calls back.
    HandOver,
    /// Creating the host's objects from a copied reply. Without a copy, this is part of
    /// [`Stage::Deliver`].
    Decode,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 7] = [
        Self::Encode,
        Self::Queue,
        Self::Wire,
        Self::Turn,
        Self::Deliver,
        Self::HandOver,
        Self::Decode,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode",
            Self::Queue => "queue",
            Self::Wire => "wire",
            Self::Turn => "turn",
            Self::Deliver => "deliver",
            Self::HandOver => "hand_over",
            Self::Decode => "decode",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Series {
    latencies: LiveHistogram,
    records: AtomicU64,
    retries: AtomicU64,
    parts: AtomicU64,
    bytes_sent: AtomicU64,
    bytes_received: AtomicU64,
}

impl Series {
    pub fn totals(&self) -> Totals {
        let (records, retries) = (self.records.load(Relaxed), self.retries.load(Relaxed));
        let parts = self.parts.load(Relaxed);
        let (bytes_sent, bytes_received) =
            (self.bytes_sent.load(Relaxed), self.bytes_received.load(Relaxed));
        let latencies = self.latencies.read();
        Totals { latencies, records, retries, parts, bytes_sent, bytes_received }
    }
}

/// Key of a series. Strings are identified by their address, which is faster; a string with several
/// addresses has several series, which readers add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Id {
    operation: usize,
    result: usize,
    namespace: usize,
    node: usize,
}

/// The counters of one driver. Only this value writes to them.
#[derive(Debug)]
pub(crate) struct Recorder {
    counters: Arc<DriverCounters>,
    namespaces: Vec<Arc<str>>,
    nodes: Vec<Arc<str>>,
    /// Index into `nodes` by node key, counted from 1; 0 if not known yet. Keys of nodes that are
    /// gone are used again.
    by_key: Vec<usize>,
    series: FxHashMap<Id, Arc<Series>>,
    /// The series counted last, which is often the next one too.
    last: Option<(Id, Arc<Series>)>,
}

impl Recorder {
    pub(super) fn new(counters: Arc<DriverCounters>) -> Self {
        let (namespaces, nodes) = (vec!["".into()], vec!["".into()]);
        let (by_key, series, last) = Default::default();
        Self { counters, namespaces, nodes, by_key, series, last }
    }

    /// Counts a command that this node answered.
    #[inline(never)]
    pub fn answered(
        &mut self,
        metrics: &Metrics,
        (key, name): (u32, &impl Display),
        ended: &EndedCommand<'_>,
    ) {
        let known = self.by_key.get(key as usize).copied().unwrap_or_default();
        let node = if known == 0 { self.learn(key, name) } else { known - 1 };
        self.count(metrics, node, ended);
    }

    /// A connection to the node with this key is being opened, which may be another one than before.
    pub fn forget(&mut self, key: u32) {
        if let Some(known) = self.by_key.get_mut(key as usize) {
            *known = 0;
        }
    }

    /// Counts a command without a reply.
    #[cold]
    pub fn failed(&mut self, metrics: &Metrics, node: &str, ended: &EndedCommand<'_>) {
        let node = number(&mut self.nodes, node, NODES);
        self.count(metrics, node, ended);
    }

    /// Counts work made of many requests: a query, an aggregation, a job.
    #[cold]
    pub fn many(&mut self, metrics: &Metrics, node: &str, parts: u64, ended: &EndedCommand<'_>) {
        self.failed(metrics, node, ended);
        if let Some((_, series)) = &self.last {
            raise(&series.parts, parts);
        }
    }

    /// Times a stage of a command.
    pub fn stage(&self, stage: Stage, took: Duration) {
        let stages = self.counters.stages.get_or_init(Box::default);
        stages[stage as usize].record(took.as_nanos() as u64);
    }

    /// Updates the number of commands in flight.
    #[inline]
    pub fn set_in_flight(&self, in_flight: usize) {
        self.counters.in_flight.store(in_flight, Relaxed);
    }

    /// Updates the number of commands that wait.
    pub fn set_queued(&self, queued: usize) {
        self.counters.queued.store(queued, Relaxed);
    }

    #[cold]
    fn learn(&mut self, key: u32, name: &impl Display) -> usize {
        let node = number(&mut self.nodes, &name.to_string(), NODES);
        let key = key as usize;
        if self.by_key.len() <= key {
            self.by_key.resize(key + 1, 0);
        }
        self.by_key[key] = node + 1;
        node
    }

    fn find(&mut self, id: Id, operation: &'static str, result: &'static str) -> Arc<Series> {
        let Self { counters, namespaces, nodes, series, .. } = self;
        let series = series.entry(id).or_insert_with(|| {
            let (namespace, node) = (namespaces[id.namespace].clone(), nodes[id.node].clone());
            let labels = Labels { operation, namespace, node, result };
            let new = Arc::new(Series::default());
            counters.series.lock().push((labels, new.clone()));
            new
        });
        series.clone()
    }

    fn count(&mut self, metrics: &Metrics, node: usize, ended: &EndedCommand<'_>) {
        let &EndedCommand { about, result, attempts, bytes: (sent, received), .. } = ended;
        let namespace = number(&mut self.namespaces, about.namespace, NAMESPACES);
        let (operation, outcome) = (about.operation.as_ptr().addr(), result.as_ptr().addr());
        let id = Id { operation, result: outcome, namespace, node };
        let series = match &self.last {
            Some((last, series)) if *last == id => series,
            _ => {
                let series = self.find(id, about.operation, result);
                &self.last.insert((id, series)).1
            }
        };
        let nanos = ended.ended.0.saturating_sub(ended.started.0);
        series.latencies.record(nanos);
        raise(&series.records, about.records as u64);
        raise(&series.retries, u64::from(attempts.saturating_sub(1)));
        raise(&series.bytes_sent, sent);
        raise(&series.bytes_received, received);
        if nanos > metrics.slower_than() {
            let node = self.nodes[node].clone();
            metrics.events().push(Event::Slow(SlowCommand {
                operation: about.operation,
                namespace: about.namespace.into(),
                node,
                result,
                took: Duration::from_nanos(nanos),
                records: about.records,
                attempts,
            }));
        }
    }
}

/// The index of a text in a short list, to which it is added if new; 0, the index of the empty
/// text, if there are too many.
fn number(list: &mut Vec<Arc<str>>, text: &str, most: usize) -> usize {
    if let Some(at) = list.iter().position(|known| **known == *text) {
        return at;
    }
    if list.len() >= most {
        return 0;
    }
    list.push(text.into());
    list.len() - 1
}
