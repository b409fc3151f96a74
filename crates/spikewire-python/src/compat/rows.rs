//! Rows of batches, with what became of each.

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::plain;
use super::shapes::{Plan, Values, meta, meta_of, named};
use crate::batch::Batch;
use crate::record::Record;

/// Results that do not make the batch a failure: success, no such record, filtered out.
const NO_FAILURE: [i32; 3] = [0, 2, 27];

/// What a row's record has besides its key.
pub(super) enum Shape<'py> {
    /// Metadata alone.
    None,
    /// Its bins.
    Bins,
    /// No bins, as a deletion has it.
    Empty,
    /// What a function returned.
    Function,
    /// The results of operations.
    Results(Plan<'py>),
    /// The results of the operations of the row itself, each of which has one.
    Own,
}

impl<'py> Shape<'py> {
    /// What the drop-in calls it: a word, a `Prepared`, or `None` for those of the row.
    pub fn of(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self::Own);
        }
        let Ok(word) = given.cast_exact::<PyString>() else {
            return Ok(Self::Results(Plan::of(given)?));
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

impl<'py> Values<'_, 'py> {
    /// The record of a row: a tuple of key, metadata and what its shape says.
    fn shaped(
        &self,
        key: Bound<'py, PyTuple>,
        record: &Record,
        shape: &Shape<'py>,
        row: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let py = self.py();
        let bins = match shape {
            Shape::None => return (key, meta(py, record)?).into_pyobject(py),
            Shape::Bins => {
                let bins = record.bins.get(py)?;
                self.bins(bins)?;
                bins.clone()
            }
            Shape::Empty => PyDict::new(py),
            Shape::Function => {
                let results = record.results.as_ref().map(|results| results.bind(py));
                let first = results.and_then(|results| results.get_item(0).ok());
                let value = first.map(|value| self.value(value)).transpose()?;
                let bins = PyDict::new(py);
                bins.set_item(intern!(py, "SUCCESS"), value)?;
                return (key, meta_of(py, 0, 0)?, bins).into_pyobject(py);
            }
            Shape::Results(plan) => self.by_bin(plan, record)?,
            Shape::Own => self.of_own(record, row)?,
        };
        (key, meta(py, record)?, bins).into_pyobject(py)
    }

    fn of_own(&self, record: &Record, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let py = self.py();
        let bins = PyDict::new(py);
        let Some(results) = &record.results else { return Ok(bins) };
        let operations: Bound<'py, PyList> = row.getattr(intern!(py, "ops"))?.cast_into()?;
        for (operation, value) in operations.iter().zip(results.bind(py).iter()) {
            bins.set_item(operation.get_item(intern!(py, "bin"))?, self.value(value)?)?;
        }
        Ok(bins)
    }

    /// Notes what became of a row of a batch. Says whether it makes the batch a failure.
    fn settle(
        &self,
        row: &Bound<'py, PyAny>,
        key: &Bound<'py, PyTuple>,
        (batch, at): (&Batch, usize),
        shape: &Shape<'py>,
    ) -> PyResult<bool> {
        let py = self.py();
        let code = batch.code(at);
        row.setattr(intern!(py, "result"), code)?;
        match batch.read(py, at) {
            Ok(Some(record)) => {
                let record = self.shaped(key.clone(), &record, shape, row)?;
                row.setattr(intern!(py, "record"), record)?;
            }
            Ok(None) => {}
            Err(error) if batch.is_failure(at) => {
                let error = error.value(py);
                for name in [intern!(py, "in_doubt"), intern!(py, "message")] {
                    row.setattr(name, error.getattr(name)?)?;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(!NO_FAILURE.contains(&code))
    }

    /// Notes what became of the rows of a batch, each of which has a shape. Says whether the batch
    /// failed.
    pub fn settle_all(
        &self,
        rows: &Bound<'py, PyList>,
        batch: &Batch,
        mut shape: impl FnMut(usize) -> PyResult<Shape<'py>>,
    ) -> PyResult<bool> {
        let py = self.py();
        let mut failed = false;
        for (at, row) in rows.iter().enumerate().take(batch.len()) {
            let mut key = row.getattr(intern!(py, "key"))?;
            let known = batch.key_of(at);
            if !plain::key(&key) {
                let (namespace, set) = (&*known.space.namespace, known.space.set_name());
                key = (namespace, set, known.user.bind(py)).into_pyobject(py)?.into_any();
            }
            let key = named(&key, &known.digest, true)?;
            failed |= self.settle(&row, &key, (batch, at), &shape(at)?)?;
        }
        Ok(failed)
    }
}

/// New rows for a batch of these keys, all of one shape, and whether the batch failed.
pub(super) fn made<'py>(
    values: &Values<'_, 'py>,
    batch: &Batch,
    keys: &Bound<'py, PyList>,
    shape: &Shape<'py>,
) -> PyResult<(Bound<'py, PyList>, bool)> {
    let py = values.py();
    let made = PyList::empty(py);
    let mut failed = false;
    for (at, key) in keys.iter().enumerate().take(batch.len()) {
        let row = values.new_row()?;
        let key = named(&key, &batch.key_of(at).digest, true)?;
        row.setattr(intern!(py, "key"), &key)?;
        failed |= values.settle(&row, &key, (batch, at), shape)?;
        made.append(row)?;
    }
    Ok((made, failed))
}
