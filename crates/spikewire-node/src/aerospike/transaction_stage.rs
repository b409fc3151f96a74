//! The batches of a transaction, and what comes of its end.

use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::transaction::{EndOutcome, Ending, Step, Steps as _, TransactionCall};

use crate::environment::Environment;
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;

/// The batches of a transaction that are sent one after the other.
#[derive(Debug)]
pub enum TransactionStage {
    /// A call of it.
    Call(TransactionCall),
    /// Commit or abort.
    Ending(Ending),
}

/// What follows after a batch.
pub enum TransactionStep {
    /// Another one.
    Send(Batch),
    /// Nothing: these are the rows of the call.
    Rows(Batch),
    /// Nothing: this came of the end.
    Ended(EndOutcome),
}

impl TransactionStage {
    /// What follows.
    pub fn next(&mut self, rows: Batch) -> TransactionStep {
        match self {
            Self::Call(call) => match call.next(rows) {
                Step::Send(rows) => TransactionStep::Send(rows),
                Step::Done(rows) => TransactionStep::Rows(rows),
            },
            Self::Ending(ending) => match ending.next(rows) {
                Step::Send(rows) => TransactionStep::Send(rows),
                Step::Done(outcome) => TransactionStep::Ended(outcome),
            },
        }
    }
}

/// What came of a commit or an abort: how it ended, or its error and at which part that is.
pub struct EndValue(pub EndOutcome);

impl Settle for EndValue {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let failure = match self.0 {
            Ok(status) => return env.string(status.name()),
            Err(failure) => failure,
        };
        let error = &failure.error;
        let node = error.node().map_or_else(|| env.null(), |node| env.string(node))?;
        let arguments = [
            env.string("CommitFailed")?,
            env.int32(error.kind().code())?,
            env.string(error.message())?,
            node,
            env.uint32(error.attempts())?,
            env.boolean(error.in_doubt())?,
        ];
        let error = environment.hooks()?.make_error.call(env, &arguments)?;
        let part = env.string(failure.part.map_or("", |part| part.name()))?;
        env.array_of([Ok(error), Ok(part)].into_iter())
    }
}
