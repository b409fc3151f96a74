//! Metrics of a client's commands: counts and latencies, kept if enabled.
//!
//! | file | contents |
//! |---|---|
//! | here | the switch, and the sum of all drivers' counters |
//! | `histogram` | latencies in buckets, written by one thread and read by any |
//! | `recent` | recent latencies, with decaying weights |
//! | `recorder` | a driver's own counters, which nothing else writes |
//! | `events` | rare events, queued for a listener |
//! | `gauges` | connection counts of a node |
//! | `samples` | a share of the commands themselves, for recordings |
//! | `stages` | the stages of calls that hosts time |
//! | `stats` | all of it, with the nodes, as plain data |
//!
//! If disabled, this costs a command one relaxed load when it starts. The result ([`MetricsFlags`])
//! travels with the command, so that reading replies touches nothing that other threads write. If
//! enabled, a driver counts in cells that no other driver writes, so that threads share no cache
//! line; a reader sums the cells of all drivers.

mod events;
mod gauges;
mod histogram;
mod recent;
mod recorder;
mod samples;
mod stages;
mod stats;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;

pub use self::events::{Event, Events, SlowCommand};
pub use self::gauges::Gauges;
pub use self::histogram::{BUCKETS, Histogram, bounds};
pub use self::recent::Recent;
pub(crate) use self::recorder::Recorder;
pub use self::recorder::{About, EndedCommand, Stage};
use self::recorder::{DriverCounters, LiveStages};
pub(crate) use self::samples::SampleSource;
use self::samples::Sampler;
pub use self::samples::{Sample, Samples, Subject};
pub use self::stats::{HotKey, NearCacheStats, NodeStats, Observed, RefreshCounter, Stats};
use crate::clock::Tick;

/// Labels by which commands are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels {
    /// The kind of command: `get`, `put`, `execute`.
    pub operation: &'static str,
    /// The namespace or keyspace; empty if there is none or it is not known.
    pub namespace: Arc<str>,
    /// Name and address of the node that answered or failed. Empty if the command reached none.
    pub node: Arc<str>,
    /// How it ended: `ok`, or the kind of error.
    pub result: &'static str,
}

/// Totals of the commands with the same labels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Latencies from the call to the end.
    pub latencies: Histogram,
    /// Number of records.
    pub records: u64,
    /// Attempts beyond the first.
    pub retries: u64,
    /// Requests sent to nodes for queries, aggregations and jobs; zero for other commands.
    pub parts: u64,
    /// Bytes of requests, each counted once however many attempts there were.
    pub bytes_sent: u64,
    /// Bytes of replies, without the headers of their frames.
    pub bytes_received: u64,
}

impl Totals {
    fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        self.records += other.records;
        self.retries += other.retries;
        self.parts += other.parts;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
    }

    fn subtract(&mut self, other: &Self) {
        self.latencies.subtract(&other.latencies);
        self.records = self.records.saturating_sub(other.records);
        self.retries = self.retries.saturating_sub(other.retries);
        self.parts = self.parts.saturating_sub(other.parts);
        self.bytes_sent = self.bytes_sent.saturating_sub(other.bytes_sent);
        self.bytes_received = self.bytes_received.saturating_sub(other.bytes_received);
    }
}

type Table = FxHashMap<Labels, Totals>;

/// Commands are counted.
const COUNTS: u8 = 1;
/// Stages are timed, if commands are counted.
const STAGES: u8 = 2;
/// Samples of commands are taken.
const SAMPLES: u8 = 4;

/// Not decided yet.
const UNDECIDED: u8 = 1 << 7;

/// What is kept of a command. Decided once, when the command starts, and carried with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MetricsFlags(u8);

/// A call that has started.
#[derive(Debug, Clone, Copy)]
pub struct CallStart {
    /// What is kept of its commands.
    pub metrics_flags: MetricsFlags,
    /// When it started, if stages are timed.
    pub at: Option<Tick>,
}

/// The metrics of a client, for all of its drivers.
pub struct Metrics {
    /// [`COUNTS`], [`STAGES`] and [`SAMPLES`] in one value, so that one load reads all.
    flags: AtomicU8,
    /// Commands that take longer than this (in nanoseconds) are reported as events.
    slow: AtomicU64,
    state: Mutex<State>,
    /// Counters for rare work that belongs to no driver, such as queries. Created on first use.
    rare: Mutex<Option<Recorder>>,
    /// Stages timed by hosts, on any thread.
    hosts: LiveStages,
    /// Where samples go, while they are taken.
    sampler: ArcSwapOption<Sampler>,
    events: Arc<Events>,
}

#[derive(Default)]
struct State {
    drivers: Vec<Arc<DriverCounters>>,
    /// Counters of drivers that have ended.
    ended: Table,
    /// Counters at the last reset.
    before: Table,
    stages_ended: Stages,
    stages_before: Stages,
}

/// Histograms by stage.
type Stages = [Histogram; Stage::ALL.len()];

/// The counters at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// By labels, sorted.
    pub commands: Vec<(Labels, Totals)>,
    /// Commands that were handed to connections and have not ended. A driver updates this whenever
    /// replies arrive, and ten times a second.
    pub in_flight: usize,
    /// Those that wait for a place on a connection.
    pub queued: usize,
    /// The stages of commands, if they were timed.
    pub stages: Vec<(Stage, Histogram)>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            flags: AtomicU8::new(0),
            slow: AtomicU64::new(u64::MAX),
            state: Mutex::default(),
            rare: Mutex::default(),
            hosts: LiveStages::new(),
            sampler: ArcSwapOption::empty(),
            events: Arc::default(),
        }
    }
}

impl Default for MetricsFlags {
    /// Not decided: the driver that receives the command decides.
    fn default() -> Self {
        Self(UNDECIDED)
    }
}

impl fmt::Debug for MetricsFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            UNDECIDED => "undecided",
            bits if bits & (COUNTS | SAMPLES) == 0 => "nothing",
            bits if bits & COUNTS == 0 => "samples",
            bits if bits & STAGES == 0 => "counts",
            _ => "counts and stages",
        })
    }
}

impl MetricsFlags {
    /// Nothing.
    pub const NOTHING: Self = Self(0);

    /// Whether it is not decided yet.
    #[inline(always)]
    pub(crate) fn is_undecided(self) -> bool {
        self.0 == UNDECIDED
    }

    /// Whether the command is counted.
    #[inline(always)]
    pub fn counts(self) -> bool {
        self.0 & COUNTS != 0
    }

    /// Whether anything is kept of the command when it ends.
    #[inline(always)]
    pub fn is_observed(self) -> bool {
        self.0 & (COUNTS | SAMPLES) != 0
    }

    /// Whether it may become a sample.
    #[inline(always)]
    pub(crate) fn is_sampled(self) -> bool {
        self.0 & SAMPLES != 0
    }

    /// Starts a call of which this is kept.
    #[inline(always)]
    pub fn begin(self) -> CallStart {
        CallStart { metrics_flags: self, at: times_stages(self.0).then(Tick::now) }
    }

    /// As a number, for hosts that cache it.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// From such a number.
    #[inline(always)]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

impl Metrics {
    /// What is kept of a command that starts now. This is the only load of shared state.
    #[inline(always)]
    pub fn metrics_flags(&self) -> MetricsFlags {
        MetricsFlags(self.flags.load(Relaxed))
    }

    /// Whether anything is kept of commands when they end.
    #[inline(always)]
    pub(crate) fn keeps_any(&self) -> bool {
        self.metrics_flags().is_observed()
    }

    /// Whether commands are counted.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.flags.load(Relaxed) & COUNTS != 0
    }

    /// Starts or stops counting, for commands that start from now on. Existing counts stay.
    pub fn turn(&self, on: bool) {
        self.keep(COUNTS, on);
    }

    /// Whether the stages of commands are timed.
    pub fn times_stages(&self) -> bool {
        self.flags.load(Relaxed) & STAGES != 0
    }

    /// Starts or stops timing the stages of commands. Has an effect only while commands are
    /// counted.
    pub fn time_stages(&self, on: bool) {
        self.keep(STAGES, on);
    }

    fn keep(&self, what: u8, on: bool) {
        if on {
            self.flags.fetch_or(what, Relaxed);
        } else {
            self.flags.fetch_and(!what, Relaxed);
        }
    }

    /// Reports commands that take at least this long as [`Event::Slow`]; `None` for never. Has an
    /// effect only while commands are counted.
    pub fn report_slower_than(&self, limit: Option<Duration>) {
        let limit = limit.map(|limit| u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX));
        self.slow.store(limit.unwrap_or(u64::MAX), Relaxed);
    }

    /// The event queue.
    pub fn events(&self) -> &Arc<Events> {
        &self.events
    }

    /// Resets all counters.
    pub fn reset(&self) {
        let mut state = self.state.lock();
        state.before = state.all();
        state.stages_before = state.all_stages(&self.hosts);
    }

    /// Counts work made of many requests (`parts`), whether they were answered or not, if commands
    /// are counted. Not for frequent use: callers contend for a lock.
    pub fn note(&self, node: &str, parts: u64, ended: &EndedCommand<'_>) {
        if !self.is_on() {
            return;
        }
        let mut rare = self.rare.lock();
        rare.get_or_insert_with(|| self.recorder()).many(self, node, parts, ended);
    }

    /// The counters since the last reset.
    pub fn snapshot(&self) -> Snapshot {
        let mut state = self.state.lock();
        let mut all = state.all();
        for (labels, before) in &state.before {
            if let Some(totals) = all.get_mut(labels) {
                totals.subtract(before);
            }
        }
        let sum = |gauge: fn(&DriverCounters) -> usize| {
            state.drivers.iter().map(|counters| gauge(counters)).sum()
        };
        let in_flight = sum(|counters| counters.in_flight.load(Relaxed));
        let queued = sum(|counters| counters.queued.load(Relaxed));
        let mut stages = state.all_stages(&self.hosts);
        stages.iter_mut().zip(&state.stages_before).for_each(|(all, before)| all.subtract(before));
        drop(state);
        let mut commands: Vec<_> =
            all.into_iter().filter(|(_, totals)| totals.latencies.count() > 0).collect();
        commands.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let stages = Stage::ALL.into_iter().zip(stages).filter(|(_, times)| times.count() > 0);
        Snapshot { commands, in_flight, queued, stages: stages.collect() }
    }

    /// Counters for a new driver.
    pub(crate) fn recorder(&self) -> Recorder {
        let counters = Arc::new(DriverCounters::default());
        let mut state = self.state.lock();
        state.let_go();
        state.drivers.push(counters.clone());
        Recorder::new(counters)
    }

    fn slower_than(&self) -> u64 {
        self.slow.load(Relaxed)
    }
}

/// Whether these flags say that commands are counted and their stages timed.
#[inline(always)]
const fn times_stages(flags: u8) -> bool {
    flags & (COUNTS | STAGES) == COUNTS | STAGES
}

impl State {
    /// Keeps the counts of drivers that have ended.
    fn let_go(&mut self) {
        let Self { drivers, ended, stages_ended, .. } = self;
        drivers.retain(|counters| {
            let gone = Arc::strong_count(counters) == 1;
            if gone {
                counters.add_to(ended);
                add_stages(&counters.stages, stages_ended);
            }
            !gone
        });
    }

    fn all(&mut self) -> Table {
        self.let_go();
        let mut all = self.ended.clone();
        self.drivers.iter().for_each(|counters| counters.add_to(&mut all));
        all
    }

    fn all_stages(&mut self, hosts: &LiveStages) -> Stages {
        self.let_go();
        let mut all = self.stages_ended.clone();
        add_stages(hosts, &mut all);
        self.drivers.iter().for_each(|counters| add_stages(&counters.stages, &mut all));
        all
    }
}

fn add_stages(live: &LiveStages, all: &mut Stages) {
    if let Some(stages) = live.get() {
        all.iter_mut().zip(stages.iter()).for_each(|(all, stage)| all.add(&stage.read()));
    }
}

impl DriverCounters {
    fn add_to(&self, table: &mut Table) {
        for (labels, series) in &*self.series.lock() {
            table.entry(labels.clone()).or_default().add(&series.totals());
        }
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").field("on", &self.is_on()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
