//! The type of a dataset's records: a class of the program, and how bins become instances of it.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{PyTraverseError, PyVisit};

use spikewire_aerospike::command::BinSelection;
use spikewire_aerospike_protocol::message::op;

use crate::aerospike::arguments;
use crate::aerospike::space::Space;
use crate::bridge::cached::intern;
use crate::bridge::imports::typed;
use crate::errors::about;

/// The type of records: made by `spikewire.typed`, which knows the kinds of classes.
#[pyclass(frozen, module = "spikewire._native")]
pub struct RecordType {
    /// The class that the program gave.
    class: Py<PyAny>,
    /// Its bins, all of which are read.
    names: Vec<String>,
    /// From an instance, or a dict of bins, to a dict of bins. With `whole`, no bin may be missing.
    encode: Py<PyAny>,
    /// From a dict of bins to an instance.
    decode: Py<PyAny>,
    /// Checks the name of a bin.
    check: Py<PyAny>,
}

impl RecordType {
    /// The type of a set's records, if it has one.
    #[inline]
    pub fn of(space: &Space) -> Option<&Self> {
        space.attached.as_ref()?.downcast_ref::<Py<Self>>().map(Py::get)
    }

    /// The same set, with the type that `spikewire.typed` makes of a class.
    pub fn attach(class: &Bound<'_, PyAny>, space: &Space) -> PyResult<Arc<Space>> {
        let py = class.py();
        let record_type = typed(py)?.call_method1(intern!(py, "record_type"), (class,))?;
        Ok(space.with(Arc::new(record_type.cast_into::<Self>()?.unbind())))
    }

    /// Whether the records of both sets have the same type, or both have none.
    pub fn same(one: &Space, other: &Space) -> bool {
        match (Self::of(one), Self::of(other)) {
            (Some(one), Some(other)) => one.class.is(&other.class),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    pub fn class<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.class.bind(py)
    }

    /// Checks the names of bins that a call mentions.
    fn check<'a>(&self, py: Python<'_>, names: impl Iterator<Item = &'a str>) -> PyResult<()> {
        for name in names.filter(|name| !self.names.iter().any(|known| known == name)) {
            self.check.bind(py).call1((name,))?;
        }
        Ok(())
    }

    /// The instance for bins that were read.
    pub fn decode<'py>(&self, bins: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
        self.decode.bind(bins.py()).call1((bins,))
    }
}

/// The bins that a read returns, with their names unless all are selected.
#[inline]
pub fn selected(bins: Option<&Bound<'_, PyAny>>) -> PyResult<(BinSelection, Vec<String>)> {
    let mut names = Vec::new();
    if let Some(bins) = bins {
        arguments::bins(bins, |name| names.push(name.to_owned()))?;
    }
    Ok((BinSelection::of(bins.map(|_| names.len())), names))
}

/// The bins that a read of this set returns, with their names unless all are selected.
#[inline]
pub fn selection(
    space: &Space,
    bins: Option<&Bound<'_, PyAny>>,
) -> PyResult<(BinSelection, Vec<String>)> {
    let Some(of) = RecordType::of(space) else { return selected(bins) };
    let Some(bins) = bins else {
        return Ok((BinSelection::of(Some(of.names.len())), of.names.clone()));
    };
    let selection = selected(Some(bins))?;
    of.check(bins.py(), selection.1.iter().map(String::as_str))?;
    Ok(selection)
}

/// The bins to write for what a call passes: the same, unless the set has a type. `code` is the
/// operation on each bin. Only a write that never creates a record may leave bins out.
#[inline]
pub fn written<'a, 'py>(
    space: &Space,
    bins: &'a Bound<'py, PyAny>,
    code: u8,
    exists: Option<&Bound<'py, PyAny>>,
) -> PyResult<Cow<'a, Bound<'py, PyAny>>> {
    let Some(of) = RecordType::of(space) else { return Ok(Cow::Borrowed(bins)) };
    let updates = exists.is_some_and(|rule| {
        rule.cast::<PyString>().is_ok_and(|rule| rule.to_str().is_ok_and(|rule| rule == "update"))
    });
    let whole = code == op::WRITE && !updates;
    of.encode.bind(bins.py()).call1((bins, whole)).map(Cow::Owned)
}

/// What a record holds: an instance of the type of its set, or else a dict of its bins.
pub fn value<'py>(
    space: &Space,
    bins: &Bound<'py, PyDict>,
    key: impl FnOnce() -> PyResult<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(of) = RecordType::of(space) else { return Ok(bins.copy()?.into_any()) };
    of.decode(bins).map_err(|error| {
        let py = bins.py();
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let cause = error.cause(py);
        let extended = key().map_or_else(|other| other, |key| about(py, error, &key));
        extended.set_cause(py, cause);
        extended
    })
}

/// The bins of an instance of a class that can be the type of records; `None` for other objects.
pub fn bins_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let bins = typed(value.py())?.call_method1(intern!(value.py(), "bins_of"), (value,))?;
    if bins.is_none() { Ok(None) } else { Ok(Some(bins.cast_into()?)) }
}

/// `class[item]`, for annotations.
pub fn annotation<'py>(
    class: &Bound<'py, PyType>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let types = class.py().import(intern!(class.py(), "types"))?;
    types.call_method1(intern!(class.py(), "GenericAlias"), (class, item))
}

#[pymethods]
impl RecordType {
    #[new]
    #[pyo3(signature = (class_, names, encode, decode, check))]
    fn new(
        class_: Py<PyAny>,
        names: Vec<String>,
        encode: Py<PyAny>,
        decode: Py<PyAny>,
        check: Py<PyAny>,
    ) -> Self {
        Self { class: class_, names, encode, decode, check }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.class)?;
        visit.call(&self.encode)?;
        visit.call(&self.decode)?;
        visit.call(&self.check)
    }
}
