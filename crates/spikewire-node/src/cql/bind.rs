//! Binds the values of a statement, in the order of its parameters. JavaScript has already put
//! named values into that order.

use spikewire_cassandra::statement::Prepared;
use spikewire_cql::response::check_count;
use spikewire_cql::value::encode_bound;

use super::value::HostValue;
use crate::hooks::cql::Hooks;
use crate::js::{Failure, Result, Value};

/// Encodes values, one per parameter.
#[inline]
pub fn bind<'e>(
    hooks: &Hooks,
    prepared: &Prepared,
    values: impl ExactSizeIterator<Item = Result<Value<'e>>>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let columns = &*prepared.parameters;
    check_count(columns, values.len()).map_err(Failure::of_range)?;
    for (column, value) in columns.iter().zip(values) {
        encode_bound(&column.name, &column.ty, &HostValue::new(hooks, value?), out)?;
    }
    Ok(())
}
