//! Steps on keys, which other steps may follow.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::step::StepBase;
use super::verb::Verb;
use crate::aerospike::key::Key;
use crate::bridge::cached::intern;

/// A step on keys, which other steps may follow.
#[pyclass(frozen, extends = StepBase, subclass, module = "spikewire._native")]
pub struct RowsBase;

impl RowsBase {
    /// Initialises the part of a subclass that is this class.
    pub fn begun() -> PyClassInitializer<Self> {
        PyClassInitializer::from(StepBase::default()).add_subclass(Self)
    }

    fn next<'py>(
        slf: &Bound<'py, Self>,
        verb: Verb,
        keys: Bound<'py, PyAny>,
        single: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let step = slf.as_super();
        let home = step.get().home(slf.py())?;
        let class = home.get().kinds().of(slf.py(), verb, false);
        StepBase::new_step(class, &home, verb, keys, single, Some(StepBase::link(step)))
    }

    /// Continues the chain with another step.
    fn follow<'py>(
        slf: &Bound<'py, Self>,
        verb: Verb,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if more.is_empty() && key.is_exact_instance_of::<Key>() {
            return Self::next(slf, verb, key, true);
        }
        slf.call_method1(intern!(slf.py(), "_follow"), (verb.name(), key, more))
    }
}

#[pymethods]
impl RowsBase {
    #[new]
    fn new() -> PyClassInitializer<Self> {
        Self::begun()
    }

    /// Goes on with a step on these keys; `single`: one key by itself.
    fn _next<'py>(
        slf: &Bound<'py, Self>,
        verb: &str,
        keys: Bound<'py, PyAny>,
        single: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::next(slf, Verb::named(verb)?, keys, single)
    }

    /// Adds a step that reads records.
    #[pyo3(signature = (key, *more))]
    fn query<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Query, key, more)
    }

    /// Adds a step that creates records, and rejects those that exist.
    #[pyo3(signature = (key, *more))]
    fn insert<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Insert, key, more)
    }

    /// Adds a step that creates or updates records.
    #[pyo3(signature = (key, *more))]
    fn upsert<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Upsert, key, more)
    }

    /// Adds a step that updates existing records.
    #[pyo3(signature = (key, *more))]
    fn update<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Update, key, more)
    }

    /// Adds a step that creates records or replaces all their bins.
    #[pyo3(signature = (key, *more))]
    fn replace<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Replace, key, more)
    }

    /// Adds a step that replaces all bins of existing records.
    #[pyo3(signature = (key, *more))]
    fn replace_if_exists<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::ReplaceIfExists, key, more)
    }

    /// Adds a step that deletes records.
    #[pyo3(signature = (key, *more))]
    fn delete<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Delete, key, more)
    }

    /// Adds a step that renews the time to live of records.
    #[pyo3(signature = (key, *more))]
    fn touch<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Touch, key, more)
    }

    /// Adds a step that checks which records exist.
    #[pyo3(signature = (key, *more))]
    fn exists<'py>(
        slf: &Bound<'py, Self>,
        key: Bound<'py, PyAny>,
        more: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::follow(slf, Verb::Exists, key, more)
    }
}
