//! Writes many records, each with its own bins.

use std::rc::Rc;

use spikewire_aerospike::command::batch::ResultFlags;
use spikewire_aerospike::command::{CommandSpec, Operations};
use spikewire_aerospike_protocol::message::op;

use super::gather::{OWN, Rows, at_row};
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::verbs::single::BinValue;
use crate::binding::Call;
use crate::js::{Result, Type, Value};

/// `putMany(…, shapes, values, options)`: `shapes` is the number of a list of bin names for all
/// rows, or an array with one per row: its number, or the list itself. `values` has the values of
/// all rows, concatenated.
pub fn put<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let (shapes, values) = (call.argument(OWN), call.argument(OWN + 1));
    let options = arguments::write_options(&Options::new(call.argument(OWN + 2)))?;
    let spec = CommandSpec::write(&rows.client.defaults, &options)?;
    let hooks = call.host.environment.hooks()?;
    let alike = shapes.kind() == Type::Number;
    let mut names = if alike { shape(call, shapes)? } else { Rc::default() };
    let mut at = 0;
    for row in 0..rows.count()? {
        if !alike {
            names = shape(call, shapes.element(row)?).map_err(|failure| at_row(failure, row))?;
        }
        let written = rows.row(row, &spec, false, |out| {
            for name in &*names {
                let value = BinValue { hooks, value: values.element(at)? };
                out.write_bin(op::WRITE, name, &value)?;
                at += 1;
            }
            Result::Ok(out.check_any()?)
        });
        written.map_err(|failure| at_row(failure, row))?;
    }
    rows.send(spec.policy, ResultFlags::None)?;
    Ok(None)
}

/// The bin names of a row.
pub fn shape<'e>(call: &Call<'e>, value: Value<'e>) -> Result<Rc<[String]>> {
    if value.kind() == Type::Number {
        return call.host.environment.shape(value);
    }
    (0..value.len()?).map(|at| arguments::text("a bin name", value.element(at)?)).collect()
}
