//! The blocking API: the calling thread drives the connection itself, detached from the
//! interpreter.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use spikewire_aerospike::cluster::Node;
use spikewire_aerospike::command::{Attempts, NearLookup, Prepared, look_up};
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike::transport::{Reply, buffer};
use spikewire_transport::metrics::CallStart;

use super::classes::{ClientRunner, Runner, Verbs};
use super::submit;
use crate::aerospike::call::ResponsePlan;
use crate::aerospike::client::Shared;
use crate::aerospike::core::Core;
use crate::aerospike::identity::Registry;
use crate::aerospike::many::{BatchCall, NextWindow};
use crate::aerospike::query::QueryCall;
use crate::aerospike::query::blocking::Query;
use crate::aerospike::space::Space;
use crate::aerospike::task::{AdminOrigin, Origin};
use crate::aerospike::verbs::Call;
use crate::bridge::lifecycle::Running as _;
use crate::bridge::signal::{detached, detached_command};
use crate::bridge::submitter::wait_for;
use crate::errors::{to_python, type_error};
use crate::stages::Stages;

static KNOWN: Registry<Shared> = Registry::new();

/// Stops the threads for submitted calls of all clients. Called when the process exits.
pub fn end_submitted(py: Python<'_>) {
    let open = KNOWN.all().into_iter().filter_map(|shared| shared.running());
    let open: Vec<_> = open.collect();
    py.detach(|| open.iter().for_each(|core| core.submitter.end()));
}

/// A blocking client; `spikewire.Client` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct Client {
    pub(super) runner: Arc<Shared>,
    /// The transaction that its calls are part of.
    pub(super) transaction: Option<Arc<Transaction>>,
}

impl Verbs for Client {
    type Runner = Shared;

    fn runner(&self) -> &Shared {
        &self.runner
    }

    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        self.transaction.as_ref()
    }
}

impl Client {
    /// What blocking and asyncio clients share.
    pub fn shared(&self) -> &Shared {
        &self.runner
    }

    /// Runs its calls.
    pub fn runner_handle(&self) -> Arc<Shared> {
        self.runner.clone()
    }

    /// The origin for the client's administrative commands.
    pub fn admin_origin(&self) -> Origin {
        self.runner.clone()
    }
}

/// A namespace and a set of a blocking client, from `Client.dataset`. Any number of threads
/// may use it.
///
/// Datasets are equal if client, namespace and set are. A pickled dataset carries its client's
/// seeds and options. When unpickled, it uses the client it came from if that exists in the
/// process and is open. Otherwise it creates a client like it, which connects on first use, is
/// shared by all datasets from the same client, and is closed when the process exits, or when no
/// dataset uses it and newer ones exist. Passwords are not pickled: such a client takes its
/// password from the environment variable `SPIKEWIRE_AEROSPIKE_PASSWORD`.
#[pyclass(frozen, module = "spikewire")]
pub struct Dataset {
    pub(super) runner: Arc<Shared>,
    pub(super) space: Arc<Space>,
    /// The transaction that its calls are part of.
    pub(super) transaction: Option<Arc<Transaction>>,
}

impl Verbs for Dataset {
    type Runner = Shared;

    fn runner(&self) -> &Shared {
        &self.runner
    }

    fn home(&self) -> Option<&Arc<Space>> {
        Some(&self.space)
    }

    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        self.transaction.as_ref()
    }
}

impl AdminOrigin for Shared {
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        Self::core(self, py)
    }

    fn stages(&self) -> &Stages {
        &self.stages
    }
}

impl ClientRunner for Shared {
    type Query = Query;
    const START: &'static str = "_start";

    fn known() -> &'static Registry<Self> {
        &KNOWN
    }

    fn check(options: &Bound<'_, PyDict>) -> PyResult<()> {
        if options.contains("max_in_flight")? {
            return Err(type_error(
                "max_in_flight is an option of AsyncClient: of a Client each thread has one call in \
                 flight, and submit has submit_limit",
            ));
        }
        Ok(())
    }

    fn of(shared: Shared) -> Self {
        shared
    }

    fn query(&self, py: Python<'_>, call: QueryCall) -> PyResult<Query> {
        Query::new(py, self.core(py)?, call)
    }

    fn end(&self, py: Python<'_>) -> PyResult<()> {
        if let Some(core) = self.close() {
            py.detach(|| core.close());
        }
        Ok(())
    }
}

impl Runner for Shared {
    fn shared(&self) -> &Shared {
        self
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        mut call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        let core = self.core(py)?;
        call.policy.metrics_flags = began.metrics_flags;
        let began = began.at;
        if core.submitter.must_send(call.target.key()) {
            return wait_for(&submit::send(py, self, call, began)?);
        }
        let metrics = core.cluster.metrics();
        if let Some(began) = began {
            metrics.encoded(began);
        }
        let Call { bytes, target, policy, plan } = call;
        let command = Prepared { bytes, target, policy };
        let Prepared { bytes, target, policy } = match look_up(&core.cluster, command) {
            NearLookup::Miss(command) => command,
            NearLookup::Hit(known) => return plan.finish(py, Ok(known.reply())),
        };
        let (mut body, mut timing) = (buffer::take(), None);
        let outcome = detached_command(py, |interrupted| {
            core.blocking.run(bytes, target, policy, &mut body, interrupted, &mut timing)
        })?;
        let answered = timing.and_then(|timing| metrics.goes_on(timing.answered));
        let result = finish(py, plan, outcome, body);
        metrics.decoded(answered);
        result
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        run_many(py, self, call)
    }
}

/// Converts a reply to the caller's result.
#[inline(always)]
fn finish(
    py: Python<'_>,
    plan: ResponsePlan,
    outcome: spikewire_aerospike::Result<(Arc<Node>, Attempts)>,
    mut body: Vec<u8>,
) -> PyResult<Bound<'_, PyAny>> {
    let result = match &outcome {
        Ok((node, attempts)) if plan.wants_memory() => {
            plan.finish_with(py, std::mem::take(&mut body), node, *attempts)
        }
        Ok((node, attempts)) => {
            plan.finish(py, Ok(Reply { body: &body, node, attempts: *attempts }))
        }
        Err(error) => plan.finish(py, Err(error.clone())),
    };
    buffer::give(body);
    result
}

fn run_many<'py>(py: Python<'py>, shared: &Shared, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
    let core = shared.core(py)?;
    let BatchCall { mut rows, mut plan } = call;
    loop {
        let outcome = detached(py, |interrupted| core.blocking.run_batch(&mut rows, interrupted))?;
        outcome.map_err(|error| to_python(py, &error, None))?;
        core.cluster.metrics().goes_on(rows.answered());
        match plan.next_window(py, rows)? {
            NextWindow::Send(more) => rows = more,
            NextWindow::Finish(all) => return plan.finish(py, all),
        }
    }
}
