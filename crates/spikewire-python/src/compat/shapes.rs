//! Keys, metadata, values and results of operations, as the vendor's client shapes them.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyFrozenSet, PyList, PyTuple, PyType};

use spikewire_aerospike_protocol::key::Digest;

use super::plain;
use crate::record::Record;
use crate::value::pairs;

/// What the drop-in's Python has a hand in.
pub struct Shapes {
    /// The class of a batch's rows.
    pub row: Py<PyType>,
    /// Its `__new__`.
    pub new_row: Py<PyAny>,
    /// Makes a value that is not plain, given its deserializer.
    pub incoming: Py<PyAny>,
    /// Makes the result of an operation, given its return type too.
    pub expected: Py<PyAny>,
    /// The first `deserializer` of these that is not `None` counts.
    pub serializers: Py<PyTuple>,
    /// The codes of operations whose result says nothing.
    pub quiet: Py<PyFrozenSet>,
}

/// What makes the values of one call.
pub struct Values<'a, 'py> {
    of: &'a Shapes,
    deserializer: Bound<'py, PyAny>,
}

/// Operations and what is known of their results: a `Prepared` of the drop-in.
pub struct Plan<'py> {
    bins: Bound<'py, PyList>,
    returns: Bound<'py, PyList>,
    codes: Bound<'py, PyList>,
    all_answer: bool,
}

impl<'py> Plan<'py> {
    /// Of the drop-in's tuple.
    pub fn of(prepared: &Bound<'py, PyAny>) -> PyResult<Self> {
        let part = |at: usize| prepared.get_item(at);
        Ok(Self {
            bins: part(1)?.cast_into()?,
            returns: part(2)?.cast_into()?,
            codes: part(3)?.cast_into()?,
            all_answer: part(4)?.extract()?,
        })
    }
}

impl Shapes {
    /// What makes the values of a call.
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
        plain::incoming(value, self.deserializer.is_none())
    }

    /// A new row of a batch.
    pub fn new_row(&self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        self.of.new_row.bind(py).call1((self.of.row.bind(py),))
    }

    /// One value.
    pub fn value(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.is_plain(&value) {
            return Ok(value);
        }
        self.of.incoming.bind(self.py()).call1((value, &self.deserializer))
    }

    /// Bins, which are changed in place.
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
        record: &Record,
        mut each: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = self.py();
        let Some(results) = &record.results else { return Ok(()) };
        let quiet = self.of.quiet.bind(py);
        for (at, (name, value)) in plan.bins.iter().zip(results.bind(py).iter()).enumerate() {
            let silent = !plan.all_answer
                && (value.is_none() || quiet.contains(plan.codes.get_item(at)?)?);
            if name.is_none() || silent {
                continue;
            }
            let returns = plan.returns.get_item(at)?;
            let shown = if returns.is_none() || !value.is_instance_of::<PyDict>() {
                self.value(value)?
            } else {
                self.of.expected.bind(py).call1((returns, value, &self.deserializer))?
            };
            each(name, shown)?;
        }
        Ok(())
    }

    /// The bins and results as a dict: the latest result of each bin.
    pub fn by_bin(&self, plan: &Plan<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
        let found = PyDict::new(self.py());
        self.results(plan, record, |name, value| found.set_item(name, value))?;
        Ok(found)
    }
}

/// A key with its digest. `keeps`: whether with the user key.
pub fn named<'py>(
    key: &Bound<'py, PyAny>,
    digest: &Digest,
    keeps: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let (py, key) = (key.py(), key.cast::<PyTuple>()?);
    let user = if keeps { key.get_item(2)? } else { py.None().into_bound(py) };
    PyTuple::new(
        py,
        [key.get_item(0)?, key.get_item(1)?, user, PyByteArray::new(py, &digest.0).into_any()],
    )
}

/// Time to live and generation.
pub fn meta<'py>(py: Python<'py>, record: &Record) -> PyResult<Bound<'py, PyDict>> {
    meta_of(py, record.ttl.unwrap_or(u32::MAX), record.generation)
}

/// Such of these numbers.
pub fn meta_of(py: Python<'_>, ttl: u32, generation: u32) -> PyResult<Bound<'_, PyDict>> {
    let made = PyDict::new(py);
    made.set_item(intern!(py, "ttl"), ttl)?;
    made.set_item(intern!(py, "gen"), generation)?;
    Ok(made)
}
