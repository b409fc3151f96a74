//! The batches of a transaction, and what comes of its end.

use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::transaction::{EndOutcome, Ending, Step, Steps as _, TransactionCall};

use crate::environment::Environment;
use crate::errors::{of_class, of_engine};
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;

/// The batches of a transaction that are sent one after the other.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "most are calls, and each is moved a few times")]
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

/// What came of a commit or an abort: how it ended, or its error, at which part that is, and the
/// errors of records, each with its namespace, its set and its digest.
pub struct EndValue(pub EndOutcome);

impl Settle for EndValue {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let failure = match self.0 {
            Ok(status) => return env.string(status.name()),
            Err(failure) => failure,
        };
        let hooks = environment.hooks()?;
        let error = of_class(env, hooks, "CommitFailed", &failure.error)?;
        let part = env.string(failure.part.map_or("", |part| part.name()))?;
        let records = failure.records.iter().map(|record| {
            let (namespace, set) = record.names();
            let error = of_engine(env, hooks, &record.error)?;
            let (namespace, set) = (env.string(namespace)?, env.string(set)?);
            let digest = env.buffer(&record.digest.0)?;
            env.array_of([error, namespace, set, digest].into_iter().map(Ok))
        });
        let records = env.array_of(records)?;
        env.array_of([error, part, records].into_iter().map(Ok))
    }
}
