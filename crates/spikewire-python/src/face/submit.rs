//! `submit`: the same verbs, each returning a future that another thread completes.

use std::sync::Arc;

use pyo3::prelude::*;

use super::submitter::Submitter;
use crate::call::Call;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::to_python;
use crate::many::ManyCall;
use crate::space::{Address, Space};
use crate::verbs;
use crate::verbs::Defaults;
use spikewire_engine::{Error, Kind};

/// The verbs of a client, each returning a `concurrent.futures.Future` at once. From
/// `Client.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct ClientSubmit {
    pub(super) shared: Arc<Shared>,
}

impl ClientSubmit {
    #[expect(clippy::unused_self, reason = "the verbs call it as a method, as on a dataset")]
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::whole(key)
    }

    fn defaults(&self) -> Defaults {
        self.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        submitter(py, &self.shared, &*self.shared.core(py)?)?.submit(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        submitter(py, &self.shared, &*self.shared.core(py)?)?.submit_many(py, call)
    }
}

verbs!(ClientSubmit {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let seeds = self.shared.seeds().into_pyobject(py)?.repr()?;
        Ok(format!("ClientSubmit({seeds})"))
    }
});

/// The verbs of a dataset, each returning a `concurrent.futures.Future` at once. From
/// `Dataset.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct DatasetSubmit {
    pub(super) shared: Arc<Shared>,
    pub(super) space: Arc<Space>,
}

impl DatasetSubmit {
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::within(&self.space, key)
    }

    fn defaults(&self) -> Defaults {
        self.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        submitter(py, &self.shared, &*self.shared.core(py)?)?.submit(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        submitter(py, &self.shared, &*self.shared.core(py)?)?.submit_many(py, call)
    }
}

verbs!(DatasetSubmit {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        super::shown(py, "DatasetSubmit", &self.space)
    }
});

fn submitter<'a>(py: Python<'_>, shared: &Shared, core: &'a Core) -> PyResult<&'a Submitter> {
    core.submitter(shared.submit_limit).map_err(|error| {
        let message = format!("no thread to drive submitted calls: {error}");
        to_python(py, &Error::new(Kind::Connection, message), None)
    })
}
