//! What a command's outcome completes: a promise, which JavaScript knows by the number of its slot.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spikewire_aerospike::admin::{AdminTicket, AdminWaiter};
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{Attempts, BatchExecution, BatchOwner, BatchTicket};
use spikewire_aerospike::transport::{Next, Outcome, Reply, ResponseHandler};
use spikewire_aerospike::{Error, Kind};
use spikewire_sync::Mutex;

use crate::call::ResponsePlan;
use crate::environment::Environment;
use crate::js::{Env, Result, Value};

/// What becomes of something that is over, on the environment's own thread.
pub trait Settle: Send {
    /// The value of the promise.
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>>;
}

/// What is over and has not been handed to JavaScript.
pub enum Finished {
    /// A command on one record.
    Reply { slot: u32, plan: ResponsePlan, outcome: std::result::Result<OwnedReply, Error> },
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

/// Where what is over waits for JavaScript, and how many calls are not over yet.
#[derive(Default)]
pub struct Outbox {
    finished: Mutex<Vec<Finished>>,
    pending: AtomicU32,
    /// Administrative commands that are not waited for any more.
    given_up: Mutex<Vec<u32>>,
}

impl std::fmt::Debug for Outbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbox").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl Outbox {
    /// Puts something in; from any thread.
    pub fn put(&self, finished: Finished) {
        self.finished.lock().push(finished);
    }

    /// Takes everything out.
    pub fn take(&self) -> Vec<Finished> {
        std::mem::take(&mut *self.finished.lock())
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.finished.lock().is_empty()
    }

    /// An administrative command is not waited for any more.
    pub fn give_up(&self, slot: u32) {
        self.given_up.lock().push(slot);
    }

    /// Calls that are not over.
    pub fn pending(&self) -> u32 {
        self.pending.load(Relaxed)
    }
}

/// A promise that is to be settled. One that is dropped instead, because a driver ended before its
/// commands did, fails as closed.
#[derive(Debug)]
pub struct Pledge {
    slot: u32,
    outbox: Arc<Outbox>,
    is_kept: bool,
}

impl Pledge {
    /// The promise of this slot.
    #[inline]
    pub fn new(slot: u32, outbox: &Arc<Outbox>) -> Self {
        outbox.pending.fetch_add(1, Relaxed);
        Self { slot, outbox: outbox.clone(), is_kept: false }
    }

    /// Its slot, which is settled by the caller.
    #[inline]
    pub fn keep(mut self) -> u32 {
        self.is_kept = true;
        self.slot
    }

    /// Settles it with a value that is made later.
    pub fn value(self, value: Box<dyn Settle>) {
        let outbox = self.outbox.clone();
        outbox.put(Finished::Value { slot: self.keep(), value });
    }

    /// Fails it.
    pub fn fail(self, error: Error) {
        let outbox = self.outbox.clone();
        outbox.put(Finished::Failed { slot: self.keep(), error });
    }
}

impl Drop for Pledge {
    fn drop(&mut self) {
        self.outbox.pending.fetch_sub(1, Relaxed);
        if !self.is_kept {
            let error = Error::new(Kind::Closed, "the client was closed");
            self.outbox.put(Finished::Failed { slot: self.slot, error });
        }
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

impl Ticket {
    /// Completes what no JavaScript value can be made for at this time or on this thread.
    pub fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        match self {
            Self::One { pledge, plan } => {
                let outcome = outcome.as_ref().map(OwnedReply::of).map_err(Clone::clone);
                let outbox = pledge.outbox.clone();
                outbox.put(Finished::Reply { slot: pledge.keep(), plan, outcome });
            }
            Self::Part(part) => part.complete(outcome, next),
            Self::Question(question) => question.complete(outcome, next),
        }
    }
}

/// What a batch's rows become; or its next rows, for a batch in several parts.
pub trait RowPlan: Send {
    /// Takes rows that are through. Gives those of the next part, or what the promise becomes.
    fn rows_done(self: Box<Self>, rows: Batch) -> RowsDone;
}

/// What comes after rows that are through.
pub enum RowsDone {
    /// More rows.
    More(Batch, Box<dyn RowPlan>),
    /// The end.
    Over(Box<dyn Settle>),
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
        match plan.rows_done(rows) {
            RowsDone::More(rows, plan) => {
                *self.waiting.lock() = Some((pledge, plan));
                Some(rows)
            }
            RowsDone::Over(value) => {
                pledge.value(value);
                None
            }
        }
    }
}

/// The promise of an administrative command.
pub struct AdminPromise(Mutex<Option<Pledge>>);

impl AdminPromise {
    /// Settled when the command is over.
    pub fn new(pledge: Pledge) -> Self {
        // The slot may have been another's, which was given up when it was over.
        pledge.outbox.given_up.lock().retain(|slot| *slot != pledge.slot);
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
        waiting.as_ref().is_some_and(|it| it.outbox.given_up.lock().contains(&it.slot))
    }
}
