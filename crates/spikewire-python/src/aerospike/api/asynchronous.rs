//! The asyncio API: verbs return futures, which are completed in the loop's own thread.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_aerospike::admin;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{Command, NearLookup, Prepared, look_up};
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike::transport::{Aerospike, Next};
use spikewire_transport::metrics::CallStart;

use super::classes::{ClientRunner, Runner, Verbs};
use super::ticket::{AdminPromise, Owner, Ticket};
use crate::aerospike::client::Shared;
use crate::aerospike::core::Core;
use crate::aerospike::identity::Registry;
use crate::aerospike::many::BatchCall;
use crate::aerospike::query::QueryCall;
use crate::aerospike::query::asynchronous::AsyncQuery;
use crate::aerospike::space::Space;
use crate::aerospike::task::{AdminOrigin, AdminRun, Origin};
use crate::aerospike::verbs::Call;
use crate::bridge::connections::LoopConnections;
use crate::bridge::connections::LoopTable;
use crate::bridge::gil_fairness;
use crate::bridge::lifecycle::Running as _;
use crate::errors::type_error;
use crate::stages::{Stages, Watch};

/// What an asyncio client and its datasets share.
pub struct Loops {
    /// Declared first, so dropped before the core that it uses.
    loops: LoopTable<Aerospike, Ticket>,
    shared: Shared,
}

type Connections = LoopConnections<Aerospike, Ticket>;

static KNOWN: Registry<Loops> = Registry::new();

impl Loops {
    /// The connections of the loop that is running in this thread, created on first use.
    fn connections(&self, py: Python<'_>) -> PyResult<Arc<Connections>> {
        self.loops.here(py, || self.shared.core(py), |core| &core.cluster)
    }
}

impl Runner for Loops {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        let connections = self.connections(py)?;
        let now = match began.at {
            Some(began) => connections.topology().metrics().encoded(began),
            None => Tick::now(),
        };
        let Call { bytes, target, mut policy, plan } = call;
        policy.metrics_flags = began.metrics_flags;
        let (future, promise) = connections.promise(py)?;
        let command = Prepared { bytes, target, policy };
        let Prepared { bytes, target, policy } = match look_up(connections.topology(), command) {
            NearLookup::Miss(command) => command,
            NearLookup::Hit(known) => {
                let value = plan.finish(py, Ok(known.reply()));
                if known.yields() {
                    connections.settle_soon(py, promise, value)?;
                } else {
                    promise.settle(py, value);
                }
                return Ok(future);
            }
        };
        let takes_turn = began.at.is_some() && self.shared.stages.takes_turn();
        let watch = takes_turn
            .then(|| Watch::on_loop(connections.topology().clone(), &future))
            .transpose()?;
        let ticket = Ticket::One { promise, plan, sent: gil_fairness::command_sent(), watch };
        connections.submit(py, Command::new(bytes, target, policy, now, ticket), now)?;
        Ok(future)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        let connections = self.connections(py)?;
        let (future, promise) = connections.promise(py)?;
        let cluster = connections.topology();
        let takes_turn = call.plan.timed.is_some() && self.shared.stages.takes_turn();
        let watch = takes_turn.then(|| Watch::on_loop(cluster.clone(), &future)).transpose()?;
        let next = Owner::start(cluster.clone(), promise, call, watch);
        connections.submit_all(py, next)?;
        Ok(future)
    }
}

impl AdminOrigin for Loops {
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        self.shared.core(py)
    }

    fn stages(&self) -> &Stages {
        &self.shared.stages
    }

    fn administer<'py>(&self, py: Python<'py>, run: AdminRun) -> PyResult<Bound<'py, PyAny>> {
        let connections = self.connections(py)?;
        let (future, promise) = connections.promise(py)?;
        let waiter = AdminPromise::new(promise, run.slot);
        let mut next = Next::default();
        admin::start(connections.topology().clone(), run.procedure, waiter, &mut next);
        connections.submit_all(py, next)?;
        Ok(future)
    }
}

impl ClientRunner for Loops {
    type Query = AsyncQuery;
    const START: &'static str = "_start_soon";

    fn known() -> &'static Registry<Self> {
        &KNOWN
    }

    fn check(options: &Bound<'_, PyDict>) -> PyResult<()> {
        if options.contains("submit_limit")? {
            return Err(type_error(
                "submit_limit is an option of Client: AsyncClient has no submit, its verbs return \
                 futures anyway",
            ));
        }
        Ok(())
    }

    fn of(shared: Shared) -> Self {
        Self { loops: LoopTable::default(), shared }
    }

    fn query(&self, py: Python<'_>, call: QueryCall) -> PyResult<AsyncQuery> {
        AsyncQuery::new(py, self.shared.core(py)?, call)
    }

    /// Closes the drivers; that of the running loop at once.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let Some(core) = self.shared.close() else { return Ok(()) };
        self.loops.end(py)?;
        py.detach(|| core.close());
        Ok(())
    }
}

/// An asyncio client; `spikewire.AsyncClient` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct AsyncClient {
    pub(super) runner: Arc<Loops>,
    /// The transaction that its calls are part of.
    pub(super) transaction: Option<Arc<Transaction>>,
}

impl Verbs for AsyncClient {
    type Runner = Loops;

    fn runner(&self) -> &Loops {
        &self.runner
    }

    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        self.transaction.as_ref()
    }
}

impl AsyncClient {
    /// What blocking and asyncio clients share.
    pub fn shared(&self) -> &Shared {
        &self.runner.shared
    }

    /// Runs its calls.
    pub fn runner_handle(&self) -> Arc<Loops> {
        self.runner.clone()
    }

    /// The origin for the client's administrative commands.
    pub fn admin_origin(&self) -> Origin {
        self.runner.clone()
    }
}

/// A namespace and a set of an asyncio client, from `AsyncClient.dataset`. Any event loop may
/// use it; verbs return `asyncio.Future` objects of the running one.
///
/// Datasets are equal if client, namespace and set are. A pickled dataset carries its client's
/// seeds and options. When unpickled, it uses the client it came from if that exists in the
/// process and is open. Otherwise it creates a client like it, which is shared by all datasets
/// from the same client and closed when the process exits, or when no dataset uses it and newer
/// ones exist. Such a client connects inside the first verb, which blocks the event loop until
/// the cluster is found. Passwords are not pickled: such a client takes its password from the
/// environment variable `SPIKEWIRE_AEROSPIKE_PASSWORD`.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncDataset {
    pub(super) runner: Arc<Loops>,
    pub(super) space: Arc<Space>,
    /// The transaction that its calls are part of.
    pub(super) transaction: Option<Arc<Transaction>>,
}

impl Verbs for AsyncDataset {
    type Runner = Loops;

    fn runner(&self) -> &Loops {
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
