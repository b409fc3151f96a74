//! Binds the values of a statement, in the order of its parameters. JavaScript has already put
//! named values into that order.

use spikewire_cassandra::statement::Prepared;
use spikewire_cql::response::Column;
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
    if values.len() != columns.len() {
        return Err(count_failure(columns, values.len()));
    }
    for (column, value) in columns.iter().zip(values) {
        encode_bound(&column.name, &column.ty, &HostValue::new(hooks, value?), out)?;
    }
    Ok(())
}

#[cold]
fn count_failure(columns: &[Column], count: usize) -> Failure {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let names = names.join(", ");
    Failure::of_range(match columns {
        [] => format!("the statement takes no values, not {count}"),
        _ => format!("the statement takes {} values ({names}), not {count}", columns.len()),
    })
}
