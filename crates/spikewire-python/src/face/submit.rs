//! `submit`: the same verbs, each returning a future that another thread completes.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::{Error, Kind};

use super::classes::Runner;
use super::submitter::Submitter;
use crate::call::Call;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::to_python;
use crate::many::BatchCall;
use crate::space::Space;

/// Hands calls to the client's thread for them.
pub struct Submit(Arc<Shared>);

impl Runner for Submit {
    fn shared(&self) -> &Shared {
        &self.0
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.thread(py, &*self.0.core(py)?)?.submit(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        self.thread(py, &*self.0.core(py)?)?.submit_many(py, call)
    }
}

impl Submit {
    fn thread<'a>(&self, py: Python<'_>, core: &'a Core) -> PyResult<&'a Submitter> {
        let start = || Submitter::start(core.cluster.clone(), self.0.submit_limit);
        core.submitter.get_or_start(start).map_err(|error| {
            let message = format!("no thread to drive submitted calls: {error}");
            to_python(py, &Error::new(Kind::Connection, message), None)
        })
    }
}

/// The verbs of a client, each returning a `concurrent.futures.Future` at once. From
/// `Client.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct ClientSubmit {
    pub(super) submit: Submit,
}

impl ClientSubmit {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self { submit: Submit(shared) }
    }
}

/// The verbs of a dataset, each returning a `concurrent.futures.Future` at once. From
/// `Dataset.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct DatasetSubmit {
    pub(super) submit: Submit,
    pub(super) space: Arc<Space>,
}

impl DatasetSubmit {
    pub fn new(shared: Arc<Shared>, space: Arc<Space>) -> Self {
        Self { submit: Submit(shared), space }
    }
}
