//! Counts commands as they end, and takes samples of them, if that is enabled.

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::CommandError as _;
use crate::metrics::{EndedCommand, Metrics, MetricsFlags, Recorder, SampleSource, Stage};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol, ReplyKind};
use crate::topology::{Endpoint as _, Target as _, Topology};

/// Counts the commands completed by a read.
pub(super) struct Counting<'a> {
    metrics: &'a Metrics,
    recorder: &'a mut Recorder,
    /// Whether stages are timed, and when the previous one ended.
    timed: bool,
    at: Option<Tick>,
    /// Whether a reply is about to be delivered.
    delivering: bool,
}

impl<'a> Counting<'a> {
    /// Starts counting what a read completes.
    pub fn begin(
        topology: &'a impl Topology,
        recorder: &'a mut Option<Box<Recorder>>,
    ) -> Option<Self> {
        let metrics = topology.metrics()?;
        let (recorder, timed) = (recorder.as_deref_mut()?, metrics.times_stages());
        Some(Self { metrics, recorder, timed, at: None, delivering: false })
    }

    /// Whether stages are timed.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// A reply is about to be delivered, while stages are timed.
    #[cold]
    pub fn record_arrival(&mut self, started: Tick, written: Option<Tick>, came: Tick) {
        // Requests written before stages were timed are left out.
        let Some(written) = written else { return };
        let at = *self.at.get_or_insert_with(Tick::now);
        self.recorder.stage(Stage::Queue, written.since(started));
        self.recorder.stage(Stage::Wire, came.since(written));
        self.recorder.stage(Stage::Turn, at.since(came));
        self.delivering = true;
    }

    /// When the current reply is delivered, while stages are timed.
    pub fn delivery_start(&self) -> Option<Tick> {
        self.at.filter(|_| self.delivering)
    }

    /// The reply was delivered.
    #[cold]
    pub fn record_delivery(&mut self) {
        let Some(before) = self.at.filter(|_| std::mem::take(&mut self.delivering)) else { return };
        let now = Tick::now();
        self.recorder.stage(Stage::Deliver, now.since(before));
        self.at = Some(now);
    }

    /// Counts a command that got this reply, if that ends it.
    #[inline(never)]
    pub fn answered<P: Protocol, T>(
        &mut self,
        command: &CommandOf<P, T>,
        body: &[u8],
        outcome: ReplyKind,
        node: &NodeOf<P>,
        now: Tick,
    ) {
        // The others are retried, or continue as another command.
        let metrics_flags = command.policy.metrics_flags;
        if outcome != ReplyKind::Done || !metrics_flags.is_observed() {
            return;
        }
        let ended = EndedCommand {
            about: P::about(&command.bytes, &command.target, command.rows, command.kind),
            result: P::result(body),
            started: command.start,
            ended: now,
            attempts: command.attempts.count,
            bytes: (command.bytes.len() as u64, body.len() as u64 + u64::from(command.reply_bytes)),
        };
        if metrics_flags.is_sampled() {
            let reply = body.len() + command.reply_bytes as usize;
            sample::<P, T>(self.metrics, command, &ended, reply);
        }
        if metrics_flags.counts() {
            self.recorder.answered(self.metrics, (node.key(), node), &ended);
        }
    }
}

/// Offers a command that ended to whoever takes samples.
#[cold]
fn sample<P: Protocol, T>(
    metrics: &Metrics,
    command: &CommandOf<P, T>,
    ended: &EndedCommand<'_>,
    reply: usize,
) {
    let (writes, request) = (command.target.writes(), command.bytes.len());
    let source = SampleSource { ended, writes, request, reply };
    metrics.sample(&source, |row| P::subject(&command.bytes, command.kind, row));
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Decides whether a command that starts is counted, unless its host did.
    #[inline(always)]
    pub(super) fn decide_metrics(&mut self, command: &mut CommandOf<P, T>) {
        let metrics_flags = &mut command.policy.metrics_flags;
        if metrics_flags.is_undecided() {
            *metrics_flags =
                self.topology.metrics().map_or(MetricsFlags::NOTHING, Metrics::metrics_flags);
        }
        self.counts |= metrics_flags.is_observed();
    }

    /// Looks up whether commands are still counted or sampled, after some were to be.
    #[cold]
    pub(super) fn refresh_counts(&mut self) -> bool {
        self.counts = self.topology.metrics().is_some_and(Metrics::keeps_any);
        self.counts
    }

    /// Counts a command that ends with this error.
    #[inline]
    pub(super) fn count_failed(&mut self, command: &CommandOf<P, T>, error: &ErrorOf<P>) {
        if command.policy.metrics_flags.is_observed() {
            self.count_ended(command, error, command.ticket.is_withdrawn());
        }
    }

    /// The same for one of its callers, who may have withdrawn it.
    pub(super) fn count_ended(
        &mut self,
        command: &CommandOf<P, T>,
        error: &ErrorOf<P>,
        is_withdrawn: bool,
    ) {
        let metrics_flags = command.policy.metrics_flags;
        let metrics = self.topology.metrics().filter(|metrics| metrics.keeps_any());
        let (Some(metrics), Some(recorder)) = (metrics, &mut self.recorder) else { return };
        let ended = EndedCommand {
            about: P::about(&command.bytes, &command.target, command.rows, command.kind),
            result: if is_withdrawn { "withdrawn" } else { error.label() },
            started: command.start,
            ended: Tick::now(),
            attempts: command.attempts.count,
            bytes: (if command.attempts.count > 0 { command.bytes.len() as u64 } else { 0 }, 0),
        };
        if metrics_flags.is_sampled() {
            sample::<P, T>(metrics, command, &ended, 0);
        }
        if metrics_flags.counts() && metrics.is_on() {
            recorder.failed(metrics, error.node().unwrap_or_default(), &ended);
        }
    }

    /// Publishes what is in flight, for readers on other threads.
    #[inline]
    pub(super) fn publish(&mut self) {
        if self.waits {
            self.publish_queued();
        }
        if let Some(recorder) = &self.recorder {
            recorder.set_in_flight(self.in_flight);
        }
    }

    /// Publishes how many commands wait for a connection, until none does.
    #[cold]
    fn publish_queued(&mut self) {
        let queued: usize = self.nodes.values().map(|here| here.waiting.len()).sum();
        let queued = queued + self.line.len();
        self.waits = queued > 0;
        if let Some(recorder) = &self.recorder {
            recorder.set_queued(queued);
        }
    }
}

/// Counts what ends with this error, if commands are counted.
pub(super) fn count_failure<'a, P: Protocol>(
    topology: &P::Topology,
    recorder: &mut Option<Box<Recorder>>,
    flags: MetricsFlags,
    error: &ErrorOf<P>,
    ended: impl FnOnce() -> EndedCommand<'a>,
) {
    if !flags.counts() {
        return;
    }
    let metrics = topology.metrics().filter(|metrics| metrics.is_on());
    let (Some(metrics), Some(recorder)) = (metrics, recorder) else { return };
    recorder.failed(metrics, error.node().unwrap_or_default(), &ended());
}
