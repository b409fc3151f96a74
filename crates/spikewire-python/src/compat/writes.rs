//! The `batch_write` of the vendor's client: rows as its programs make them.
//!
//! A row is taken as it is where it is a `Write` of operations on whole bins, with plain values and
//! without a policy or metadata of its own. The drop-in makes rows of all others.

use std::ops::Range;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyType};

use spikewire_aerospike::command::{self, OperationRef, check_operand};
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::value::particle;

use super::official::OfficialResults;
use super::operations::OfficialOperations;
use super::plain;
use super::rows::Shape;
use crate::batch::Batch;
use crate::face::Verbs;
use crate::face::blocking::Client;
use crate::many;
use crate::many::mixed::Mixed;
use crate::value::{Place, encode};
use crate::verbs::{Limits, ReadRules, RetryRules, RowOptions, WriteOptions};

/// How rows of the official client are taken as they are.
///
/// `row` is the class of such rows, `operations` takes their operations. `options` are those of
/// every write.
#[pyclass(frozen, module = "spikewire._native")]
pub struct OfficialWrites {
    row: Py<PyType>,
    operations: Py<OfficialOperations>,
    options: command::WriteOptions,
}

/// The operations of a row, encoded.
struct Steps<'py> {
    steps: Vec<(u8, Bound<'py, PyString>, u8, Range<usize>)>,
    bytes: Vec<u8>,
}

impl OfficialWrites {
    /// Encodes the operations of a row; `None` where that needs more than a look.
    fn steps<'py>(&self, ops: &Bound<'py, PyAny>, mut bytes: Vec<u8>) -> Option<Steps<'py>> {
        let ops = ops.cast_exact::<PyList>().ok()?;
        bytes.clear();
        let mut steps = Vec::with_capacity(ops.len());
        let mut writes = false;
        for one in ops.iter() {
            let given = self.operations.get().given(&one)?;
            let start = bytes.len();
            let mut of = particle::NULL;
            writes |= given.code != op::READ;
            if let Some(value) = given.value.as_ref().filter(|value| !value.is_none()) {
                of = encode(&mut bytes, value, &Place::Bin(given.name())).ok()?;
                check_operand(given.code, of, given.name()).ok()?;
            }
            steps.push((given.code, given.bin, of, start..bytes.len()));
        }
        writes.then_some(Steps { steps, bytes })
    }

    /// Adds a row; says whether it was one that can be taken as it is.
    fn add(
        &self,
        row: &Bound<'_, PyAny>,
        batch: &mut Mixed<'_>,
        room: &mut Vec<u8>,
    ) -> PyResult<bool> {
        let py = row.py();
        if !row.get_type().is(&self.row) {
            return Ok(false);
        }
        let part = |name| row.getattr(name);
        if !part(intern!(py, "policy"))?.is_none() || !part(intern!(py, "meta"))?.is_none() {
            return Ok(false);
        }
        let key = part(intern!(py, "key"))?;
        if !plain::key(&key) {
            return Ok(false);
        }
        let Some(Steps { steps, bytes }) =
            self.steps(&part(intern!(py, "ops"))?, std::mem::take(room))
        else {
            return Ok(false);
        };
        if batch.key(&key).is_err() {
            return Ok(false);
        }
        let steps = steps.iter().map(|(code, bin, particle, range)| {
            let (bin, value) = (bin.to_str()?, &bytes[range.clone()]);
            Ok(OperationRef { code: *code, bin, particle: *particle, value })
        });
        let steps = steps.collect::<PyResult<Vec<_>>>()?;
        batch.encoded(py, &self.options, &steps)?;
        drop(steps);
        *room = bytes;
        Ok(true)
    }
}

#[pymethods]
impl OfficialWrites {
    #[new]
    fn new(
        row: Bound<'_, PyType>,
        operations: Py<OfficialOperations>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
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
        Ok(Self { row: row.unbind(), operations, options: options.checked()? })
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
        let mut batch = Mixed::new(client.defaults(), &resolve, &limits, &usual)?;
        let mut room = Vec::new();
        let mut odd: Vec<(usize, Bound<'py, PyAny>)> = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            if self.add(&row, &mut batch, &mut room)? {
                continue;
            }
            let (made, shape): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
                make.call1((row,))?.extract()?;
            batch.row(&made)?;
            odd.push((at, shape));
        }
        let done = client.run_many(py, batch.finish(), began)?;
        let done = done.cast::<Batch>()?.get();
        let mut odd = odd.into_iter().peekable();
        let shape = |at| match odd.next_if(|(of, _)| *of == at) {
            Some((_, shape)) => Shape::of(&shape),
            None => Ok(Shape::Own),
        };
        done.reads_all(|| results.shapes.values(py)?.settle_all(rows, done, shape))
    }
}
