//! `submit`: the same verbs, each returning a future that another thread completes.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{Command, NearLookup, Prepared, deadline, look_up};
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike::transport::Aerospike;
use spikewire_transport::OrderKey;
use spikewire_transport::metrics::CallStart;

use super::classes::{Runner, Verbs};
use super::ticket::{Owner, Ticket};
use crate::aerospike::client::Shared;
use crate::aerospike::core::Core;
use crate::aerospike::many::BatchCall;
use crate::aerospike::space::Space;
use crate::aerospike::verbs::Call;
use crate::bridge::future::FutureBase;
use crate::bridge::gil_fairness;
use crate::bridge::submitter::{SubmittedCall, Submitter};
use crate::errors::to_python;
use crate::stages::Watch;

/// Submits calls to the client's background thread.
pub struct Submit(Arc<Shared>);

impl Runner for Submit {
    fn shared(&self) -> &Shared {
        &self.0
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        mut call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        call.policy.metrics_flags = began.metrics_flags;
        send(py, &self.0, call, began.at).map(Bound::into_any)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        let core = self.0.core(py)?;
        let thread = thread(py, &core, &self.0)?;
        let entry = thread.enter(py, call.rows.deadline(), OrderKey::NONE)?;
        let SubmittedCall { future, promise } = entry;
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

/// Sends a call by the client's background thread.
pub(super) fn send<'py>(
    py: Python<'py>,
    shared: &Shared,
    call: Call,
    began: Option<Tick>,
) -> PyResult<Bound<'py, FutureBase>> {
    let core = shared.core(py)?;
    let watch = began.map(|began| {
        core.cluster.metrics().encoded(began);
        Box::new(Watch::Submitted(core.cluster.clone(), None))
    });
    let thread = thread(py, &core, shared)?;
    let Call { bytes, target, policy, plan } = call;
    let command = Prepared { bytes, target, policy };
    let start = Tick::now();
    let SubmittedCall { future, promise } =
        thread.enter(py, deadline(&command.policy, start), command.target.key())?;
    match promise {
        Ok(promise) => {
            let Prepared { bytes, target, policy } = match look_up(&core.cluster, command) {
                NearLookup::Miss(command) => command,
                NearLookup::Hit(known) => {
                    promise.settle(py, plan.finish(py, Ok(known.reply())));
                    return Ok(future);
                }
            };
            let sent = gil_fairness::command_sent();
            let ticket = Ticket::One { promise, plan, sent, watch };
            thread.send(Command::new(bytes, target, policy, start, ticket));
        }
        Err(full) => FutureBase::settle(&future, plan.finish(py, Err(full))),
    }
    Ok(future)
}

fn thread<'a>(
    py: Python<'_>,
    core: &'a Core,
    shared: &Shared,
) -> PyResult<&'a Submitter<Aerospike, Ticket>> {
    Submitter::of(py, &core.submitter, &core.cluster, shared.submit_limit)
}

/// The verbs of a client, each returning a `concurrent.futures.Future` at once. From
/// `Client.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct ClientSubmit {
    pub(super) submit: Submit,
    /// The transaction that its calls are part of.
    transaction: Option<Arc<Transaction>>,
}

impl Verbs for ClientSubmit {
    type Runner = Submit;

    fn runner(&self) -> &Submit {
        &self.submit
    }

    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        self.transaction.as_ref()
    }
}

impl ClientSubmit {
    pub fn new(shared: Arc<Shared>, transaction: Option<Arc<Transaction>>) -> Self {
        Self { submit: Submit(shared), transaction }
    }
}

/// The verbs of a dataset, each returning a `concurrent.futures.Future` at once. From
/// `Dataset.submit`.
#[pyclass(frozen, module = "spikewire")]
pub struct DatasetSubmit {
    pub(super) submit: Submit,
    /// The transaction that its calls are part of.
    transaction: Option<Arc<Transaction>>,
    pub(super) space: Arc<Space>,
}

impl Verbs for DatasetSubmit {
    type Runner = Submit;

    fn runner(&self) -> &Submit {
        &self.submit
    }

    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        self.transaction.as_ref()
    }

    fn home(&self) -> Option<&Arc<Space>> {
        Some(&self.space)
    }
}

impl DatasetSubmit {
    pub fn new(
        shared: Arc<Shared>,
        space: Arc<Space>,
        transaction: Option<Arc<Transaction>>,
    ) -> Self {
        Self { submit: Submit(shared), space, transaction }
    }
}
