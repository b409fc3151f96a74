//! Counters of operations that consist of many requests: queries, aggregations, background jobs.

use std::fmt;
use std::sync::Arc;

use spikewire_transport::CommandError as _;
use spikewire_transport::metrics::{About, EndedCommand};

use super::shared::Shared;
use crate::clock::Tick;
use crate::model::{Error, Kind, Result};

/// The cluster whose counters they are, and the namespace. Does not keep a cluster connected.
#[derive(Clone)]
pub(crate) struct CounterScope {
    shared: Arc<Shared>,
    namespace: Arc<str>,
}

impl CounterScope {
    pub(super) fn new(shared: Arc<Shared>, namespace: &str) -> Self {
        Self { shared, namespace: namespace.into() }
    }
}

impl fmt::Debug for CounterScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CounterScope").field(&self.namespace).finish()
    }
}

/// Counts one query, from its first request to its end. It is counted once; one that is dropped
/// before its end as `withdrawn`.
#[derive(Debug)]
pub(crate) struct Tally {
    counter_scope: CounterScope,
    operation: &'static str,
    /// `None` unless it began while metrics were enabled and has not ended.
    began: Option<Tick>,
    /// Records so far.
    pub records: u64,
    /// Requests so far.
    pub parts: u64,
    /// Requests that failed and were retried.
    pub retries: u32,
    /// Bytes sent and bytes received so far.
    pub bytes: (u64, u64),
}

impl Tally {
    /// An operation that has not begun.
    pub fn new(counter_scope: CounterScope, operation: &'static str) -> Self {
        let (records, parts, retries, bytes) = Default::default();
        Self { counter_scope, operation, began: None, records, parts, retries, bytes }
    }

    /// Begins now, if metrics are enabled.
    pub fn begin(&mut self) {
        if self.counter_scope.shared.metrics.is_on() {
            self.began = Some(Tick::now());
        }
    }

    /// Whether it began and has not ended.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.began.is_some()
    }

    /// Ended successfully.
    pub fn done(&mut self) {
        self.end("ok", "");
    }

    /// Failed.
    pub fn failed(&mut self, error: &Error) {
        if self.is_open() {
            self.end(error.label(), error.node().unwrap_or_default());
        }
    }

    /// Ended with this outcome.
    pub fn ended<T>(&mut self, outcome: &Result<T>) {
        match outcome {
            Ok(_) => self.done(),
            Err(error) if error.kind() == Kind::Interrupted => self.withdrawn(),
            Err(error) => self.failed(error),
        }
    }

    /// Abandoned by its reader.
    pub fn withdrawn(&mut self) {
        self.end("withdrawn", "");
    }

    fn end(&mut self, result: &'static str, node: &str) {
        let Some(started) = self.began.take() else { return };
        let CounterScope { shared, namespace } = &self.counter_scope;
        let records = usize::try_from(self.records).unwrap_or(usize::MAX);
        let about = About { operation: self.operation, namespace, records };
        let (ended, attempts) = (Tick::now(), self.retries.saturating_add(1));
        let bytes = self.bytes;
        shared.metrics.note(
            node,
            self.parts,
            &EndedCommand { about, result, started, ended, attempts, bytes },
        );
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        self.withdrawn();
    }
}
