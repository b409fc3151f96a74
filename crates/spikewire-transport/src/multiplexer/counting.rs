//! Counting commands as they end, while that is asked for.

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::CommandError as _;
use crate::metrics::{Ended, Keeps, Metrics, Recorder, Stage};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol, ReplyKind};
use crate::topology::{Endpoint as _, Topology};

/// What counts the commands that a read completes.
pub(super) struct Counting<'a> {
    metrics: &'a Metrics,
    recorder: &'a mut Recorder,
    /// Whether stages are timed, and when the one before this ended.
    timed: bool,
    at: Option<Tick>,
    /// Whether one is about to be handed over.
    hands: bool,
}

impl<'a> Counting<'a> {
    /// Counts what a read completes.
    pub fn begin(
        topology: &'a impl Topology,
        recorder: &'a mut Option<Box<Recorder>>,
    ) -> Option<Self> {
        let metrics = topology.metrics()?;
        let (recorder, timed) = (recorder.as_deref_mut()?, metrics.times_stages());
        Some(Self { metrics, recorder, timed, at: None, hands: false })
    }

    /// Whether stages are timed.
    pub fn is_timed(&self) -> bool {
        self.timed
    }

    /// A reply is about to be handed over, while stages are timed.
    #[cold]
    pub fn begins(&mut self, started: Tick, written: Option<Tick>, came: Tick) {
        // What was written before stages were timed is left out.
        let Some(written) = written else { return };
        let at = *self.at.get_or_insert_with(Tick::now);
        self.recorder.stage(Stage::Queue, written.since(started));
        self.recorder.stage(Stage::Wire, came.since(written));
        self.recorder.stage(Stage::Turn, at.since(came));
        self.hands = true;
    }

    /// When the reply is handed over that is, while stages are timed.
    pub fn handed_at(&self) -> Option<Tick> {
        self.at.filter(|_| self.hands)
    }

    /// It was handed over.
    #[cold]
    pub fn delivered(&mut self) {
        let Some(before) = self.at.filter(|_| std::mem::take(&mut self.hands)) else { return };
        let now = Tick::now();
        self.recorder.stage(Stage::Deliver, now.since(before));
        self.at = Some(now);
    }

    /// Counts a command that got this answer, if that ends it.
    #[inline(never)]
    pub fn answered<P: Protocol, T>(
        &mut self,
        command: &CommandOf<P, T>,
        body: &[u8],
        outcome: ReplyKind,
        node: &NodeOf<P>,
        now: Tick,
    ) {
        // The others are tried again, or go on as another command.
        if outcome != ReplyKind::Done || !command.policy.keeps.counts() {
            return;
        }
        let ended = Ended {
            about: P::about(&command.bytes, &command.target, command.rows),
            result: P::result(body),
            started: command.start,
            ended: now,
            attempts: command.attempts.made,
        };
        self.recorder.answered(self.metrics, (node.key(), node), &ended);
    }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Takes note of what is kept of a command that begins, which is decided here where its host did
    /// not.
    #[inline(always)]
    pub(super) fn notes(&mut self, command: &mut CommandOf<P, T>) {
        let keeps = &mut command.policy.keeps;
        if keeps.is_undecided() {
            *keeps = self.topology.metrics().map_or(Keeps::NOTHING, Metrics::keeps);
        }
        self.counts |= keeps.counts();
    }

    /// Whether commands are counted still, where some were to be.
    #[cold]
    pub(super) fn still_counts(&mut self) -> bool {
        self.counts = self.topology.metrics().is_some_and(Metrics::is_on);
        self.counts
    }

    /// Counts a command that ends with this error.
    #[inline]
    pub(super) fn count_failed(&mut self, command: &CommandOf<P, T>, error: &ErrorOf<P>) {
        if !command.policy.keeps.counts() {
            return;
        }
        let metrics = self.topology.metrics().filter(|metrics| metrics.is_on());
        let (Some(metrics), Some(recorder)) = (metrics, &mut self.recorder) else { return };
        let withdrawn = command.ticket.is_withdrawn();
        let ended = Ended {
            about: P::about(&command.bytes, &command.target, command.rows),
            result: if withdrawn { "withdrawn" } else { error.label() },
            started: command.start,
            ended: Tick::now(),
            attempts: command.attempts.made,
        };
        recorder.failed(metrics, error.node().unwrap_or_default(), &ended);
    }

    /// Says what is under way, for readers on other threads.
    #[inline]
    pub(super) fn tell(&mut self) {
        if self.waits {
            self.tell_queued();
        }
        if let Some(recorder) = &self.recorder {
            recorder.tell(self.in_flight);
        }
    }

    #[cold]
    fn tell_queued(&mut self) {
        let queued: usize = self.nodes.values().map(|here| here.waiting.len()).sum();
        let queued = queued + self.line.len();
        self.waits = queued > 0;
        if let Some(recorder) = &self.recorder {
            recorder.tell_queued(queued);
        }
    }
}
