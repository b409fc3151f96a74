//! Verbs that treat all rows alike.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::command::{CommandSpec, Operations};
use spikewire_aerospike_protocol::batch::Kind;

use super::gather::{Resolve, RowBuilder, each};
use super::plan::BatchCall;
use crate::aerospike::batch::RowAnswers;
use crate::aerospike::call::Answers;
use crate::aerospike::columns::{self, NewArray};
use crate::aerospike::record_type::{selected, selection};
use crate::aerospike::space::Space;
use crate::aerospike::value::Codec;
use crate::aerospike::verbs::{Defaults, Function, ReadOptions, ReadRules, Steps, WriteOptions};
use crate::errors::{RequestError, invalid_argument};

/// `home`: the set of all keys, if they are of one.
pub fn get<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    home: Option<&Arc<Space>>,
    keys: &Bound<'py, PyAny>,
    bins: Option<&Bound<'py, PyAny>>,
    options: &ReadOptions<'py>,
) -> PyResult<BatchCall> {
    let (selection, names) = match home {
        Some(space) => selection(space, bins)?,
        None => selected(bins)?,
    };
    let spec =
        CommandSpec::get(defaults, &options.checked()?, selection).map_err(invalid_argument)?;
    alike(resolve, keys, &spec, defaults.codec.clone(), RowAnswers::None, |row| {
        names.iter().try_for_each(|name| Ok(row.read_bin(name)?))
    })
}

pub fn exists<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &ReadOptions<'py>,
) -> PyResult<BatchCall> {
    let spec = CommandSpec::exists(defaults, &options.checked()?).map_err(invalid_argument)?;
    alike(resolve, keys, &spec, defaults.codec.clone(), RowAnswers::None, |_| Ok(()))
}

pub fn delete<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
) -> PyResult<BatchCall> {
    let spec = CommandSpec::delete(defaults, &options.checked()?).map_err(invalid_argument)?;
    alike(resolve, keys, &spec, defaults.codec.clone(), RowAnswers::None, |_| Ok(()))
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
    let spec = CommandSpec::apply_many(defaults, &options.checked()?).map_err(invalid_argument)?;
    alike(resolve, keys, &spec, None, RowAnswers::Same(Answers::of_a_function()), |row| {
        row.call(&function.0);
        Ok(())
    })
}

pub fn operate<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<BatchCall> {
    let mut steps = Steps::new(operations, options, rules, defaults)?;
    let answers = RowAnswers::Same(steps.take_answers());
    alike(resolve, keys, &steps.spec, defaults.codec.clone(), answers, |row| {
        steps.write(row);
        Ok(())
    })
}

/// A batch whose rows are all of one kind.
fn alike(
    resolve: Resolve<'_>,
    keys: &Bound<'_, PyAny>,
    spec: &CommandSpec,
    codec: Option<Arc<Codec>>,
    answers: RowAnswers,
    write: impl Fn(&mut Kind) -> Result<(), RequestError>,
) -> PyResult<BatchCall> {
    let mut rows = RowBuilder::new(resolve);
    rows.reserve(keys);
    each("keys", keys, |key| rows.alike(&key, spec, &write))?;
    Ok(rows.finish(spec.policy, codec, answers))
}
