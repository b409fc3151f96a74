//! Verbs that treat all rows alike.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::command::InvalidArgument;
use spikewire_aerospike::command::batch::RowCommand;
use spikewire_aerospike_protocol::batch::Kind;

use super::gather::{Resolve, RowBuilder, each};
use super::plan::BatchCall;
use crate::aerospike::call::Answers;
use crate::aerospike::columns::{self, NewArray};
use crate::aerospike::record_type::{selected, selection};
use crate::aerospike::space::Space;
use crate::aerospike::value::Codec;
use crate::aerospike::verbs::{
    Defaults, Function, ReadOptions, ReadRules, WriteOptions, operations_of, plain_bins, refs,
};
use crate::errors::invalid_argument;

/// `home`: the set of all keys, if they are of one.
pub fn get<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    home: Option<&Arc<Space>>,
    keys: &Bound<'py, PyAny>,
    bins: Option<&Bound<'py, PyAny>>,
    options: &ReadOptions<'py>,
) -> PyResult<BatchCall> {
    let bins = home.map_or_else(|| selected(bins), |space| selection(space, bins))?;
    let command = RowCommand::get(defaults, &options.checked()?, bins);
    alike(resolve, keys, command, defaults.codec.clone(), Vec::new())
}

pub fn exists<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &ReadOptions<'py>,
) -> PyResult<BatchCall> {
    let command = RowCommand::exists(defaults, &options.checked()?);
    alike(resolve, keys, command, defaults.codec.clone(), Vec::new())
}

pub fn delete<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
) -> PyResult<BatchCall> {
    let command = RowCommand::delete(defaults, &options.checked()?);
    alike(resolve, keys, command, defaults.codec.clone(), Vec::new())
}

/// Reads the bins for which the dtype has fields into an array.
pub fn get_numpy<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    array_options: &columns::ArrayOptions,
    options: &ReadOptions<'py>,
) -> PyResult<BatchCall> {
    let array = NewArray::of(keys.py(), dtype, array_options)?;
    let mut call = get(defaults, resolve, None, keys, Some(array.bins()?.as_any()), options)?;
    let filling = array.start(&call.plan.reader.keys)?;
    call.rows.set_sink(filling.sink());
    call.plan.array = Some(Box::new(filling));
    Ok(call)
}

/// Calls a function on many records.
pub fn apply<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<BatchCall> {
    let command = RowCommand::apply(defaults, &options.checked()?, &function.0, true);
    alike(resolve, keys, command, None, Vec::new())
}

pub fn operate<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<BatchCall> {
    let steps = operations_of(operations)?;
    let (options, rules) = (options.checked()?, rules.checked()?);
    let command = RowCommand::operate(defaults, &options, &rules, refs(&steps));
    alike(resolve, keys, command, defaults.codec.clone(), plain_bins(&steps, defaults))
}

/// A batch whose rows are all of one kind; `plain` as in [`Answers`].
fn alike<W: Fn(&mut Kind) -> Result<(), InvalidArgument>>(
    resolve: Resolve<'_>,
    keys: &Bound<'_, PyAny>,
    command: Result<RowCommand<W>, InvalidArgument>,
    codec: Option<Arc<Codec>>,
    plain: Vec<String>,
) -> PyResult<BatchCall> {
    let RowCommand { spec, answered, write } = command.map_err(invalid_argument)?;
    let mut rows = RowBuilder::new(resolve);
    rows.reserve(keys);
    each("keys", keys, |key| rows.alike(&key, &spec, &write))?;
    let answers = answered.map(|returns| Answers { returns, plain });
    Ok(rows.finish(spec.policy, codec, answers.into()))
}
