//! `submit`: the same verbs, each returning a future that another thread completes.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{Command, deadline};
use spikewire_aerospike::transport::Aerospike;

use super::classes::Runner;
use super::ticket::{Owner, Ticket};
use crate::bridge::future::FutureBase;
use crate::bridge::gil_fairness;
use crate::bridge::submitter::{Entry, Submitter};
use crate::call::Call;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::to_python;
use crate::many::BatchCall;
use crate::space::Space;
use crate::stages::Watch;

/// Submits calls to the client's background thread.
pub struct Submit(Arc<Shared>);

impl Runner for Submit {
    fn shared(&self) -> &Shared {
        &self.0
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.send(py, call, None)
    }

    fn run_timed<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        began: Tick,
    ) -> PyResult<Bound<'py, PyAny>> {
        let core = self.0.core(py)?;
        core.cluster.metrics().encoded(began);
        let watch = Watch::Submitted(core.cluster.clone(), None);
        self.send(py, call, Some(Box::new(watch)))
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        let core = self.0.core(py)?;
        let thread = self.thread(py, &core)?;
        let Entry { future, promise } = thread.enter(py, call.rows.deadline())?;
        match promise {
            Ok(promise) => {
                let timed = call.plan.timed.clone();
                let watch = timed.map(|cluster| Box::new(Watch::Submitted(cluster, None)));
                thread.send_all(Owner::start(core.cluster.clone(), promise, call, watch));
            }
            Err(full) => FutureBase::settle(&future, Err(to_python(py, &full, None))),
        }
        Ok(future.into_any())
    }
}

impl Submit {
    fn send<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        watch: Option<Box<Watch>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let core = self.0.core(py)?;
        let thread = self.thread(py, &core)?;
        let Call { bytes, target, policy, plan } = call;
        let start = Tick::now();
        let Entry { future, promise } = thread.enter(py, deadline(&policy, start))?;
        match promise {
            Ok(promise) => {
                let sent = gil_fairness::command_sent();
                let ticket = Ticket::One { promise, plan, sent, watch };
                thread.send(Command::new(bytes, target, policy, start, ticket));
            }
            Err(full) => FutureBase::settle(&future, plan.finish(py, Err(full))),
        }
        Ok(future.into_any())
    }

    fn thread<'a>(
        &self,
        py: Python<'_>,
        core: &'a Core,
    ) -> PyResult<&'a Submitter<Aerospike, Ticket>> {
        Submitter::of(py, &core.submitter, &core.cluster, self.0.submit_limit)
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
