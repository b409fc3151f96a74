//! Functions exported to JavaScript for columns.

use std::rc::Rc;

use spikewire_aerospike::query::spec::{BATCH_ROWS, DEFAULT_BATCH_ROWS};

use super::gather::{TableStep, Tables};
use super::{parts, schema};
use crate::aerospike::query::reading::RunningQuery;
use crate::arguments::count;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `tables(query, schema, rows, key, generation, ttl)`: creates a query's tables; returns their
/// number.
pub fn tables<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let resources = &call.host.environment.resources;
    let query = resources.get::<RunningQuery>(call.index(0)?)?;
    let requested = call.argument(1).present().map(schema::schema).transpose()?;
    let rows =
        call.argument(2).present().map(|rows| count("rows", rows, BATCH_ROWS)).transpose()?;
    let extra = schema::extra(call.argument(3), call.argument(4), call.argument(5))?;
    let tables = Tables::new(query, requested, extra, rows.unwrap_or(DEFAULT_BATCH_ROWS) as usize)?;
    call.env.uint32(resources.add(Rc::new(tables))).map(Some)
}

/// `tablesRead(tables, asStream)`: the next table, as its parts or as an Arrow IPC stream;
/// `undefined`: it must be waited for; `false`: other tasks should run first; `null`: there are no
/// more.
pub fn read<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let tables = call.host.environment.resources.get::<Tables>(call.index(0)?)?;
    let value = match tables.advance()? {
        TableStep::Table(table) if call.argument(1).boolean() == Some(true) => {
            parts::stream(env, &table)
        }
        TableStep::Table(table) => parts::table(env, &table),
        TableStep::Wait => env.undefined(),
        TableStep::Again => env.boolean(false),
        TableStep::Over => env.null(),
    };
    value.map(Some)
}
