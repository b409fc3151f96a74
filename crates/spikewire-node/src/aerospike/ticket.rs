//! Tickets of Aerospike commands. A ticket completes a promise, which JavaScript knows by the
//! number of its slot.

use std::sync::Arc;

use spikewire_aerospike::admin::{AdminTicket, AdminWaiter};
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{Attempts, BatchExecution, BatchOwner, BatchTicket};
use spikewire_aerospike::transport::{Aerospike, Next, Outcome, Reply, ResponseHandler};
use spikewire_aerospike::{Error, Kind};
use spikewire_sync::Mutex;

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::transaction_stage::{EndValue, TransactionStage, TransactionStep};
use crate::environment::Environment;
use crate::js::{Env, Failure};
use crate::outbox::{self, Completes, Completion, Settle};

/// A finished call that has not been delivered to JavaScript.
pub enum CommandCompletion {
    /// A command on one record.
    Reply { slot: u32, plan: ResponsePlan, outcome: Result<OwnedReply, Error> },
    /// A command on one record that the near cache answered; the loop may get a turn first.
    Known { slot: u32, plan: ResponsePlan, reply: OwnedReply, yields: bool },
    /// Anything else.
    Value { slot: u32, value: Box<dyn Settle> },
    /// A failure.
    Failed { slot: u32, error: Error },
}

/// A reply that outlives its connection's buffer.
pub struct OwnedReply {
    body: Vec<u8>,
    node: Arc<Node>,
    attempts: Attempts,
}

impl OwnedReply {
    /// Copies a reply.
    pub fn of(reply: &Reply<'_>) -> Self {
        Self { body: reply.body.to_vec(), node: reply.node.clone(), attempts: reply.attempts }
    }

    /// The reply.
    pub fn as_reply(&self) -> Reply<'_> {
        Reply { body: &self.body, node: &self.node, attempts: self.attempts }
    }
}

impl Completion for CommandCompletion {
    fn deliver(self, env: Env<'_>, environment: &Environment) {
        match self {
            Self::Reply { slot, plan, outcome } => {
                let outcome = outcome.as_ref().map(OwnedReply::as_reply).map_err(Error::clone);
                plan.settle(env, environment, slot, outcome);
            }
            Self::Known { slot, plan, reply, yields } => {
                if yields {
                    environment.postpone(env, slot);
                }
                plan.settle(env, environment, slot, Ok(reply.as_reply()));
            }
            Self::Value { slot, value } => {
                let value = value.settle(env, environment);
                environment.settle(env, slot, value);
            }
            Self::Failed { slot, error } => {
                environment.settle(env, slot, Err(Failure::from(error)));
            }
        }
    }

    fn closed(slot: u32) -> Self {
        Self::Failed { slot, error: Error::new(Kind::Closed, "the client was closed") }
    }

    fn slot(&self) -> u32 {
        match self {
            Self::Reply { slot, .. }
            | Self::Known { slot, .. }
            | Self::Value { slot, .. }
            | Self::Failed { slot, .. } => *slot,
        }
    }
}

/// Finished calls that wait for JavaScript.
pub type Outbox = outbox::Outbox<CommandCompletion>;

/// A pledge to settle a promise.
pub type Pledge = outbox::Pledge<CommandCompletion>;

impl Pledge {
    /// Settles it with a value that is converted later.
    pub fn value(self, value: Box<dyn Settle>) {
        self.later(|slot| CommandCompletion::Value { slot, value });
    }

    /// Rejects it.
    pub fn fail(self, error: Error) {
        self.later(|slot| CommandCompletion::Failed { slot, error });
    }
}

/// The ticket of a command.
pub enum CommandTicket {
    /// A promise, and how to convert the reply.
    One { pledge: Pledge, plan: ResponsePlan },
    /// One node's part of a batch.
    Part(BatchTicket<BatchPromise>),
    /// A request of an administrative command.
    Question(AdminTicket<Self>),
}

impl std::fmt::Debug for CommandTicket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::One { .. } => "One",
            Self::Part(_) => "Part",
            Self::Question(_) => "Question",
        })
    }
}

impl ResponseHandler for CommandTicket {
    fn is_withdrawn(&self) -> bool {
        match self {
            Self::One { .. } => false,
            Self::Part(part) => part.is_withdrawn(),
            Self::Question(question) => question.is_withdrawn(),
        }
    }

    fn starts(&mut self) -> bool {
        if let Self::Question(question) = self {
            question.starts();
        }
        true
    }

    fn collect(&mut self, messages: &[u8]) {
        match self {
            Self::Part(part) => part.collect(messages),
            Self::Question(question) => question.collect(messages),
            Self::One { .. } => {}
        }
    }
}

impl From<BatchTicket<BatchPromise>> for CommandTicket {
    fn from(part: BatchTicket<BatchPromise>) -> Self {
        Self::Part(part)
    }
}

impl From<AdminTicket<Self>> for CommandTicket {
    fn from(question: AdminTicket<Self>) -> Self {
        Self::Question(question)
    }
}

impl Completes<Aerospike> for CommandTicket {
    type Completion = CommandCompletion;

    #[inline]
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_>,
        next: &mut Next<Self>,
    ) {
        match self {
            Self::One { pledge, plan } => plan.settle(env, environment, pledge.release(), outcome),
            other => other.complete_later(outcome, next),
        }
    }

    fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        match self {
            Self::One { pledge, plan } => {
                let outcome = outcome.as_ref().map(OwnedReply::of).map_err(Clone::clone);
                pledge.later(|slot| CommandCompletion::Reply { slot, plan, outcome });
            }
            Self::Part(part) => part.complete(outcome, next),
            Self::Question(question) => question.complete(outcome, next),
        }
    }
}

/// How to convert the rows of a batch.
pub trait RowPlan: Send {
    /// Takes the completed rows; returns the value for the promise.
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle>;
}

/// A batch's promise, and how to convert its rows.
pub struct BatchPromise {
    /// `None` once it is settled.
    waiting: Mutex<Option<WaitingBatch>>,
}

/// A batch that is not over.
struct WaitingBatch {
    pledge: Pledge,
    plan: Box<dyn RowPlan>,
    /// For a call of a transaction, or its end.
    stage: Option<TransactionStage>,
}

impl BatchPromise {
    /// Starts a batch; its first requests go to the returned [`Next`].
    pub fn start(
        cluster: Arc<Cluster>,
        pledge: Pledge,
        rows: Batch,
        plan: Box<dyn RowPlan>,
        stage: Option<TransactionStage>,
    ) -> Next<CommandTicket> {
        let owner = Self { waiting: Mutex::new(Some(WaitingBatch { pledge, plan, stage })) };
        let mut next = Next::default();
        BatchExecution::start(cluster, owner, rows, &mut next);
        next
    }
}

impl BatchOwner for BatchPromise {
    type Ticket = CommandTicket;

    fn window_done(&self, rows: Batch) -> Option<Batch> {
        let WaitingBatch { pledge, plan, stage } = self.waiting.lock().take()?;
        let Some(mut stage) = stage else {
            pledge.value(plan.rows_done(rows));
            return None;
        };
        match stage.next(rows) {
            TransactionStep::Send(rows) => {
                *self.waiting.lock() = Some(WaitingBatch { pledge, plan, stage: Some(stage) });
                return Some(rows);
            }
            TransactionStep::Rows(rows) => pledge.value(plan.rows_done(rows)),
            TransactionStep::Ended(outcome) => pledge.value(Box::new(EndValue(outcome))),
        }
        None
    }
}

/// The promise of an administrative command.
pub struct AdminPromise(Mutex<Option<Pledge>>);

impl AdminPromise {
    /// A promise that is settled when the command is done.
    pub fn new(pledge: Pledge) -> Self {
        // The slot may have been cancelled for an earlier command after that was done.
        pledge.clear_cancelled();
        Self(Mutex::new(Some(pledge)))
    }
}

impl<T: Settle + 'static> AdminWaiter<T> for AdminPromise {
    fn done(&self, outcome: spikewire_aerospike::Result<T>) {
        let Some(pledge) = self.0.lock().take() else { return };
        match outcome {
            Ok(value) => pledge.value(Box::new(value)),
            Err(error) => pledge.fail(error),
        }
    }

    fn is_gone(&self) -> bool {
        let waiting = self.0.lock();
        waiting.as_ref().is_some_and(Pledge::is_cancelled)
    }
}
