//! Transactions. Datasets of one pass its number where others pass that of their client.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use spikewire_aerospike::Error;
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::transaction::{
    EndingPart, Failure, Outsider, Retries, RetryOptions, Step, Transaction, TransactionOptions,
};

use crate::aerospike::client::{Client, ClientTransaction};
use crate::aerospike::ticket::{BatchPromise, RowPlan};
use crate::aerospike::transaction_stage::{EndValue, TransactionStage};
use crate::arguments::{OptionArgument, span, text};
use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::js::{Result, Value};
use crate::outbox::Settle;

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

/// `transactionEnd(transaction, slot, how)`: "commit", "abort", or the end of a block that has
/// "succeeded" or "failed".
pub fn end<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let bound = ClientTransaction::of(call)?;
    let slot = call.index(1)?;
    let transaction = &bound.transaction;
    let begun = match &*text("how", call.argument(2))? {
        "commit" => transaction.commit(),
        "abort" => transaction.abort(),
        how => transaction.end_block(how == "succeeded"),
    };
    let (ending, first) = begun?;
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

/// How often a function is called again, and after which pauses.
struct RunningRetries(RefCell<Retries>);

impl Resource for RunningRetries {}

/// `transactionRetries(attempts, limit)`: the number of new retries.
pub fn retries<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let argument = |index| call.argument(index).present().map(OptionArgument);
    let options = RetryOptions::of(argument(0).as_ref(), argument(1).as_ref())?;
    let retries = Retries::new(options, Instant::now())?;
    let resource = Rc::new(RunningRetries(RefCell::new(retries)));
    call.env.uint32(call.host.environment.resources.add(resource)).map(Some)
}

/// `transactionPause(retries, code, part, inDoubt)`: milliseconds until the next attempt after an
/// error; `undefined` if there is none.
pub fn pause<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let retries = call.host.environment.resources.get::<RunningRetries>(call.index(0)?)?;
    let part = call.argument(2).present().map(|part| text("part", part)).transpose()?;
    let failure = Failure {
        code: call.argument(1).number().unwrap_or_default() as i32,
        part: part.and_then(|part| EndingPart::named(&part)),
        in_doubt: call.argument(3).boolean().unwrap_or_default(),
    };
    let pause = retries.0.borrow_mut().pause(&failure, Instant::now());
    pause.map(|pause| call.env.number(pause.as_secs_f64() * 1000.0)).transpose()
}

/// `transactionOutside(what)`: throws the error for what is no part of transactions.
pub fn outside<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let what = Outsider::named(&text("what", call.argument(0))?).unwrap_or(Outsider::Query);
    Err(what.error().into())
}

/// `transactionRelease(resource)`: of a transaction, or of retries.
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
