//! What a command's outcome completes: a promise, which JavaScript knows by the number of its slot.

use std::sync::Arc;

use spikewire_aerospike::admin::{AdminTicket, AdminWaiter};
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{Attempts, BatchExecution, BatchOwner, BatchTicket};
use spikewire_aerospike::transport::{Aerospike, Next, Outcome, Reply, ResponseHandler};
use spikewire_aerospike::{Error, Kind};
use spikewire_sync::Mutex;

use crate::call::{ResponsePlan, settle};
use crate::environment::Environment;
use crate::js::{Env, Failure};
use crate::outbox::{self, Completes, Finish, Settle};

/// What is over and has not been handed to JavaScript.
pub enum Finished {
    /// A command on one record.
    Reply { slot: u32, plan: ResponsePlan, outcome: Result<OwnedReply, Error> },
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
    /// A copy.
    pub fn of(reply: &Reply<'_>) -> Self {
        Self { body: reply.body.to_vec(), node: reply.node.clone(), attempts: reply.attempts }
    }

    /// The reply.
    pub fn as_reply(&self) -> Reply<'_> {
        Reply { body: &self.body, node: &self.node, attempts: self.attempts }
    }
}

impl Finish for Finished {
    fn hand_over(self, env: Env<'_>, environment: &Environment) {
        match self {
            Self::Reply { slot, plan, outcome } => {
                let outcome = outcome.as_ref().map(OwnedReply::as_reply).map_err(Error::clone);
                plan.settle(env, environment, slot, outcome);
            }
            Self::Value { slot, value } => {
                let value = value.settle(env, environment);
                settle(env, environment, slot, value);
            }
            Self::Failed { slot, error } => {
                settle(env, environment, slot, Err(Failure::from(error)));
            }
        }
    }

    fn closed(slot: u32) -> Self {
        Self::Failed { slot, error: Error::new(Kind::Closed, "the client was closed") }
    }
}

/// Where what is over waits for JavaScript.
pub type Outbox = outbox::Outbox<Finished>;

/// A promise that is to be settled.
pub type Pledge = outbox::Pledge<Finished>;

impl Pledge {
    /// Settles it with a value that is made later.
    pub fn value(self, value: Box<dyn Settle>) {
        self.later(|slot| Finished::Value { slot, value });
    }

    /// Fails it.
    pub fn fail(self, error: Error) {
        self.later(|slot| Finished::Failed { slot, error });
    }
}

/// What a command's outcome completes.
pub enum Ticket {
    /// A promise and what its reply becomes.
    One { pledge: Pledge, plan: ResponsePlan },
    /// One node's rows of a batch.
    Part(BatchTicket<Owner>),
    /// A question of an administrative command.
    Question(AdminTicket<Self>),
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::One { .. } => "One",
            Self::Part(_) => "Part",
            Self::Question(_) => "Question",
        })
    }
}

impl ResponseHandler for Ticket {
    fn is_withdrawn(&self) -> bool {
        matches!(self, Self::Question(question) if question.is_withdrawn())
    }

    fn collect(&mut self, messages: &[u8]) {
        if let Self::Part(part) = self {
            part.collect(messages);
        }
    }
}

impl From<BatchTicket<Owner>> for Ticket {
    fn from(part: BatchTicket<Owner>) -> Self {
        Self::Part(part)
    }
}

impl From<AdminTicket<Self>> for Ticket {
    fn from(question: AdminTicket<Self>) -> Self {
        Self::Question(question)
    }
}

impl Completes<Aerospike> for Ticket {
    type Finished = Finished;

    #[inline]
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_>,
        next: &mut Next<Self>,
    ) {
        match self {
            Self::One { pledge, plan } => plan.settle(env, environment, pledge.keep(), outcome),
            other => other.complete_later(outcome, next),
        }
    }

    fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        match self {
            Self::One { pledge, plan } => {
                let outcome = outcome.as_ref().map(OwnedReply::of).map_err(Clone::clone);
                pledge.later(|slot| Finished::Reply { slot, plan, outcome });
            }
            Self::Part(part) => part.complete(outcome, next),
            Self::Question(question) => question.complete(outcome, next),
        }
    }
}

/// What a batch's rows become.
pub trait RowPlan: Send {
    /// Takes rows that are through; what the promise becomes.
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle>;
}

/// A batch's promise, and what becomes of the rows.
pub struct Owner {
    /// Until it is settled.
    waiting: Mutex<Option<(Pledge, Box<dyn RowPlan>)>>,
}

impl Owner {
    /// Starts a batch; what it sends first goes to `next`.
    pub fn start(
        cluster: Arc<Cluster>,
        pledge: Pledge,
        rows: Batch,
        plan: Box<dyn RowPlan>,
    ) -> Next<Ticket> {
        let owner = Self { waiting: Mutex::new(Some((pledge, plan))) };
        let mut next = Next::default();
        BatchExecution::start(cluster, owner, rows, &mut next);
        next
    }
}

impl BatchOwner for Owner {
    type Ticket = Ticket;

    fn window_done(&self, rows: Batch) -> Option<Batch> {
        let (pledge, plan) = self.waiting.lock().take()?;
        pledge.value(plan.rows_done(rows));
        None
    }
}

/// The promise of an administrative command.
pub struct AdminPromise(Mutex<Option<Pledge>>);

impl AdminPromise {
    /// Settled when the command is over.
    pub fn new(pledge: Pledge) -> Self {
        // The slot may have been another's, which was given up when it was over.
        pledge.want();
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
        waiting.as_ref().is_some_and(Pledge::is_given_up)
    }
}
