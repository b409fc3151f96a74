//! Where chains begin.

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use super::home::{Home, StepKinds};
use super::step::StepBase;
use super::verb::Verb;
use crate::aerospike::key::Key;
use crate::bridge::cached::intern;

/// The common base of blocking and asynchronous sessions, which start chains.
#[pyclass(frozen, subclass, module = "spikewire._native")]
pub struct SessionBase {
    home: Py<Home>,
}

impl SessionBase {
    /// The first step of a chain.
    fn first<'py>(
        slf: &Bound<'py, Self>,
        verb: Verb,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if more.is_empty() && key.is_exact_instance_of::<Key>() {
            let home = slf.get().home.bind(py);
            let class = home.get().kinds().of(py, verb, true);
            return StepBase::new_step(class, home, verb, key, true, None);
        }
        slf.call_method1(intern!(py, "_several"), (verb.name(), key, more))
    }
}

#[pymethods]
impl SessionBase {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.home)
    }

    #[new]
    #[classmethod]
    fn new(class: &Bound<'_, PyType>, verbs: Bound<'_, PyAny>) -> PyResult<Self> {
        let kinds = class.getattr(intern!(class.py(), "_kinds"))?;
        Ok(Self { home: Py::new(class.py(), Home::new(verbs, kinds.cast_into::<StepKinds>()?)?)? })
    }

    /// The client, or the view of one.
    #[getter(_verbs)]
    fn verbs(&self, py: Python<'_>) -> Py<PyAny> {
        self.home.get().verbs.clone_ref(py)
    }

    /// A step on these keys; `single`: one key by itself. `of`: its class, where that is not the
    /// usual one.
    #[pyo3(signature = (verb, keys, single, of=None))]
    fn _step<'py>(
        &self,
        py: Python<'py>,
        verb: &str,
        keys: Bound<'py, PyAny>,
        single: bool,
        of: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let verb = Verb::named(verb)?;
        let of = of.unwrap_or_else(|| self.home.get().kinds().of(py, verb, single));
        StepBase::new_step(of, self.home.bind(py), verb, keys, single, None)
    }

    /// Reads records by their keys, or those of a dataset.
    #[pyo3(signature = (key, *more))]
    fn query<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Query, key, more)
    }

    /// Creates records; raises `RecordExists` if one exists.
    #[pyo3(signature = (key, *more))]
    fn insert<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Insert, key, more)
    }

    /// Creates records, or updates the given bins.
    #[pyo3(signature = (key, *more))]
    fn upsert<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Upsert, key, more)
    }

    /// Updates the given bins; raises `RecordNotFound` if the record does not exist.
    #[pyo3(signature = (key, *more))]
    fn update<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Update, key, more)
    }

    /// Creates records, or replaces all their bins.
    #[pyo3(signature = (key, *more))]
    fn replace<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Replace, key, more)
    }

    /// Replaces all bins of records; raises `RecordNotFound` if one does not exist.
    #[pyo3(signature = (key, *more))]
    fn replace_if_exists<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::ReplaceIfExists, key, more)
    }

    /// Deletes records.
    #[pyo3(signature = (key, *more))]
    fn delete<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Delete, key, more)
    }

    /// Renews the time to live of records; raises `RecordNotFound` if one does not exist.
    #[pyo3(signature = (key, *more))]
    fn touch<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Touch, key, more)
    }

    /// Checks which records exist.
    #[pyo3(signature = (key, *more))]
    fn exists<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::first(slf, Verb::Exists, key, more)
    }
}
