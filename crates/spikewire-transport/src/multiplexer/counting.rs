//! Counting commands as they end, while that is asked for.

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::CommandError as _;
use crate::metrics::{Ended, Metrics, Recorder};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol, ReplyKind};
use crate::topology::{Endpoint as _, Topology};

/// What counts the commands that a read completes.
pub(super) struct Counting<'a> {
    metrics: &'a Metrics,
    recorder: &'a mut Recorder,
}

impl<'a> Counting<'a> {
    /// Nothing while commands are not counted, which one load tells for all of a read.
    #[inline(always)]
    pub fn begin(
        topology: &'a impl Topology,
        recorder: &'a mut Option<Box<Recorder>>,
    ) -> Option<Self> {
        let metrics = topology.metrics().filter(|metrics| metrics.is_on())?;
        recorder.as_deref_mut().map(|recorder| Self { metrics, recorder })
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
        if outcome != ReplyKind::Done {
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
    /// Counts a command that ends with this error.
    #[inline]
    pub(super) fn count_failed(&mut self, command: &CommandOf<P, T>, error: &ErrorOf<P>) {
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
    pub(super) fn tell(&self) {
        if let Some(recorder) = &self.recorder {
            let queued = self.nodes.values().map(|here| here.waiting.len()).sum();
            recorder.tell(self.in_flight, Some(queued));
        }
    }

    /// The same where only replies have come.
    pub(super) fn tell_in_flight(&self) {
        if let Some(recorder) = &self.recorder {
            recorder.tell(self.in_flight, None);
        }
    }
}
