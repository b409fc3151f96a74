//! Records that are JavaScript objects already as one table. They are encoded again, so that the rules
//! are those of records from the wire.

use spikewire_aerospike::command::batch::RowContents;
use spikewire_aerospike_protocol::message::{Header, Walk, begin_op, finish_op, op};
use spikewire_aerospike_protocol::void_time;
use spikewire_columns::WireValue;
use spikewire_columns::arrow::TableBuilder;

use super::{parts, schema};
use crate::aerospike::key::with_user_key;
use crate::aerospike::many::gather::at_row;
use crate::aerospike::many::put::shape;
use crate::aerospike::value::{Place, encode};
use crate::binding::Call;
use crate::js::{Failure, Result, Value};
use crate::tables::failure::{column_failure, row_failure};
use spikewire_aerospike_protocol::key::UserKey;

/// A record as it would be on the wire.
struct Record {
    header: Header,
    ops: Vec<u8>,
    count: u16,
}

/// `recordColumns(shapes, values, heads, keys, schema, key, generation, ttl, asStream)`: a table, as
/// its parts or as an Arrow IPC stream. `shapes` has the bin names of each record, as for `putMany`, or
/// `null` for rows without a record; `heads` has generation and seconds to live, alternating.
pub fn make<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (shapes, values, heads) = (call.argument(0), call.argument(1), call.argument(2));
    let keys = call.argument(3);
    let requested = call.argument(4).present().map(schema::schema).transpose()?;
    let extra = schema::extra(call.argument(5), call.argument(6), call.argument(7))?;
    let mut table = TableBuilder::new(requested, &extra, false, None).map_err(column_failure)?;
    let (now, count, mut at) = (void_time::now(), shapes.len()?, 0);
    let mut records = Vec::with_capacity(count as usize);
    for row in 0..count {
        if table.wants_keys() {
            let push = |user: UserKey<'_>| {
                let value = match user {
                    UserKey::Int(int) => WireValue::Int(int),
                    UserKey::Str(text) => WireValue::Text(text.as_bytes()),
                    UserKey::Bytes(bytes) => WireValue::Bytes(bytes),
                };
                table.push_key(Some(&value), row as usize)
            };
            let pushed = with_user_key(keys.element(row)?, push)?;
            pushed.unwrap_or_else(|| table.push_key(None, row as usize)).map_err(row_failure)?;
        }
        let names = shapes.element(row)?;
        if names.is_absent() {
            records.push(None);
            continue;
        }
        let names = shape(call, names)?;
        let generation = heads.element(2 * row)?.index()?;
        let ttl = heads.element(2 * row + 1)?.present().map(Value::index).transpose()?;
        let header = Header { generation, ttl: void_time::after(ttl, now), ..Header::default() };
        let mut ops = Vec::with_capacity(32 * names.len());
        for name in &*names {
            let start = begin_op(&mut ops, op::READ, name.as_bytes());
            let (hooks, value) = (call.host.environment.hooks()?, values.element(at)?);
            let particle = encode(hooks, &mut ops, value, &Place::Bin(name))
                .map_err(|failure| at_row(failure, row))?;
            finish_op(&mut ops, start, particle);
            at += 1;
        }
        records.push(Some(Record { header, ops, count: names.len() as u16 }));
    }
    let contents = records.iter().map(|record| match record {
        None => RowContents::NoRecord,
        Some(Record { header, ops, count }) => {
            RowContents::Record(*header, Walk::over(ops, *count))
        }
    });
    table.fill(contents, true).map_err(row_failure)?;
    let table = table.finish(records.len());
    let table = table.map_err(|error| Failure::of_range(error.to_string()))?;
    if call.argument(8).boolean() == Some(true) {
        return parts::stream(call.env, &table).map(Some);
    }
    parts::table(call.env, &table).map(Some)
}
