//! Writing many records, where each row has bins of its own.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::CommandSpec;
use spikewire_aerospike::command::batch::Batch as Rows;
use spikewire_aerospike_protocol::message::op;

use super::gather::{Resolve, RowBuilder, at_row, each};
use super::plan::{BatchCall, BatchPlan};
use crate::aerospike::batch::{RowAnswers, RowReader};
use crate::aerospike::columns::source::{self, Choice, Table, Windows};
use crate::aerospike::key::Key;
use crate::aerospike::record_type::{RecordType, written};
use crate::aerospike::value::pairs;
use crate::aerospike::verbs::{Defaults, WriteOptions, write_bins};
use crate::errors::{invalid_argument, type_error, type_name, value_error};

/// `records`: a mapping of keys to bins, pairs of them, or a table.
pub fn put<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    records: &Bound<'py, PyAny>,
    choice: &Choice<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<BatchCall> {
    let spec = CommandSpec::write(defaults, &options.checked()?).map_err(invalid_argument)?;
    if let Some(table) = source::open(records, choice)? {
        return put_table(resolve, table, spec, records.py());
    }
    let mut rows = RowBuilder::new(resolve);
    let mut row = |key: &Bound<'py, PyAny>, bins: &Bound<'py, PyAny>| {
        let number = rows.len();
        rows.key(key)?;
        let py = bins.py();
        let bins = match rows.space() {
            Some(space) => written(space, bins, op::WRITE, options.exists.as_ref())
                .map_err(|error| at_row(py, error, number))?,
            None => Cow::Borrowed(bins),
        };
        let result = rows.row(py, &spec, false, |row| {
            write_bins(row, &bins, op::WRITE, defaults.codec.as_deref())
        });
        result.map_err(|error| at_row(py, error, number))
    };
    if let Ok(records) = records.cast::<PyDict>() {
        for pair in pairs(records) {
            let (key, bins) = pair?;
            row(&key, &bins)?;
        }
    } else if let Ok(records) = records.cast::<PyMapping>() {
        for pair in records.items()?.iter() {
            let (key, bins): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            row(&key, &bins)?;
        }
    } else {
        let mut number = 0;
        each("records", records, |pair| {
            let parts: Result<(Bound<'_, PyAny>, Bound<'_, PyAny>), _> = pair.extract();
            let Ok((key, bins)) = parts else {
                return Err(value_error(format!(
                    "row {number}: records must be pairs of key and bins, not {}",
                    type_name(&pair)
                )));
            };
            number += 1;
            row(&key, &bins)
        })?;
    }
    Ok(rows.finish(spec.policy, defaults.codec.clone(), RowAnswers::None))
}

fn put_table(
    resolve: Resolve<'_>,
    table: Table,
    spec: CommandSpec,
    py: Python<'_>,
) -> PyResult<BatchCall> {
    // A dataset accepts any user key. A client does not, and has no set to write a table to.
    let Ok(Key { space, .. }) = resolve(0_i64.into_pyobject(py)?.as_any()) else {
        return Err(type_error(
            "a table goes to a dataset: client.dataset(namespace, set).put_many(table, key=...)",
        ));
    };
    if RecordType::of(&space).is_some() {
        return Err(type_error(
            "a table goes to a dataset without a type: client.dataset(namespace, set)",
        ));
    }
    let policy = spec.policy;
    let mut more = Box::new(Windows::new(table, space, spec));
    let none = || (Rows::new(vec![], std::iter::empty(), policy, Tick::now()), vec![]);
    let (rows, keys) = more.next(py)?.unwrap_or_else(none);
    Ok(BatchCall { rows, plan: BatchPlan { more: Some(more), ..RowReader::new(keys).into() } })
}
