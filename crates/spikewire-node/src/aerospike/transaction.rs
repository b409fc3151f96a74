//! Transactions. Datasets of one pass its number where others pass that of their client.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::Error;
use spikewire_aerospike::command::Attempts;
use spikewire_aerospike::command::batch::{Batch, RowOutcome};
use spikewire_aerospike::transaction::{
    EndOutcome, Ending, Step, Steps as _, Transaction, TransactionCall, TransactionOptions,
};
use spikewire_aerospike::transport::Reply;

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::client::Client;
use crate::aerospike::ticket::{BatchPromise, RowPlan};
use crate::aerospike::value::decode::Decoder;
use crate::arguments::span;
use crate::binding::Call;
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::{Env, Failure, Result, Value};
use crate::outbox::Settle;

/// A transaction of a client.
#[derive(Debug)]
pub struct ClientTransaction {
    pub client: Rc<Client>,
    pub transaction: Arc<Transaction>,
}

impl Resource for ClientTransaction {}

impl ClientTransaction {
    fn of(call: &Call<'_>) -> Result<Rc<Self>> {
        call.host.environment.resources.get(call.index(0)?)
    }
}

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

/// How to convert the reply to a command on one record, whose batch has one row.
pub struct SingleRow(pub ResponsePlan);

impl RowPlan for SingleRow {
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle> {
        Box::new(SingleOutcome { rows, plan: self.0 })
    }
}

struct SingleOutcome {
    rows: Batch,
    plan: ResponsePlan,
}

impl Settle for SingleOutcome {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let Self { rows, plan } = *self;
        let failed = matches!(rows.outcome(0), RowOutcome::Failed | RowOutcome::Late);
        let Some((body, node)) = rows.reply_of(0).filter(|_| !failed || !rows.is_in_doubt(0))
        else {
            return Err(rows.failure(0).into());
        };
        let decoder = Decoder::new(env, environment, plan.decode_options)?;
        let reply = Reply { body, node, attempts: Attempts::default() };
        match plan.value(&decoder, &environment.factories, &reply)? {
            Some(value) => Ok(value),
            None => env.undefined(),
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

/// `transactionBegin(client, timeout)`: the number of a new transaction.
pub fn begin<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let mut options = TransactionOptions::default();
    if let Some(timeout) = call.argument(1).present() {
        options = options.with_timeout(span("timeout", timeout)?)?;
    }
    let transaction = Transaction::begin(options);
    let resource = Rc::new(ClientTransaction { client, transaction });
    call.env.uint32(call.host.environment.resources.add(resource)).map(Some)
}

/// `transactionFacts(transaction)`: its id in hexadecimal digits, its state, and its namespace or
/// an empty string.
pub fn facts<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let transaction = &ClientTransaction::of(call)?.transaction;
    let namespace = transaction.namespace().unwrap_or_default();
    let id = format!("{:x}", transaction.id());
    let facts = [&*id, transaction.state().name(), &*namespace];
    call.env.array_of(facts.iter().map(|text| call.env.string(text))).map(Some)
}

/// `transactionEnd(transaction, slot, commit)`
pub fn end<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let bound = ClientTransaction::of(call)?;
    let slot = call.index(1)?;
    let commits = call.argument(2).boolean().unwrap_or_default();
    let transaction = &bound.transaction;
    let begun = if commits { transaction.commit() } else { transaction.abort() };
    let (ending, first) = begun.map_err(Failure::from)?;
    let client = &bound.client;
    let pledge = client.pledge(slot);
    match first {
        Step::Done(outcome) => {
            pledge.value(Box::new(EndValue(outcome)));
            client.driver.deliver_now(call.env);
        }
        Step::Send(rows) => {
            let stage = TransactionStage::Ending(ending);
            let plan = Box::new(NoRows);
            let cluster = client.cluster.clone();
            let next = BatchPromise::start(cluster, pledge, rows, plan, Some(stage));
            client.driver.submit_all(call.env, next);
        }
    }
    Ok(None)
}

/// `transactionRelease(transaction)`
pub fn release<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.host.environment.resources.remove(call.index(0)?);
    Ok(None)
}

/// The end of a transaction has no rows.
struct NoRows;

impl RowPlan for NoRows {
    fn rows_done(self: Box<Self>, _: Batch) -> Box<dyn Settle> {
        Box::new(EndValue(Err(Box::new(Error::closed().into()))))
    }
}
