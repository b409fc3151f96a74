//! Commands on one record that are sent as a batch of one row.

use spikewire_aerospike::command::Attempts;
use spikewire_aerospike::command::batch::{Batch, RowOutcome};
use spikewire_aerospike::transport::Reply;

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::ticket::RowPlan;
use crate::aerospike::value::decode::Decoder;
use crate::environment::Environment;
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;

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
