//! A sample of the commands that end, handed to one reader: what a recording of live traffic is made
//! of.
//!
//! Whoever ends a command never waits: a full queue drops the sample, which is counted. Keys leave
//! the driver only as hashes with a secret of the sampling ([`RandomState`]), so that equal keys
//! stay equal and no key can be told from its hash.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, SyncSender};

use super::{EndedCommand, Metrics};
use crate::clock::Tick;

/// What a request is about, for a sample of it. Never leaves the driver.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subject<'a> {
    /// The namespace or keyspace, or empty.
    pub namespace: &'a [u8],
    /// The set or table, or empty.
    pub set: &'a [u8],
    /// What identifies the record, or one of the records; empty if nothing does.
    pub key: &'a [u8],
}

/// A command that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When it was composed, in nanoseconds since the sampling began.
    pub start: u64,
    /// From then to its end, in nanoseconds.
    pub took: u64,
    /// The kind of command.
    pub operation: &'static str,
    /// How it ended.
    pub result: &'static str,
    /// Whether it may change records.
    pub writes: bool,
    /// A hash of the namespace.
    pub namespace: u64,
    /// A hash of namespace and set.
    pub set: u64,
    /// A hash of a record's identity, if it is about records.
    pub key: Option<u64>,
    /// Number of records.
    pub rows: u32,
    /// Bytes of the request.
    pub request: u32,
    /// Bytes of the reply; zero if there was none.
    pub reply: u32,
}

/// What a driver knows of a command that ended, besides [`EndedCommand`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleSource<'a> {
    pub ended: &'a EndedCommand<'a>,
    pub writes: bool,
    pub request: usize,
    pub reply: usize,
}

/// The writing end: takes a share of all commands.
pub(crate) struct Sampler {
    /// Calls whose number is below this are taken.
    below: u64,
    from: Tick,
    secret: RandomState,
    queue: SyncSender<Sample>,
    dropped: Arc<AtomicU64>,
}

/// The reading end.
#[derive(Debug)]
pub struct Samples {
    queue: Receiver<Sample>,
    dropped: Arc<AtomicU64>,
}

impl Samples {
    /// The next sample, without waiting.
    pub fn next_ready(&self) -> Option<Sample> {
        self.queue.try_recv().ok()
    }

    /// How many samples had no place in the queue so far.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }
}

impl Sampler {
    fn new(share: f64, capacity: usize) -> (Self, Samples) {
        let (sender, queue) = mpsc::sync_channel(capacity);
        let dropped = Arc::<AtomicU64>::default();
        // Saturates: a share of 1 takes all but one of 2^64.
        let below = (share * u64::MAX as f64) as u64;
        let (from, secret) = (Tick::now(), RandomState::new());
        let samples = Samples { queue, dropped: dropped.clone() };
        (Self { below, from, secret, queue: sender, dropped }, samples)
    }

    /// Whether a command that started then is taken. All parts of one call start at the same time,
    /// so that either all of them are, or none.
    #[inline]
    fn takes(&self, start: Tick) -> bool {
        self.below == u64::MAX || self.secret.hash_one(start.0) < self.below
    }

    fn push(&self, source: &SampleSource<'_>, subject: Subject<'_>) {
        let &SampleSource { ended, writes, request, reply } = source;
        let secret = &self.secret;
        let sample = Sample {
            // Calls in flight when the sampling began started before it.
            start: ended.started.0.saturating_sub(self.from.0),
            took: ended.ended.0.saturating_sub(ended.started.0),
            operation: ended.about.operation,
            result: ended.result,
            writes,
            namespace: secret.hash_one(subject.namespace),
            set: secret.hash_one((subject.namespace, subject.set)),
            key: (!subject.key.is_empty()).then(|| secret.hash_one(subject.key)),
            rows: clamp(ended.about.records),
            request: clamp(request),
            reply: clamp(reply),
        };
        if self.queue.try_send(sample).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl Metrics {
    /// Takes a sample of this share of all commands that start from now on; `None` if one is being
    /// taken already. Whoever reads it calls [`Metrics::end_samples`] at the end.
    pub fn begin_samples(&self, share: f64, capacity: usize) -> Option<Samples> {
        let (sampler, samples) = Sampler::new(share, capacity);
        let none = self.sampler.compare_and_swap(&None::<Arc<Sampler>>, Some(Arc::new(sampler)));
        if none.is_some() {
            return None;
        }
        self.keep(super::SAMPLES, true);
        Some(samples)
    }

    /// Takes no more samples.
    pub fn end_samples(&self) {
        self.keep(super::SAMPLES, false);
        self.sampler.store(None);
    }

    /// A command ended of which samples are taken.
    #[cold]
    pub(crate) fn sample<'a>(
        &self,
        source: &SampleSource<'_>,
        subject: impl FnOnce(usize) -> Subject<'a>,
    ) {
        let sampler = self.sampler.load();
        let Some(sampler) = &*sampler else { return };
        let SampleSource { ended, .. } = source;
        // Requests of the client itself are about no records.
        if ended.about.records == 0 || !sampler.takes(ended.started) {
            return;
        }
        // Of a batch, any of its rows, so that hot keys are as hot among these.
        let row = sampler.secret.hash_one(ended.ended.0) as usize % ended.about.records;
        sampler.push(source, subject(row));
    }
}

fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler").field("from", &self.from).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::metrics::About;

    fn end(metrics: &Metrics, start: u64, key: &[u8]) {
        let about = About { operation: "get", namespace: "test", records: 1 };
        let started = Tick::now().after(Duration::from_nanos(start));
        let ended = started.after(Duration::from_micros(7));
        let ended =
            EndedCommand { about, result: "ok", started, ended, attempts: 1, bytes: (60, 90) };
        let source = SampleSource { ended: &ended, writes: false, request: 60, reply: 90 };
        metrics.sample(&source, |_| Subject { namespace: b"test", set: b"users", key });
    }

    fn all(samples: &Samples) -> Vec<Sample> {
        std::iter::from_fn(|| samples.next_ready()).collect()
    }

    #[test]
    fn keys_are_equal_within_a_sampling_and_differ_between_two() {
        let metrics = Metrics::default();
        let keys = || {
            let samples = metrics.begin_samples(1.0, 16).unwrap();
            assert!(metrics.metrics_flags().is_observed() && !metrics.metrics_flags().counts());
            [b"one", b"two", b"one"].iter().for_each(|key| end(&metrics, 0, *key));
            metrics.end_samples();
            all(&samples).iter().map(|sample| sample.key.unwrap()).collect::<Vec<_>>()
        };
        let (first, second) = (keys(), keys());
        assert_eq!((first.len(), first[0]), (3, first[2]));
        assert_ne!(first[0], first[1]);
        assert_ne!(first[0], second[0]);
        assert!(metrics.metrics_flags() == crate::metrics::MetricsFlags::NOTHING);
    }

    #[test]
    fn what_has_no_place_is_counted_and_nothing_waits() {
        let metrics = Metrics::default();
        let samples = metrics.begin_samples(1.0, 4).unwrap();
        assert!(metrics.begin_samples(1.0, 4).is_none(), "one at a time");
        (0..10).for_each(|_| end(&metrics, 0, b"key"));
        assert_eq!((all(&samples).len(), samples.dropped()), (4, 6));
        end(&metrics, 0, b"key");
        assert_eq!(all(&samples).len(), 1);
    }

    #[test]
    fn a_share_is_sampled() {
        let metrics = Metrics::default();
        let samples = metrics.begin_samples(0.1, 10_000).unwrap();
        (0..10_000).for_each(|at| end(&metrics, at, b"key"));
        let sampled = all(&samples).len();
        assert!((700..1300).contains(&sampled), "{sampled} of 10000");
    }
}
