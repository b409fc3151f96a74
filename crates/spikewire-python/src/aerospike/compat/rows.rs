//! Rows of batches, with the result of each.

use std::cell::OnceCell;
use std::sync::atomic::Ordering::Relaxed;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList, PyString, PyTuple};

use super::plain;
use super::row::OfficialRow;
use super::shapes::{Metas, Plan, Shapes, Values, named};
use crate::aerospike::batch::{Batch, RowRecord};
use crate::bridge::cached::intern;

/// Result codes with which a row does not fail the batch: success, record not found, filtered out.
const NO_FAILURE: [i32; 3] = [0, 2, 27];

/// What the record of a row contains besides its key.
pub(super) enum Shape<'a, 'py> {
    /// Metadata only.
    None,
    /// Its bins.
    Bins,
    /// No bins, as for a deletion.
    Empty,
    /// The return value of a function.
    Function,
    /// The results of operations.
    Results(Plan<'py>),
    /// The results of the row's own operations, each of which returns one.
    Own(&'a RowResults<'py>),
}

impl<'py> Shape<'_, 'py> {
    /// Parses the drop-in's name for it: a string or a `Prepared`.
    pub fn of(shape: &Bound<'py, PyAny>, shapes: &Shapes) -> PyResult<Self> {
        let Ok(word) = shape.cast_exact::<PyString>() else {
            return Ok(Self::Results(Plan::of(shape, shapes)?));
        };
        match word.to_str()? {
            "none" => Ok(Self::None),
            "bins" => Ok(Self::Bins),
            "empty" => Ok(Self::Empty),
            "udf" => Ok(Self::Function),
            word => Err(PyValueError::new_err(format!("no shape of a record: {word:?}"))),
        }
    }
}

/// The results of operations that rows have in common.
pub(super) struct RowResults<'py> {
    plan: Plan<'py>,
    /// Results that are all `None`, as most are.
    silent: OnceCell<Bound<'py, PyDict>>,
}

impl<'py> RowResults<'py> {
    pub fn new(plan: Plan<'py>) -> Self {
        Self { plan, silent: OnceCell::new() }
    }

    /// The results of a row by bin.
    fn by_bin(
        &self,
        values: &Values<'_, 'py>,
        record: &RowRecord<'_>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = values.py();
        if !record.is_silent() {
            return values.by_bin(&self.plan, record.results(py)?.into_iter());
        }
        if let Some(silent) = self.silent.get() {
            return silent.copy();
        }
        let bins = PyDict::new(py);
        self.plan.bins().try_for_each(|name| bins.set_item(name, py.None()))?;
        self.silent.get_or_init(|| bins).copy()
    }
}

/// Stores the results of a batch in its rows.
struct Settler<'a, 'py> {
    values: &'a Values<'a, 'py>,
    batch: &'a Batch,
    metas: Metas<'py>,
    failed: bool,
}

/// The result of a batch of which a row failed.
const BATCH_FAILED: i32 = -16;

impl<'a, 'py> Settler<'a, 'py> {
    fn new(values: &'a Values<'a, 'py>, batch: &'a Batch) -> Self {
        Self { values, batch, metas: Metas::default(), failed: false }
    }

    /// The record of a row: a tuple of key, metadata and what the shape requires.
    fn shaped(
        &mut self,
        key: Bound<'py, PyTuple>,
        record: &RowRecord<'_>,
        shape: &Shape<'_, 'py>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (values, py) = (self.values, self.values.py());
        let meta = match shape {
            Shape::Function => self.metas.of(py, Some(0), 0)?,
            _ => self.metas.of(py, record.ttl(), record.generation())?,
        };
        let bins = match shape {
            Shape::None => return (key, meta).into_pyobject(py),
            Shape::Bins => {
                let (bins, scalar) = record.bins(py, values.takes_bytes())?;
                if !scalar {
                    values.bins(&bins)?;
                }
                bins
            }
            Shape::Empty => PyDict::new(py),
            Shape::Function => {
                let first = record.results(py)?.into_iter().next();
                let value = first.map(|value| values.value(value)).transpose()?;
                let bins = PyDict::new(py);
                bins.set_item(intern!(py, "SUCCESS"), value)?;
                bins
            }
            Shape::Results(plan) => values.by_bin(plan, record.results(py)?.into_iter())?,
            Shape::Own(results) => results.by_bin(values, record)?,
        };
        (key, meta, bins).into_pyobject(py)
    }

    /// The result of the batch.
    fn result(&self) -> i32 {
        if self.failed { self.batch.end().unwrap_or(BATCH_FAILED) } else { 0 }
    }

    /// Stores the result at this index in a row.
    fn note(
        &mut self,
        row: &OfficialRow,
        key: Bound<'py, PyTuple>,
        at: usize,
        shape: &Shape<'_, 'py>,
    ) -> PyResult<()> {
        let (py, batch) = (self.values.py(), self.batch);
        let code = match batch.row_record(py, at) {
            Ok(Some(read)) => {
                let record = self.shaped(key, &read, shape)?.into_any().unbind();
                row.result.store(read.code(), Relaxed);
                row.record.set(py, Some(record));
                read.code()
            }
            Ok(None) => {
                row.result.store(batch.code(at), Relaxed);
                batch.code(at)
            }
            Err(error) if batch.is_failure(at) => {
                let error = error.value(py);
                let doubt = error.getattr(intern!(py, "in_doubt"))?.extract()?;
                let message = error.getattr(intern!(py, "message"))?.unbind();
                let subcode: Option<u32> = error.getattr(intern!(py, "subcode"))?.extract()?;
                row.result.store(batch.code(at), Relaxed);
                row.subcode.store(subcode.map_or(0, u32::cast_signed), Relaxed);
                row.in_doubt.store(doubt, Relaxed);
                row.message.set(py, Some(message));
                batch.code(at)
            }
            Err(error) => return Err(error),
        };
        self.failed |= !NO_FAILURE.contains(&code);
        Ok(())
    }
}

/// Stores the results of a batch in its rows, each of which has a shape. Returns the result of
/// the batch.
pub(super) fn settled<'a, 'py>(
    values: &Values<'_, 'py>,
    batch: &Batch,
    rows: &Bound<'py, PyList>,
    mut shape: impl FnMut(usize) -> PyResult<Shape<'a, 'py>>,
) -> PyResult<i32>
where
    'py: 'a,
{
    let py = values.py();
    let mut settler = Settler::new(values, batch);
    for (at, row) in rows.iter().enumerate().take(batch.len()) {
        let row = row.cast::<OfficialRow>()?;
        let row = row.get();
        let row_key = row.key.get(py);
        let key = batch.key_of(at);
        let key = match row_key {
            Some(row_key) if plain::key(&row_key) => named(&row_key, &key.digest, true)?,
            _ => {
                let (namespace, set) = (&*key.space.namespace, key.space.set_name());
                let digest = PyByteArray::new(py, &key.digest.0);
                (namespace, set, key.user.bind(py), digest).into_pyobject(py)?
            }
        };
        settler.note(row, key, at, &shape(at)?)?;
    }
    Ok(settler.result())
}

/// New rows for a batch of these keys, all with one shape, and the result of the batch.
pub(super) fn new_rows<'py>(
    values: &Values<'_, 'py>,
    batch: &Batch,
    keys: &Bound<'py, PyList>,
    shape: &Shape<'_, 'py>,
) -> PyResult<(Bound<'py, PyList>, i32)> {
    let py = values.py();
    let mut rows = Vec::with_capacity(batch.len());
    let mut settler = Settler::new(values, batch);
    for (at, key) in keys.iter().enumerate().take(batch.len()) {
        let key = named(&key, &batch.key_of(at).digest, true)?;
        let row = OfficialRow::of(key.clone().into_any().unbind());
        settler.note(&row, key, at, shape)?;
        rows.push(Bound::new(py, row)?);
    }
    Ok((PyList::new(py, rows)?, settler.result()))
}
