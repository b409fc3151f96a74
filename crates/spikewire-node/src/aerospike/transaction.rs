//! Transactions. Datasets of one pass its number where others pass that of their client.

use std::rc::Rc;

use spikewire_aerospike::Error;
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::transaction::{Step, Transaction, TransactionOptions};

use crate::aerospike::client::{Client, ClientTransaction};
use crate::aerospike::ticket::{BatchPromise, RowPlan};
use crate::aerospike::transaction_stage::{EndValue, TransactionStage};
use crate::arguments::span;
use crate::binding::Call;
use crate::js::{Failure, Result, Value};
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
