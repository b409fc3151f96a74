//! The `batch_write` of the official client, with the rows that its programs create.
//!
//! A row is handled here if it is a `Write` of operations on whole bins, with plain values and
//! without a policy or metadata of its own. All other rows are prepared by the drop-in's Python
//! code.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use spikewire_aerospike::command;

use super::official::OfficialResults;
use super::operations::OfficialOperations;
use super::plain;
use super::row::OfficialWrite;
use super::rows::{Names, Shape, settled};
use super::steps::{Step, Steps};
use crate::aerospike::api::Verbs;
use crate::aerospike::api::blocking::Client;
use crate::aerospike::batch::Batch;
use crate::aerospike::many;
use crate::aerospike::many::mixed::{Mixed, Operating};
use crate::aerospike::verbs::{Limits, ReadRules, RetryRules, RowOptions, WriteOptions};

/// How rows of the official client are taken as they are.
///
/// `operations` takes their operations. `options` are those of every write.
#[pyclass(frozen, module = "spikewire._native")]
pub struct OfficialWrites {
    operations: Py<OfficialOperations>,
    options: command::WriteOptions,
}

/// What rows with the same operations on the same bins have in common.
struct Kind<'py> {
    codes: Vec<u8>,
    names: Names<'py>,
    operating: Operating,
}

impl<'py> Kind<'py> {
    fn is_of(&self, steps: &[Step<'py>]) -> bool {
        let known = self.codes.iter().zip(&self.names.all);
        let same = |(step, (code, name)): (&Step<'py>, (&u8, &Bound<'py, PyString>))| {
            step.code == *code
                && (step.bin.is(name) || name.to_str().is_ok_and(|name| name == step.name()))
        };
        self.codes.len() == steps.len() && steps.iter().zip(known).all(same)
    }
}

/// How the record of a row is created.
enum Made<'py> {
    /// From its own operations, which are of this kind.
    Own(usize),
    /// As the drop-in specifies.
    Odd(Bound<'py, PyAny>),
}

/// Rows that are being collected.
struct Rows<'a, 'py> {
    of: &'a OfficialWrites,
    batch: Mixed<'a>,
    steps: Steps<'py>,
    kinds: Vec<Kind<'py>>,
    made: Vec<Made<'py>>,
}

impl<'py> Rows<'_, 'py> {
    /// Adds a row. Returns whether it could be handled here.
    fn add(&mut self, row: &Bound<'py, PyAny>) -> PyResult<bool> {
        let py = row.py();
        let Ok(row) = row.cast_exact::<OfficialWrite>() else { return Ok(false) };
        let (base, row) = (row.as_super().get(), row.get());
        if !row.policy.is_none(py) || !row.meta.is_none(py) {
            return Ok(false);
        }
        let (key, ops) = (base.key.get(py), row.ops.get(py));
        let (Some(key), Some(ops)) = (key, ops) else { return Ok(false) };
        let Self { of, batch, steps, kinds, .. } = self;
        if !plain::key(&key)
            || steps.encode(&ops, of.operations.get()).is_none()
            || !steps.writes()
            || batch.key(&key).is_err()
        {
            return Ok(false);
        }
        if !kinds.last().is_some_and(|last| last.is_of(&steps.all)) {
            let operating = batch.operating(&of.options, steps.encoded())?;
            let codes = steps.all.iter().map(|step| step.code).collect();
            let names = Names::new(steps.all.iter().map(|step| step.bin.clone()).collect());
            kinds.push(Kind { codes, names, operating });
        }
        let number = kinds.len() - 1;
        batch.encoded(py, &kinds[number].operating, steps.encoded())?;
        self.made.push(Made::Own(number));
        Ok(true)
    }

    /// Adds a row prepared by the drop-in, together with the shape of its record.
    fn add_made(&mut self, row: &Bound<'py, PyAny>, make: &Bound<'py, PyAny>) -> PyResult<()> {
        let (made, shape): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
            make.call1((row,))?.extract()?;
        self.batch.row(&made)?;
        self.made.push(Made::Odd(shape));
        Ok(())
    }
}

#[pymethods]
impl OfficialWrites {
    #[new]
    fn new(operations: Py<OfficialOperations>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let part = |name: &str| options.get_item(name);
        let flag = |name: &str| -> PyResult<Option<bool>> {
            part(name)?.map(|value| value.extract()).transpose()
        };
        let options = WriteOptions {
            ttl: part("ttl")?,
            generation: part("generation")?,
            exists: part("exists")?,
            durable: flag("durable")?.unwrap_or(false),
            send_key: flag("send_key")?,
            filter: part("where")?,
            ..WriteOptions::default()
        };
        Ok(Self { operations, options: options.checked()? })
    }

    /// Writes the rows of a batch and notes what became of each; says whether the batch failed.
    ///
    /// `make` gives, for a row that cannot be taken as it is, a row of the engine and the shape of
    /// its record. `results` makes the records. The keywords are those of `batch`.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (client, rows, make, results, *, timeout=None, replica=None, max_retries=None, sleep_between_retries=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, Client>,
        rows: &Bound<'py, PyList>,
        make: &Bound<'py, PyAny>,
        results: &OfficialResults,
        timeout: Option<Bound<'py, PyAny>>,
        replica: Option<Bound<'py, PyAny>>,
        max_retries: Option<Bound<'py, PyAny>>,
        sleep_between_retries: Option<Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        let client = client.get();
        let began = client.begin();
        let resolve = |key: &Bound<'_, PyAny>| many::whole(client.address(key));
        let retry =
            RetryRules { max_retries, sleep: sleep_between_retries, ..RetryRules::default() };
        let limits = Limits { replica, timeout, retry };
        let rules = ReadRules { touch: None, mode: None, hedge: None };
        let usual = RowOptions { rules, ttl: None, exists: None, durable: false, send_key: None };
        let batch = Mixed::new(client.defaults(), &resolve, &limits, &usual)?;
        let (steps, kinds, made) = (Steps::default(), Vec::new(), Vec::new());
        let mut gathered = Rows { of: self, batch, steps, kinds, made };
        for row in rows.iter() {
            if !gathered.add(&row)? {
                gathered.add_made(&row, make)?;
            }
        }
        let Rows { batch, kinds, made, .. } = gathered;
        let done = client.run_many(py, batch.finish(), began)?;
        let done = done.cast::<Batch>()?.get();
        let shapes = &results.shapes;
        let shape = |at: usize| match &made[at] {
            Made::Own(kind) => Ok(Shape::Own(&kinds[*kind].names)),
            Made::Odd(shape) => Shape::of(shape, shapes),
        };
        done.reads_all(|| settled(&shapes.values(py)?, done, rows, shape))
    }
}
