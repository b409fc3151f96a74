//! The records of a batch as one table.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use spikewire_aerospike::command::batch::{Batch, RowOutcome};
use spikewire_aerospike::command::{CommandSpec, Operations};
use spikewire_aerospike_protocol::message::Walk;
use spikewire_columns::ExtraColumns;
use spikewire_columns::arrow::TableBuilder;

use super::failure::{bad_row, malformed, refused};
use super::{parts, schema};
use crate::arguments::{self, Options};
use crate::binding::Call;
use crate::environment::Environment;
use crate::js::{Env, Failure, Result, Value};
use crate::many::gather::{OWN, Rows};
use crate::ticket::{RowPlan, RowsDone, Settle};

/// The table that a batch becomes.
struct Wish {
    schema: Option<SchemaRef>,
    extra: ExtraColumns,
    as_stream: bool,
}

/// Rows that are through, and the table that they become.
struct Read {
    rows: Batch,
    wish: Wish,
}

impl RowPlan for Wish {
    fn rows_done(self: Box<Self>, rows: Batch) -> RowsDone {
        RowsDone::Over(Box::new(Read { rows, wish: *self }))
    }
}

impl Settle for Read {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, _: &Environment) -> Result<Value<'e>> {
        let table = self.table()?;
        if self.wish.as_stream { parts::stream(env, &table) } else { parts::table(env, &table) }
    }
}

impl Wish {
    fn builder(&self) -> Result<TableBuilder> {
        TableBuilder::new(self.schema.clone(), &self.extra, false, None).map_err(refused)
    }
}

impl Read {
    /// A row for each key: of nulls where there is no record. The first row that failed is the
    /// failure of the whole.
    fn table(&self) -> Result<RecordBatch> {
        let Self { rows, wish } = self;
        let mut table = wish.builder()?;
        for row in 0..rows.len() {
            if let RowOutcome::Found(message) = rows.outcome(row) {
                let (header, walk) = Walk::begin(message).map_err(malformed)?;
                table.record(&header, walk, row).map_err(bad_row)?;
            } else if rows.is_failure(row) {
                let error = rows.error(row).unwrap_or_else(|| rows.unreadable(row, "no answer"));
                return Err(error.into());
            }
            table.end_row(row).map_err(bad_row)?;
        }
        table.finish(rows.len()).map_err(|error| Failure::of_range(error.to_string()))
    }
}

/// `getColumns(…, bins, options, schema, generation, ttl, asStream)`: many records as one table.
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let own = |at| call.argument(OWN + at);
    let (selection, names) = arguments::bins(own(0))?;
    let options = arguments::read_options(&Options::new(own(1)))?;
    let wish = Wish {
        schema: own(2).present().map(schema::schema).transpose()?,
        extra: schema::extra(call.env.undefined()?, own(3), own(4))?,
        as_stream: own(5).boolean() == Some(true),
    };
    // Checked now, not when the records are there.
    wish.builder()?;
    let spec = CommandSpec::get(&rows.client.defaults, &options, selection)?;
    rows.alike(&spec, |row| names.iter().try_for_each(|name| Ok(row.read_bin(name)?)))?;
    rows.send_for(spec.policy, Box::new(wish))
}
