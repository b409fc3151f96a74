//! The client to which a chain belongs, and how steps call its verbs.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use pyo3::{PyTraverseError, PyVisit};

use super::verb::Verb;
use crate::aerospike::api::Verbs;
use crate::aerospike::api::asynchronous::AsyncClient;
use crate::aerospike::api::blocking::Client;
use crate::aerospike::key::Address;
use crate::aerospike::many::{self, BatchCall, Resolve};
use crate::aerospike::verbs::{Call, Defaults};
use crate::bridge::cached::intern;

/// The classes of steps of one API: those on one key by itself, and the others.
#[pyclass(frozen, module = "spikewire._native")]
pub struct StepKinds {
    one: Vec<Py<PyType>>,
    many: Vec<Py<PyType>>,
}

impl StepKinds {
    /// Five classes each: for reading, writing, deleting, touching and checking existence.
    pub fn new_checked(one: Vec<Py<PyType>>, many: Vec<Py<PyType>>) -> Self {
        Self { one, many }
    }

    /// The step class of a verb: the one for a single key, or the one for several.
    pub fn of<'a, 'py>(
        &'a self,
        py: Python<'py>,
        verb: Verb,
        single_call: bool,
    ) -> &'a Bound<'py, PyType> {
        let classes = if single_call { &self.one } else { &self.many };
        classes[verb.kind()].bind(py)
    }
}

/// The client of a session, which all of its steps hold.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Home {
    /// The client, or a view of one.
    pub verbs: Py<PyAny>,
    direct: Option<Direct>,
    kinds: Py<StepKinds>,
}

#[pymethods]
impl Home {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.verbs)?;
        match &self.direct {
            Some(Direct::Blocking(client)) => visit.call(client),
            Some(Direct::Async(client)) => visit.call(client),
            None => Ok(()),
        }
    }
}

impl Home {
    pub fn new(verbs: Bound<'_, PyAny>, kinds: Bound<'_, StepKinds>) -> PyResult<Self> {
        Ok(Self { direct: Direct::of(&verbs)?, verbs: verbs.unbind(), kinds: kinds.unbind() })
    }

    pub fn kinds(&self) -> &StepKinds {
        self.kinds.get()
    }

    /// The verbs, if they can be called without going through Python.
    pub fn direct(&self) -> Option<&Direct> {
        self.direct.as_ref()
    }
}

/// The verbs that steps call directly.
const CALLED: [&str; 7] = ["get", "put", "operate", "delete", "touch", "exists", "batch"];

/// A client none of whose verbs is overridden or replaced.
pub enum Direct {
    Blocking(Py<Client>),
    Async(Py<AsyncClient>),
}

impl Direct {
    fn of(verbs: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = verbs.py();
        let (home, native) = if let Ok(client) = verbs.cast::<Client>() {
            (Self::Blocking(client.clone().unbind()), py.get_type::<Client>())
        } else if let Ok(client) = verbs.cast::<AsyncClient>() {
            (Self::Async(client.clone().unbind()), py.get_type::<AsyncClient>())
        } else {
            return Ok(None);
        };
        let of = verbs.get_type();
        let own = verbs.getattr_opt(intern!(py, "__dict__"))?;
        let own = own.and_then(|own| own.cast_into::<PyDict>().ok());
        for name in CALLED {
            if !of.getattr(name)?.is(&native.getattr(name)?) {
                return Ok(None);
            }
            if let Some(own) = &own
                && own.contains(name)?
            {
                return Ok(None);
            }
        }
        Ok(Some(home))
    }

    /// Runs a call on one record.
    pub fn run<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        make: impl FnOnce(&Defaults, Address<'py>) -> PyResult<Call>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fn on<'py, V: Verbs>(
            verbs: &V,
            key: &Bound<'py, PyAny>,
            make: impl FnOnce(&Defaults, Address<'py>) -> PyResult<Call>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let began = verbs.begin();
            let call = make(verbs.defaults(), Address::of(verbs.home(), key)?)?;
            verbs.run_one(key.py(), call, began)
        }
        match self {
            Self::Blocking(client) => on(client.get(), key, make),
            Self::Async(client) => on(client.get(), key, make),
        }
    }

    /// Runs a call on many records.
    pub fn run_many<'py>(
        &self,
        py: Python<'py>,
        make: impl FnOnce(&Defaults, Resolve<'_>) -> PyResult<BatchCall>,
    ) -> PyResult<Bound<'py, PyAny>> {
        fn on<'py, V: Verbs>(
            py: Python<'py>,
            verbs: &V,
            make: impl FnOnce(&Defaults, Resolve<'_>) -> PyResult<BatchCall>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let resolve = |key: &Bound<'_, PyAny>| many::whole(Address::of(verbs.home(), key));
            let began = verbs.begin();
            verbs.run_many(py, make(verbs.defaults(), &resolve)?, began)
        }
        match self {
            Self::Blocking(client) => on(py, client.get(), make),
            Self::Async(client) => on(py, client.get(), make),
        }
    }
}
