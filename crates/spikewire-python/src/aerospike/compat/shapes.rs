//! Keys, metadata, values and results of operations in the shapes of the official client.

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyFrozenSet, PyList, PyString, PyTuple};

use spikewire_aerospike_protocol::key::Digest;

use super::plain;
use crate::aerospike::record::Record;
use crate::aerospike::value::pairs;
use crate::bridge::cached::intern;
use crate::errors::type_error;

/// What the drop-in's Python code contributes.
pub struct Shapes {
    /// Converts a value that is not plain. Called with the value and its deserializer.
    pub incoming: Py<PyAny>,
    /// Converts the result of an operation. Also called with the operation's return type.
    pub expected: Py<PyAny>,
    /// The first `deserializer` of these that is not `None` is used.
    pub serializers: Py<PyTuple>,
    /// The codes of operations whose result is meaningless.
    pub quiet: Py<PyFrozenSet>,
}

/// Converts the values of one call.
pub struct Values<'a, 'py> {
    of: &'a Shapes,
    deserializer: Bound<'py, PyAny>,
}

/// Operations and what is known about their results: a `Prepared` of the drop-in.
pub struct Plan<'py> {
    steps: Vec<PlanStep<'py>>,
}

/// What is known about the result of an operation.
struct PlanStep<'py> {
    /// `None` if the result is not returned.
    name: Option<Bound<'py, PyAny>>,
    /// Whether `None` also counts as a result.
    answers: bool,
    /// Its return type, if one was given.
    returns: Option<Bound<'py, PyAny>>,
}

impl<'py> Plan<'py> {
    /// Of operations that all have a result: their bins and return types.
    pub fn of_rows(
        steps: impl Iterator<Item = (Bound<'py, PyString>, Option<Bound<'py, PyAny>>)>,
    ) -> Self {
        let step = |(bin, returns): (Bound<'py, PyString>, _)| PlanStep {
            name: Some(bin.into_any()),
            answers: true,
            returns,
        };
        Self { steps: steps.map(step).collect() }
    }

    /// The bins whose results are returned.
    pub fn bins(&self) -> impl Iterator<Item = &Bound<'py, PyAny>> {
        self.steps.iter().filter_map(|step| step.name.as_ref())
    }

    /// Parses the drop-in's tuple.
    pub fn of(prepared: &Bound<'py, PyAny>, shapes: &Shapes) -> PyResult<Self> {
        let part = |at: usize| prepared.get_item(at);
        let bins: Bound<'py, PyList> = part(1)?.cast_into()?;
        let (returns, codes) = (part(2)?, part(3)?);
        let answers: bool = part(4)?.extract()?;
        let quiet = shapes.quiet.bind(prepared.py());
        let mut steps = Vec::with_capacity(bins.len());
        for (at, name) in bins.iter().enumerate() {
            let silent = !answers && quiet.contains(codes.get_item(at)?)?;
            let name = (!silent && !name.is_none()).then_some(name);
            let returns = Some(returns.get_item(at)?).filter(|returns| !returns.is_none());
            steps.push(PlanStep { name, answers, returns });
        }
        Ok(Self { steps })
    }
}

impl Shapes {
    /// The converter for the values of a call.
    pub fn values<'py>(&self, py: Python<'py>) -> PyResult<Values<'_, 'py>> {
        let mut deserializer = py.None().into_bound(py);
        for own in self.serializers.bind(py).iter_borrowed() {
            deserializer = own.getattr(intern!(py, "deserializer"))?;
            if !deserializer.is_none() {
                break;
            }
        }
        Ok(Values { of: self, deserializer })
    }
}

impl<'py> Values<'_, 'py> {
    /// The interpreter.
    pub fn py(&self) -> Python<'py> {
        self.deserializer.py()
    }

    fn is_plain(&self, value: &Bound<'py, PyAny>) -> bool {
        plain::incoming(value, self.takes_bytes())
    }

    /// Whether bytes are returned unchanged.
    pub fn takes_bytes(&self) -> bool {
        self.deserializer.is_none()
    }

    /// Converts one value.
    pub fn value(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.is_plain(&value) {
            return Ok(value);
        }
        self.of.incoming.bind(self.py()).call1((value, &self.deserializer))
    }

    /// Converts bins, in place.
    pub fn bins(&self, bins: &Bound<'py, PyDict>) -> PyResult<()> {
        let mut odd = Vec::new();
        for pair in pairs(bins) {
            let (name, value) = pair?;
            if !self.is_plain(&value) {
                odd.push((name, value));
            }
        }
        odd.into_iter().try_for_each(|(name, value)| bins.set_item(name, self.value(value)?))
    }

    /// The bins of operations and their results.
    pub fn results(
        &self,
        plan: &Plan<'py>,
        results: impl Iterator<Item = Bound<'py, PyAny>>,
        mut each: impl FnMut(&Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = self.py();
        for (step, value) in plan.steps.iter().zip(results) {
            let Some(name) = &step.name else { continue };
            if value.is_none() && !step.answers {
                continue;
            }
            let result = match &step.returns {
                Some(returns) if value.is_instance_of::<PyDict>() => {
                    self.of.expected.bind(py).call1((returns, value, &self.deserializer))?
                }
                _ => self.value(value)?,
            };
            each(name, result)?;
        }
        Ok(())
    }

    /// The bins and results as a dict, with the latest result of each bin.
    pub fn by_bin(
        &self,
        plan: &Plan<'py>,
        results: impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let by_bin = PyDict::new(self.py());
        self.results(plan, results, |name, value| by_bin.set_item(name, value))?;
        Ok(by_bin)
    }
}

/// The results of a record's operations.
pub fn results<'py>(py: Python<'py>, record: &Record) -> impl Iterator<Item = Bound<'py, PyAny>> {
    record.results.iter().flat_map(move |results| results.bind(py).iter())
}

/// A key with its digest. `keeps`: whether the user key is included.
pub fn named<'py>(
    key: &Bound<'py, PyAny>,
    digest: &Digest,
    keeps: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let (py, key) = (key.py(), key.cast::<PyTuple>()?);
    let [namespace, set, user, ..] = key.as_slice() else {
        return Err(type_error("a key must have a namespace, a set and a user key"));
    };
    let user = if keeps { user.clone() } else { py.None().into_bound(py) };
    (namespace, set, user, PyByteArray::new(py, &digest.0)).into_pyobject(py)
}

/// Time to live and generation of a record.
pub fn meta<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    meta_of(py, record.ttl.unwrap_or(u32::MAX), record.generation)
}

/// A metadata dict with these numbers.
pub fn meta_of(py: Python<'_>, ttl: u32, generation: u32) -> PyResult<Bound<'_, PyDict>> {
    let meta = PyDict::new(py);
    meta.set_item(intern!(py, "ttl"), ttl)?;
    meta.set_item(intern!(py, "gen"), generation)?;
    Ok(meta)
}

/// Metadata of rows. Most rows have the same as the row before, and copying is cheaper than
/// creating.
#[derive(Default)]
pub struct Metas<'py> {
    latest: Option<(u32, u32, Bound<'py, PyDict>)>,
}

impl<'py> Metas<'py> {
    /// Time to live and generation of a row.
    pub fn of(
        &mut self,
        py: Python<'py>,
        ttl: Option<u32>,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let ttl = ttl.unwrap_or(u32::MAX);
        let Some((known_ttl, known_generation, dict)) = &mut self.latest else {
            let dict = meta_of(py, ttl, generation)?;
            return self.latest.insert((ttl, generation, dict)).2.copy();
        };
        if *known_ttl != ttl {
            dict.set_item(intern!(py, "ttl"), ttl)?;
            *known_ttl = ttl;
        }
        if *known_generation != generation {
            dict.set_item(intern!(py, "gen"), generation)?;
            *known_generation = generation;
        }
        dict.copy()
    }
}
