//! Verbs that treat every row in the same way.

use spikewire_aerospike::command::batch::ResultFlags;
use spikewire_aerospike::command::{CommandSpec, Operations};

use super::gather::{OWN, Rows};
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::operation::{self, OwnedOperation};
use crate::binding::Call;
use crate::js::{Result, Value};

/// `getMany(…, bins, options)`
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let (selection, names) = arguments::bins(call.argument(OWN))?;
    let options = arguments::read_options(&Options::new(call.argument(OWN + 1)))?;
    let spec = CommandSpec::get(&rows.client.defaults, &options, selection)?;
    rows.alike(&spec, |row| names.iter().try_for_each(|name| Ok(row.read_bin(name)?)))?;
    rows.send(spec.policy, ResultFlags::None);
    Ok(None)
}

/// `existsMany(…, options)`
pub fn exists<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let options = arguments::read_options(&Options::new(call.argument(OWN)))?;
    let spec = CommandSpec::exists(&rows.client.defaults, &options)?;
    rows.alike(&spec, |_| Ok(()))?;
    rows.send(spec.policy, ResultFlags::None);
    Ok(None)
}

/// `removeMany(…, options)`
pub fn delete<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let options = arguments::write_options(&Options::new(call.argument(OWN)))?;
    let spec = CommandSpec::delete(&rows.client.defaults, &options)?;
    rows.alike(&spec, |_| Ok(()))?;
    rows.send(spec.policy, ResultFlags::None);
    Ok(None)
}

/// `operateMany(…, operations, options)`
pub fn operate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let steps = operation::steps(call.argument(OWN))?;
    let options = Options::new(call.argument(OWN + 1));
    let rules = arguments::read_rules(&options)?;
    let options = arguments::write_options(&options)?;
    let sent = || steps.iter().map(OwnedOperation::as_sent);
    let (spec, answered) = CommandSpec::operate(&rows.client.defaults, &options, &rules, sent())?;
    rows.alike(&spec, |row| {
        sent().for_each(|step| row.step(step));
        Ok(())
    })?;
    rows.send(spec.policy, ResultFlags::Same(answered));
    Ok(None)
}

/// `applyMany(…, module, function, args, options)`
pub fn apply<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let mut rows = Rows::of(call)?;
    let function = operation::function(
        call.host.environment.hooks()?,
        call.argument(OWN),
        call.argument(OWN + 1),
        call.argument(OWN + 2),
    )?;
    let options = arguments::write_options(&Options::new(call.argument(OWN + 3)))?;
    let spec = CommandSpec::apply_many(&rows.client.defaults, &options)?;
    rows.alike(&spec, |row| {
        row.call(&function);
        Ok(())
    })?;
    rows.send(spec.policy, ResultFlags::Same(vec![true]));
    Ok(None)
}
