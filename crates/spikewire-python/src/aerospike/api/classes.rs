//! What all classes with verbs have in common: how a verb reaches its runner, and the methods of
//! clients and datasets besides the verbs.

use std::ptr;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_aerospike::transaction::{Outsider, Transaction, outside};
use spikewire_transport::metrics::CallStart;

use crate::aerospike::client::Shared;
use crate::aerospike::core::closed;
use crate::aerospike::identity::{Registry, Token};
use crate::aerospike::many::BatchCall;
use crate::aerospike::query::QueryCall;
use crate::aerospike::query::job::{self, JobCall};
use crate::aerospike::space::Space;
use crate::aerospike::task::AdminOrigin;
use crate::aerospike::transaction_call;
use crate::aerospike::verbs::Call;
use crate::aerospike::verbs::Defaults;
use crate::errors::{to_python, type_error};

/// Runs calls: in the calling thread, on an event loop, or in the client's own thread.
pub trait Runner {
    /// The client to which the calls belong.
    fn shared(&self) -> &Shared;

    /// Runs a call, which began like this. Returns its result or its future.
    fn run<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>>;

    /// Runs a batch. Returns its result or its future.
    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>>;
}

/// A runner for clients, blocking or asyncio.
pub trait ClientRunner: Runner + AdminOrigin + Sized + 'static {
    /// The class of its queries.
    type Query;
    /// The function of `spikewire.aerospike.jobs` that starts a background job.
    const START: &'static str;

    /// All clients of this kind.
    fn known() -> &'static Registry<Self>;

    /// Rejects options that do not apply to this kind of client.
    fn check(_options: &Bound<'_, PyDict>) -> PyResult<()> {
        Ok(())
    }

    /// A client that is not connected yet.
    fn of(shared: Shared) -> Self;

    /// A query that has not started yet.
    fn query(&self, py: Python<'_>, call: QueryCall) -> PyResult<Self::Query>;

    /// Closes all connections. May be called more than once.
    fn end(&self, py: Python<'_>) -> PyResult<()>;
}

/// A class with verbs: a client or a dataset.
pub trait Verbs {
    type Runner: Runner;

    fn runner(&self) -> &Self::Runner;

    /// A dataset's namespace and set, for keys that are only a user key.
    fn home(&self) -> Option<&Arc<Space>> {
        None
    }

    fn defaults(&self) -> &Defaults {
        &self.runner().shared().defaults
    }

    /// The transaction that its calls are part of.
    #[inline]
    fn transaction(&self) -> Option<&Arc<Transaction>> {
        None
    }

    /// Rejects what is no part of transactions.
    fn outside(&self, what: Outsider) -> PyResult<()> {
        outside(self.transaction(), what)
            .map_err(|error| Python::attach(|py| to_python(py, &error, None)))
    }

    /// Registers the start of a call.
    #[inline]
    fn begin(&self) -> CallStart {
        self.runner().shared().stages.begin()
    }

    #[inline]
    fn run_one<'py>(
        &self,
        py: Python<'py>,
        call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.transaction() {
            None => self.runner().run(py, call, began),
            Some(transaction) => self.run_one_in(py, transaction, call, began),
        }
    }

    /// Runs a call on one record as part of a transaction.
    fn run_one_in<'py>(
        &self,
        py: Python<'py>,
        transaction: &Arc<Transaction>,
        call: Call,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shared = self.runner().shared();
        if call.target.write {
            let call = transaction_call::enter_one(py, shared, transaction, call)?;
            return self.run_many_in(py, call, began);
        }
        let call = transaction_call::enter_read(py, shared, transaction, call)?;
        self.runner().run(py, call, began)
    }

    fn run_many<'py>(
        &self,
        py: Python<'py>,
        mut call: BatchCall,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(transaction) = self.transaction() {
            call = transaction_call::enter(py, self.runner().shared(), transaction, call)?;
        }
        self.run_many_in(py, call, began)
    }

    /// Runs a batch that is part of its transaction, if there is one.
    fn run_many_in<'py>(
        &self,
        py: Python<'py>,
        mut call: BatchCall,
        began: CallStart,
    ) -> PyResult<Bound<'py, PyAny>> {
        call.rows.keep(began.metrics_flags);
        if let Some(at) = began.at {
            let core = self.runner().shared().core(py)?;
            core.cluster.metrics().encoded(at);
            call.plan.timed = Some(core.cluster.clone());
        }
        self.runner().run_many(py, call)
    }

    fn run_query(
        &self,
        py: Python<'_>,
        call: QueryCall,
    ) -> PyResult<<Self::Runner as ClientRunner>::Query>
    where
        Self::Runner: ClientRunner,
    {
        self.outside(Outsider::Query)?;
        self.runner().query(py, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>>
    where
        Self::Runner: ClientRunner,
    {
        self.outside(Outsider::Job)?;
        let shared = self.runner().shared();
        shared.core(py)?;
        let origin =
            Self::Runner::known().find(&shared.token, |client| ptr::eq(client.shared(), shared));
        let origin = origin.ok_or_else(|| closed(py))?;
        job::run(py, origin, call, Self::Runner::START)
    }
}

/// Closes the clients that came with unpickled datasets.
pub fn close_adopted<R: ClientRunner>(py: Python<'_>) -> PyResult<()> {
    R::known().release().iter().try_for_each(|client| client.end(py))
}

/// A client created by the program, not connected yet.
pub fn new_client<R: ClientRunner>(
    seeds: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Arc<R>> {
    options.map_or(Ok(()), R::check)?;
    let client = Arc::new(R::of(Shared::new(seeds, options)?));
    R::known().note(client.shared().token, &client);
    Ok(client)
}

/// The client to which an unpickled dataset belongs: the one with this token, or else an equivalent
/// one.
pub fn client_of<R: ClientRunner>(
    token: Token,
    seeds: &Bound<'_, PyAny>,
    options: &Bound<'_, PyDict>,
) -> PyResult<Arc<R>> {
    let (known, fits) = (R::known(), |client: &R| !client.shared().is_closed());
    if let Some(client) = known.find(&token, fits) {
        return Ok(client);
    }
    let shared = Shared::adopted(token, seeds, options)?;
    Ok(known.keep(token, Arc::new(R::of(shared)), fits))
}

/// The error for an attempt to pickle a client.
pub fn not_picklable(class: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    Ok(type_error(format!(
        "{} objects hold connections and cannot be pickled; pickle datasets, which find their \
         client again, or connect anew where they are unpickled",
        class.get_type().name()?
    )))
}
