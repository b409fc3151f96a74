//! Verbs that treat every row in the same way.

use spikewire_aerospike::command::batch::RowCommand;

use super::gather::{OWN, Rows};
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::operation;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `getMany(…, bins, options)`
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let options = Options::new(call.argument(OWN + 1));
    let rows = Rows::of(call)?.within(&options)?;
    let bins = arguments::bins(call.argument(OWN))?;
    let options = arguments::read_options(&options)?;
    rows.send_alike(|defaults| RowCommand::get(defaults, &options, bins))
}

/// `existsMany(…, options)`
pub fn exists<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let options = Options::new(call.argument(OWN));
    let rows = Rows::of(call)?.within(&options)?;
    let options = arguments::read_options(&options)?;
    rows.send_alike(|defaults| RowCommand::exists(defaults, &options))
}

/// `removeMany(…, options)`
pub fn delete<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let rows = Rows::of(call)?;
    let options = arguments::write_options(&Options::new(call.argument(OWN)))?;
    rows.send_alike(|defaults| RowCommand::delete(defaults, &options))
}

/// `operateMany(…, operations, options)`
pub fn operate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let options = Options::new(call.argument(OWN + 1));
    let rows = Rows::of(call)?.within(&options)?;
    let steps = operation::steps(call.argument(OWN))?;
    let rules = arguments::read_rules(&options)?;
    let options = arguments::write_options(&options)?;
    rows.send_alike(|defaults| {
        RowCommand::operate(defaults, &options, &rules, operation::refs(&steps))
    })
}

/// `applyMany(…, module, function, args, options)`
pub fn apply<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let rows = Rows::of(call)?;
    let function = operation::function(
        call.host.environment.hooks()?,
        call.argument(OWN),
        call.argument(OWN + 1),
        call.argument(OWN + 2),
    )?;
    let options = arguments::write_options(&Options::new(call.argument(OWN + 3)))?;
    rows.send_alike(|defaults| RowCommand::apply(defaults, &options, &function, true))
}
