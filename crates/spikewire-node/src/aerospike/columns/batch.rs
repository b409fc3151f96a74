//! The records of a batch as one table.

use spikewire_aerospike::command::batch::{Batch, RowCommand};
use spikewire_aerospike_protocol::key::UserKey;
use spikewire_columns::arrow::TableBuilder;
use spikewire_columns::{RowError, WireValue};

use super::{parts, schema};
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::many::gather::{OWN, Rows};
use crate::aerospike::ticket::RowPlan;
use crate::binding::Call;
use crate::environment::Environment;
use crate::errors;
use crate::js::{Env, Failure, Result, Value};
use crate::outbox::Settle;
use crate::tables::failure::{column_failure, row_failure};

/// The table to fill from a batch; it already has the keys.
struct TableRequest {
    table: TableBuilder,
    /// Whether failed rows become nulls instead of an error.
    lenient: bool,
    as_stream: bool,
}

/// A completed batch and the table to fill from it.
struct TableBatch {
    rows: Batch,
    request: TableRequest,
}

impl RowPlan for TableRequest {
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle> {
        Box::new(TableBatch { rows, request: *self })
    }
}

impl Settle for TableBatch {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let Self { rows, request: TableRequest { mut table, lenient, as_stream } } = *self;
        match table.fill(rows.all_contents(), lenient) {
            Ok(()) => {}
            Err(RowError::Failed(row)) => {
                let error = errors::of_engine(env, environment.hooks()?, &rows.failure(row))?;
                let (row, none) = (env.uint32(row as u32)?, env.undefined()?);
                return env.array_of([row, none, error].into_iter().map(Ok));
            }
            Err(error) => return Err(row_failure(error)),
        }
        let records = table.finish(rows.len());
        let records = records.map_err(|error| Failure::of_range(error.to_string()))?;
        if as_stream { parts::stream(env, &records) } else { parts::table(env, &records) }
    }
}

/// `getColumns(…, bins, options, schema, key, generation, ttl, lenient, asStream)`: many records as
/// one table, as its parts or as an Arrow IPC stream. If a row failed: an array of its number,
/// `undefined`, and its error.
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let own = |at| call.argument(OWN + at);
    let options = Options::new(own(1));
    let mut rows = Rows::of(call)?.within(&options)?;
    let bins = arguments::bins(own(0))?;
    let options = arguments::read_options(&options)?;
    let requested = own(2).present().map(schema::schema).transpose()?;
    let extra = schema::extra(own(3), own(4), own(5))?;
    let mut table = TableBuilder::new(requested, &extra, false, None).map_err(column_failure)?;
    let command = RowCommand::get(&rows.client.defaults, &options, bins)?;
    rows.alike(&command)?;
    if table.wants_keys() {
        rows.each_key(|row, user| {
            let value = user.map(|user| match user {
                UserKey::Int(int) => WireValue::Int(int),
                UserKey::Str(text) => WireValue::Text(text.as_bytes()),
                UserKey::Bytes(bytes) => WireValue::Bytes(bytes),
            });
            table.push_key(value.as_ref(), row as usize).map_err(row_failure)
        })?;
    }
    let flag = |at| own(at).boolean().unwrap_or_default();
    let request = TableRequest { table, lenient: flag(6), as_stream: flag(7) };
    rows.send_for(command.spec.policy, Box::new(request))?;
    Ok(None)
}
