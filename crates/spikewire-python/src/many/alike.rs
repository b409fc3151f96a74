//! Verbs that do the same to every row.

use pyo3::prelude::*;

use spikewire_protocol::message::{info2, op};

use super::gather::{Gather, Resolve, each};
use super::plan::{Answered, ManyCall};
use crate::call::Answers;
use crate::verbs::options::{Defaults, Outline, ReadOptions, ReadRules, WriteOptions};
use crate::verbs::single::{looking, reading};
use crate::verbs::{Function, Operations, Steps};

pub fn get<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    bins: Option<&Bound<'py, PyAny>>,
    options: &ReadOptions<'py>,
) -> PyResult<ManyCall> {
    let (header, names) = reading(bins)?;
    let outline = options.outline(defaults, header)?;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| {
        rows.add(&key, &outline, |out| {
            names.iter().for_each(|name| Operations::op(out, op::READ, name.as_bytes()));
            Ok(())
        })
    })?;
    Ok(rows.finish(outline.policy, outline.codec.clone(), Answered::None))
}

pub fn exists<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &ReadOptions<'py>,
) -> PyResult<ManyCall> {
    let outline = options.outline(defaults, looking())?;
    alike(resolve, keys, &outline)
}

pub fn delete<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
) -> PyResult<ManyCall> {
    let mut outline = options.outline(defaults)?;
    outline.header.info2 |= info2::DELETE;
    alike(resolve, keys, &outline)
}

/// Rows that are all of one kind and need no operations.
fn alike(resolve: Resolve<'_>, keys: &Bound<'_, PyAny>, outline: &Outline) -> PyResult<ManyCall> {
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| rows.add(&key, outline, |_| Ok(())))?;
    Ok(rows.finish(outline.policy, outline.codec.clone(), Answered::None))
}

/// Calls a function on many records.
pub fn apply<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<ManyCall> {
    let mut outline = options.outline(defaults)?;
    outline.header.info2 |= info2::RESPOND_ALL_OPS;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| {
        rows.add(&key, &outline, |out| {
            function.fields(|id, data| out.field(id, data));
            Ok(())
        })
    })?;
    Ok(rows.finish(outline.policy, None, Answered::Same(Answers::of_a_function())))
}

pub fn operate<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<ManyCall> {
    let steps = Steps::new(operations, options, rules, defaults)?;
    let outline = &steps.outline;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| rows.add(&key, outline, |out| steps.write(out)))?;
    let (policy, codec) = (outline.policy, outline.codec.clone());
    Ok(rows.finish(policy, codec, Answered::Same(steps.answers())))
}
