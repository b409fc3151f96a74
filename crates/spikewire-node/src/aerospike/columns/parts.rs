//! Tables as JavaScript values.

use arrow_array::{Array, RecordBatch};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::schema::word;
use crate::js::{Env, Result, Value};
pub use crate::tables::stream::stream;

/// A table: the number of rows, and an array of columns.
pub fn table<'e>(env: Env<'e>, table: &RecordBatch) -> Result<Value<'e>> {
    let schema = table.schema_ref();
    let columns = schema.fields().iter().zip(table.columns());
    let columns = columns.map(|(field, array)| column(env, field.name(), &array.to_data()));
    let columns = env.array_of(columns.collect::<Vec<_>>().into_iter())?;
    env.array_of([env.number(table.num_rows() as f64), Ok(columns)].into_iter())
}

/// A column: its name, type and length; its values; for strings, bytes, lists and maps, the offset
/// at which each value ends; which rows have a value; and the columns of its items.
fn column<'e>(env: Env<'e>, name: &str, data: &ArrayData) -> Result<Value<'e>> {
    let buffer = |at: usize| match data.buffers().get(at) {
        Some(bytes) => env.array_buffer(bytes),
        None => env.undefined(),
    };
    let none = || env.undefined();
    let (values, ends) = match data.data_type() {
        DataType::Utf8 | DataType::Binary => (buffer(1)?, buffer(0)?),
        DataType::List(_) | DataType::Map(..) => (none()?, buffer(0)?),
        DataType::Boolean => {
            let flags = &data.buffers()[0];
            (env.array_buffer(&bytes(data.len(), |row| bit(flags, data.offset() + row)))?, none()?)
        }
        _ => (buffer(0)?, none()?),
    };
    let valid = match data.nulls() {
        Some(nulls) if nulls.null_count() > 0 => {
            env.array_buffer(&bytes(data.len(), |row| nulls.is_valid(row)))?
        }
        _ => none()?,
    };
    // The items of a list; the keys and the values of a map.
    let items = match data.data_type() {
        DataType::Map(..) => data.child_data()[0].child_data(),
        _ => data.child_data(),
    };
    let items = env.array_of(items.iter().map(|item| column(env, "", item)))?;
    let parts = [
        env.string(name)?,
        env.string(word(data.data_type()))?,
        env.number(data.len() as f64)?,
        values,
        ends,
        valid,
        items,
    ];
    env.array_of(parts.into_iter().map(Ok))
}

/// One byte per row.
fn bytes(rows: usize, is: impl Fn(usize) -> bool) -> Vec<u8> {
    (0..rows).map(|row| u8::from(is(row))).collect()
}

fn bit(flags: &[u8], at: usize) -> bool {
    flags[at / 8] >> (at % 8) & 1 == 1
}
