//! Tickets of a driver: a statement in flight, or a copy of one, with what waits for its answer.

use spikewire_transport::native::Ticket as CompletesOnThread;
use spikewire_transport::{ResponseHandler, Tick};

use crate::connection::{Cassandra, Command, Next, Outcome};
use crate::error::Result;
use crate::execution::{Answer, Draft, Execution, ExecutionAction};
use crate::session::Call;
use crate::speculation::Share;

/// What waits for a statement's answer. The copies of a statement share it.
pub trait AnswerWaiter {
    /// Whether a request should still be sent; `follows` says that it belongs to a further copy.
    fn starts(&self, follows: bool) -> bool {
        let _ = follows;
        true
    }

    /// A reply is about to be delivered, while stages are timed.
    fn answered_at(&mut self, at: Tick) {
        let _ = at;
    }

    /// Whether it has stopped waiting.
    fn is_withdrawn(&self) -> bool {
        false
    }
}

/// Takes the answer on a thread that drives the connections, without touching host objects.
pub trait AnswerReceiver: AnswerWaiter + Send + 'static {
    /// Takes the answer, once; `body` is the reply that led to it, if there was one.
    fn take(&mut self, answer: Result<Answer<'_>>, body: &[u8]);
}

/// A statement in flight on a driver.
#[derive(Debug)]
pub struct Ticket<W> {
    waiting: Share<W>,
    execution: Box<Execution>,
}

/// What follows an outcome.
enum TicketStep {
    Follow(Call),
    Send(Draft),
    Pause(Tick),
}

impl<W> Ticket<W> {
    /// The command that carries a call.
    #[inline]
    pub fn command(call: Call, now: Tick, waiting: W) -> Box<Command<Self>> {
        let Call { bytes, target, policy, execution, .. } = call;
        let ticket = Self { waiting: Share::Own(waiting), execution };
        Draft { bytes, target, policy, deadline: None }.into_command(now, ticket)
    }

    /// Calls `look` with what waits, unless another copy has taken it or is at it.
    pub fn look_at(&self, look: impl FnOnce(&W)) {
        self.waiting.look(look);
    }

    /// Takes an outcome. If that is the answer, `take` gets it together with what waits, and
    /// returns the next call; without one, what waits is dropped. Other follow-up work goes into
    /// `next`.
    #[inline]
    pub fn on_outcome(
        mut self,
        outcome: Outcome<'_>,
        next: &mut Next<Self>,
        take: impl FnOnce(&mut W, Result<Answer<'_>>) -> Option<Call>,
    ) {
        let step = match self.execution.on_outcome(outcome) {
            ExecutionAction::Done(answer) => {
                let Some(waiting) = self.waiting.take() else { return };
                let Some(call) = take(waiting, answer) else { return };
                TicketStep::Follow(call)
            }
            ExecutionAction::Send(draft) => TicketStep::Send(draft),
            ExecutionAction::Pause(at) => TicketStep::Pause(at),
            ExecutionAction::Left => return,
        };
        match step {
            TicketStep::Follow(call) => {
                let Some(waiting) = self.waiting.into_own() else { return };
                next.commands.push(Self::command(call, Tick::now(), waiting));
            }
            TicketStep::Send(draft) => next.commands.push(draft.into_command(Tick::now(), self)),
            TicketStep::Pause(at) => next.pauses.push((at, self)),
        }
    }
}

impl<W: AnswerWaiter> ResponseHandler for Ticket<W> {
    fn starts(&mut self) -> bool {
        let follows = self.execution.follows();
        !self.execution.is_left()
            && !self.execution.waits()
            && self.waiting.ask(|waiting| waiting.starts(follows)).unwrap_or(false)
    }

    fn is_superseded(&self) -> bool {
        self.execution.is_left()
    }

    fn is_withdrawn(&self) -> bool {
        self.execution.is_left() || self.waiting.ask(W::is_withdrawn).unwrap_or(true)
    }

    fn ticket_for_copy(&mut self) -> Option<Self> {
        let execution = self.execution.copy()?;
        Some(Self { waiting: self.waiting.share(), execution })
    }

    fn answered_at(&mut self, at: Tick) {
        self.waiting.update(|waiting| waiting.answered_at(at));
    }

    fn returned(&mut self, request: Vec<u8>) {
        self.execution.returned(request);
    }
}

impl<W: AnswerReceiver> CompletesOnThread<Cassandra> for Ticket<W> {
    fn complete(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let body = outcome.as_ref().map_or(&[][..], |reply| reply.body);
        self.on_outcome(outcome, next, |waiting, answer| {
            waiting.take(answer, body);
            None
        });
    }
}
