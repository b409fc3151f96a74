//! The verbs on one record.

use pyo3::prelude::*;

use spikewire_aerospike::command::{CommandSpec, Operations};

use super::function::Function;
use super::steps::{Steps, write_bins};
use crate::aerospike::arguments::Argument;
use crate::aerospike::call::{Call, ResponseShape};
use crate::aerospike::key::Address;
use crate::aerospike::options::{Defaults, ReadOptions, ReadRules, WriteOptions};
use crate::aerospike::record_type::{selection, written};
use crate::errors::invalid_argument;

pub fn get<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: Option<Bound<'py, PyAny>>,
    default: Argument<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let default = match default {
        Argument::Absent => None,
        Argument::Present(value) => Some(value.unbind()),
    };
    let (selection, names) = selection(&address.space, bins.as_ref())?;
    let spec =
        CommandSpec::get(defaults, &options.checked()?, selection).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Record { default }, |out| {
        names.iter().try_for_each(|name| Ok(out.read_bin(name)?))
    })
}

pub fn exists<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::exists(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Presence, |_| Ok(()))
}

/// One write operation per bin: put, add, append, prepend.
pub fn write<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    code: u8,
) -> PyResult<Call> {
    let spec = CommandSpec::write(defaults, &options.checked()?).map_err(invalid_argument)?;
    let bins = written(&address.space, bins, code, options.exists.as_ref())?;
    Call::compose(address, &spec, defaults, ResponseShape::Done, |out| {
        write_bins(out, &bins, code, defaults.codec.as_deref())
    })
}

pub fn delete<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::delete(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Presence, |_| Ok(()))
}

pub fn touch<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let spec = CommandSpec::touch(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, ResponseShape::Done, |out| {
        out.touch();
        Ok(())
    })
}

pub fn operate<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<Call> {
    let mut steps = Steps::new(operations, options, rules, defaults)?;
    let answers = steps.take_answers();
    let shape = ResponseShape::Operated { answers, operations: Vec::new() };
    let mut call = Call::compose(address, &steps.spec, defaults, shape, |out| {
        steps.write(out);
        Ok(())
    })?;
    if let ResponseShape::Operated { operations, .. } = call.plan.shape_mut() {
        *operations = steps.into_operations();
    }
    Ok(call)
}

pub fn apply<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let shape = ResponseShape::Applied { module: function.0.module().to_string() };
    let spec = CommandSpec::apply(defaults, &options.checked()?).map_err(invalid_argument)?;
    Call::compose(address, &spec, defaults, shape, |out| {
        out.call(&function.0);
        Ok(())
    })
}
