//! The `batch_write` of the official client, with the rows that its programs create.
//!
//! A row is handled here if it is a `Write` of operations on whole bins, lists or maps, with plain
//! values. What its policy and metadata say is computed by the drop-in's Python code, once for rows
//! in which they are the same. All other rows are prepared by the drop-in's Python code.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rustc_hash::FxHashMap;

use spikewire_aerospike::command;

use super::collections::{Choices, is_same};
use super::official::OfficialResults;
use super::operations::OfficialOperations;
use super::plain;
use super::row::OfficialWrite;
use super::rows::{RowResults, Shape, settled};
use super::shapes::Plan;
use super::steps::{EncodedStep, EncodedSteps};
use crate::aerospike::api::Verbs;
use crate::aerospike::api::blocking::Client;
use crate::aerospike::batch::Batch;
use crate::aerospike::key::Address;
use crate::aerospike::many;
use crate::aerospike::many::mixed::{Mixed, Operating};
use crate::aerospike::value::pairs;
use crate::aerospike::verbs::{AttemptKeywords, Limits, RowOptions, WriteOptions};

/// How rows of the official client are taken as they are.
///
/// `operations` takes their operations. `options` are those of writes without options of their own.
#[pyclass(frozen, module = "spikewire._native")]
pub struct OfficialWrites {
    operations: Py<OfficialOperations>,
    options: command::WriteOptions,
}

/// The options of a write, from the keywords of a row.
fn write_options(keywords: &Bound<'_, PyDict>) -> PyResult<command::WriteOptions> {
    let part = |name: &str| keywords.get_item(name);
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
        retry: AttemptKeywords {
            commit_level: part("commit_level")?,
            on_locking_only: flag("on_locking_only")?,
            ..AttemptKeywords::default()
        },
        ..WriteOptions::default()
    };
    options.checked()
}

/// The policy and the metadata of a row.
struct Terms<'py> {
    policy: Bound<'py, PyAny>,
    meta: Bound<'py, PyAny>,
}

impl Terms<'_> {
    fn are_absent(&self) -> bool {
        self.policy.is_none() && self.meta.is_none()
    }

    /// Whether those of another row say the same.
    fn same_as(&self, other: &Self) -> bool {
        have_same_entries(&self.policy, &other.policy) && have_same_entries(&self.meta, &other.meta)
    }
}

/// Whether two policies or two sets of metadata are the same object, or have the same constants.
fn have_same_entries(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> bool {
    if one.is(other) {
        return true;
    }
    let (Ok(one), Ok(other)) = (one.cast_exact::<PyDict>(), other.cast_exact::<PyDict>()) else {
        return false;
    };
    one.len() == other.len()
        && pairs(one).zip(pairs(other)).all(|both| match both {
            (Ok((name, value)), Ok((other_name, other_value))) => {
                is_same(&name, &other_name) && is_same(&value, &other_value)
            }
            _ => false,
        })
}

/// The options of rows, each computed once by the drop-in.
struct OptionsOfRows<'a, 'py> {
    /// Called with a row; returns keywords.
    compute: &'a Bound<'py, PyAny>,
    all: Vec<(Bound<'py, PyDict>, command::WriteOptions)>,
    /// Their positions by the address of the keywords, which are the same object for equal ones.
    positions: FxHashMap<usize, usize>,
    /// The terms of the latest row that has some, and its options.
    latest: Option<(Terms<'py>, usize)>,
}

impl<'a, 'py> OptionsOfRows<'a, 'py> {
    fn new(compute: &'a Bound<'py, PyAny>) -> Self {
        Self { compute, all: Vec::new(), positions: FxHashMap::default(), latest: None }
    }

    /// Which options a row with these terms has. `None` if they are invalid.
    fn of(&mut self, row: &Bound<'py, PyAny>, terms: Terms<'py>) -> PyResult<Option<usize>> {
        if let Some((latest, at)) = &self.latest
            && latest.same_as(&terms)
        {
            return Ok(Some(*at));
        }
        let keywords = self.compute.call1((row,))?.cast_into::<PyDict>()?;
        let address = keywords.as_ptr() as usize;
        let known = self.positions.get(&address).copied();
        let at = if let Some(at) = known {
            at
        } else {
            let Ok(options) = write_options(&keywords) else { return Ok(None) };
            self.all.push((keywords, options));
            self.positions.insert(address, self.all.len() - 1);
            self.all.len() - 1
        };
        self.latest = Some((terms, at));
        Ok(Some(at))
    }
}

/// What rows with the same operations on the same bins and the same options have in common.
struct RowKind<'py> {
    steps: Vec<KindStep<'py>>,
    /// `None` for rows without options of their own.
    options: Option<usize>,
    results: RowResults<'py>,
    operating: Operating,
}

/// An operation of such rows.
struct KindStep<'py> {
    code: u8,
    bin: Bound<'py, PyString>,
    choices: Option<Arc<Choices>>,
}

impl<'py> KindStep<'py> {
    fn is_of(&self, step: &EncodedStep<'py>) -> bool {
        let same_choices = match (&self.choices, &step.choices) {
            (None, None) => true,
            (Some(mine), Some(other)) => Arc::ptr_eq(mine, other),
            _ => false,
        };
        let same_bin = || self.bin.to_str().is_ok_and(|bin| bin == step.name());
        step.code == self.code && same_choices && (step.bin.is(&self.bin) || same_bin())
    }
}

impl<'py> RowKind<'py> {
    fn new(
        py: Python<'py>,
        steps: &[EncodedStep<'py>],
        options: Option<usize>,
        operating: Operating,
    ) -> Self {
        let returns = |step: &EncodedStep<'py>| step.choices.as_ref().and_then(|it| it.returns(py));
        let plan = Plan::of_rows(steps.iter().map(|step| (step.bin.clone(), returns(step))));
        let step = |step: &EncodedStep<'py>| KindStep {
            code: step.code,
            bin: step.bin.clone(),
            choices: step.choices.clone(),
        };
        let steps = steps.iter().map(step).collect();
        Self { steps, options, results: RowResults::new(plan), operating }
    }

    fn is_of(&self, steps: &[EncodedStep<'py>], options: Option<usize>) -> bool {
        self.options == options
            && self.steps.len() == steps.len()
            && self.steps.iter().zip(steps).all(|(mine, step)| mine.is_of(step))
    }
}

/// With how many of the latest kinds a row is compared.
const COMPARED_KINDS: usize = 4;

/// How the record of a row is created.
enum RecordSource<'py> {
    /// From its own operations, which are of this kind.
    Own(usize),
    /// As the drop-in specifies.
    Odd(Bound<'py, PyAny>),
}

/// Rows that are being collected.
struct RowCollector<'a, 'py> {
    of: &'a OfficialWrites,
    batch: Mixed<'a>,
    steps: EncodedSteps<'py>,
    options: OptionsOfRows<'a, 'py>,
    kinds: Vec<RowKind<'py>>,
    sources: Vec<RecordSource<'py>>,
}

impl<'py> RowCollector<'_, 'py> {
    /// Adds a row. Returns whether it could be handled here.
    fn add(&mut self, row: &Bound<'py, PyAny>) -> PyResult<bool> {
        let py = row.py();
        let Ok(write) = row.cast_exact::<OfficialWrite>() else { return Ok(false) };
        let (base, write) = (write.as_super().get(), write.get());
        let (key, ops) = (base.key.get(py), write.ops.get(py));
        let (Some(key), Some(ops)) = (key, ops) else { return Ok(false) };
        let Self { of, batch, steps, options, kinds, .. } = self;
        if !plain::row_key(&key)
            || steps.encode(&ops, of.operations.get()).is_none()
            || !steps.writes()
        {
            return Ok(false);
        }
        let none = || py.None().into_bound(py);
        let (policy, meta) = (write.policy.get(py), write.meta.get(py));
        let terms = Terms { policy: policy.unwrap_or_else(none), meta: meta.unwrap_or_else(none) };
        let of_row = if terms.are_absent() {
            None
        } else {
            let Some(at) = options.of(row, terms)? else { return Ok(false) };
            Some(at)
        };
        let latest = kinds.len().saturating_sub(COMPARED_KINDS);
        let kind = kinds[latest..].iter().rposition(|kind| kind.is_of(&steps.all, of_row));
        let number = if let Some(at) = kind {
            latest + at
        } else {
            let options = of_row.map_or(&of.options, |at| &options.all[at].1);
            let Ok(operating) = batch.operating(options, steps.encoded()) else {
                return Ok(false);
            };
            kinds.push(RowKind::new(py, &steps.all, of_row, operating));
            kinds.len() - 1
        };
        if batch.key(&key).is_err() {
            return Ok(false);
        }
        batch.encoded(py, &kinds[number].operating, steps.encoded())?;
        self.sources.push(RecordSource::Own(number));
        Ok(true)
    }

    /// Adds a row prepared by the drop-in, together with the shape of its record.
    fn add_prepared(&mut self, row: &Bound<'py, PyAny>, make: &Bound<'py, PyAny>) -> PyResult<()> {
        let (prepared, shape): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
            make.call1((row,))?.extract()?;
        self.batch.row(&prepared)?;
        self.sources.push(RecordSource::Odd(shape));
        Ok(())
    }
}

#[pymethods]
impl OfficialWrites {
    #[new]
    fn new(operations: Py<OfficialOperations>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(Self { operations, options: write_options(options)? })
    }

    /// Writes the rows of a batch and notes what became of each; returns its result.
    ///
    /// `make` gives, for a row that cannot be taken as it is, a row of the engine and the shape of
    /// its record, and `options` the keywords of a row with a policy or metadata. `results` makes
    /// the records. The keywords are those of `batch`.
    #[allow(clippy::too_many_arguments)]
    #[pyo3(signature = (client, rows, make, options, results, *, timeout=None, replica=None, max_retries=None, sleep_between_retries=None, compress=None, error_details=None, respond_all_keys=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        client: &Bound<'py, Client>,
        rows: &Bound<'py, PyList>,
        make: &Bound<'py, PyAny>,
        options: &Bound<'py, PyAny>,
        results: &OfficialResults,
        timeout: Option<Bound<'py, PyAny>>,
        replica: Option<Bound<'py, PyAny>>,
        max_retries: Option<Bound<'py, PyAny>>,
        sleep_between_retries: Option<Bound<'py, PyAny>>,
        compress: Option<bool>,
        error_details: Option<Bound<'py, PyAny>>,
        respond_all_keys: Option<bool>,
    ) -> PyResult<i32> {
        let client = client.get();
        let began = client.begin();
        let resolve = |key: &Bound<'_, PyAny>| many::whole(Address::of(client.home(), key));
        let retry = AttemptKeywords {
            max_retries,
            sleep: sleep_between_retries,
            compress,
            error_details,
            respond_all_keys,
            ..AttemptKeywords::default()
        };
        let limits = Limits { replica, timeout, retry };
        let usual = RowOptions::default();
        let batch = Mixed::new(client.defaults(), &resolve, &limits, &usual)?;
        let (steps, kinds, sources) = (EncodedSteps::default(), Vec::new(), Vec::new());
        let options = OptionsOfRows::new(options);
        let mut gathered = RowCollector { of: self, batch, steps, options, kinds, sources };
        for row in rows.iter() {
            if !gathered.add(&row)? {
                gathered.add_prepared(&row, make)?;
            }
        }
        let RowCollector { batch, kinds, sources, .. } = gathered;
        let done = client.run_many(py, batch.finish(), began)?;
        let done = done.cast::<Batch>()?.get();
        let shapes = &results.shapes;
        let shape = |at: usize| match &sources[at] {
            RecordSource::Own(kind) => Ok(Shape::Own(&kinds[*kind].results)),
            RecordSource::Odd(shape) => Shape::of(shape, shapes),
        };
        done.reads_all(|| settled(&shapes.values(py)?, done, rows, shape))
    }
}
