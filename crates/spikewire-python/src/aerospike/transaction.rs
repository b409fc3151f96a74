//! Transactions: calls that are part of one, and its end. Both are batches that are sent one after
//! the other, which every API runs as it runs those of a table.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::{Batch as Rows, RowOutcome};
use spikewire_aerospike::command::{Attempts, Prepared};
use spikewire_aerospike::transaction::{
    CommitError, EndOutcome, Ending, EndingPart, Step, Steps as _, Transaction, TransactionCall,
    TransactionOptions,
};
use spikewire_aerospike::transport::{Reply, buffer};
use spikewire_aerospike::{Error, Kind, Policy, Result};
use spikewire_aerospike_protocol::message::{field, fields_in};

use crate::aerospike::api::Runner;
use crate::aerospike::api::asynchronous::{AsyncClient, Loops};
use crate::aerospike::api::blocking::Client;
use crate::aerospike::batch::RowReader;
use crate::aerospike::call::ResponsePlan;
use crate::aerospike::client::Shared;
use crate::aerospike::key::Key;
use crate::aerospike::many::{BatchCall, BatchPlan};
use crate::aerospike::space;
use crate::aerospike::verbs::Call;
use crate::arguments::seconds;
use crate::errors::{invalid_argument, to_python, type_error, type_name};

/// What a batch is to a transaction.
pub enum TransactionStage {
    /// A call, with the plan for its result if it is one on a single record.
    Call { call: TransactionCall, cluster: Arc<Cluster>, single: Option<ResponsePlan> },
    /// Commit or abort, and what came of it.
    Ending { ending: Ending, outcome: Option<EndOutcome> },
}

impl TransactionStage {
    /// Processes finished rows. The rows of the call are those that are done.
    pub fn next(&mut self, rows: Rows) -> Step<Rows> {
        match self {
            Self::Call { call, .. } => call.next(rows),
            Self::Ending { outcome: Some(_), .. } => Step::Done(rows),
            Self::Ending { ending, outcome } => match ending.next(rows) {
                Step::Send(rows) => Step::Send(rows),
                Step::Done(over) => {
                    *outcome = Some(over);
                    Step::Done(no_rows())
                }
            },
        }
    }

    /// More rows of a table, which are a call of their own.
    pub fn again(&mut self, py: Python<'_>, rows: Rows) -> PyResult<Rows> {
        let Self::Call { call, cluster, .. } = self else { return Ok(rows) };
        let entered = call.transaction().clone().enter(cluster, rows);
        let (next, rows) = entered.map_err(|error| to_python(py, &error, None))?;
        *call = next;
        Ok(rows)
    }

    /// Whether it is run to its end even if nobody waits for it.
    pub fn is_ending(&self) -> bool {
        matches!(self, Self::Ending { .. })
    }

    /// The result; `None` if it is that of the batch.
    pub fn finish<'py>(
        &mut self,
        py: Python<'py>,
        rows: &Rows,
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        match self {
            Self::Call { single, .. } => Some(finish_one(py, single.take()?, rows)),
            Self::Ending { outcome, .. } => Some(match outcome.take()? {
                Ok(status) => Ok(PyString::intern(py, status.name()).into_any()),
                Err(failure) => Err(commit_failed(py, &failure)),
            }),
        }
    }
}

/// The result of a call on one record, whose batch has one row.
fn finish_one<'py>(
    py: Python<'py>,
    plan: ResponsePlan,
    rows: &Rows,
) -> PyResult<Bound<'py, PyAny>> {
    let failed = matches!(rows.outcome(0), RowOutcome::Failed | RowOutcome::Late);
    match rows.reply_of(0) {
        Some((body, node)) if !failed || !rows.is_in_doubt(0) => {
            plan.finish(py, Ok(Reply { body, node, attempts: Attempts::default() }))
        }
        _ => plan.finish(py, Err(rows.failure(0))),
    }
}

fn no_rows() -> Rows {
    Rows::new(
        Vec::new(),
        std::iter::empty(),
        Policy::default(),
        spikewire_aerospike::clock::Tick::now(),
    )
}

fn plan(stage: TransactionStage) -> BatchPlan {
    let mut plan = BatchPlan::from(RowReader::new(Vec::new()));
    plan.stage = Some(Box::new(stage));
    plan
}

/// A call on one record as a batch that is part of a transaction.
pub fn enter_one(
    py: Python<'_>,
    shared: &Shared,
    transaction: &Arc<Transaction>,
    call: Call,
) -> PyResult<BatchCall> {
    let cluster = shared.core(py)?.cluster.clone();
    let Call { bytes, target, policy, plan: single } = call;
    let command = Prepared { bytes, target, policy };
    let entered = transaction.enter_one(&cluster, &command);
    buffer::give(command.bytes);
    let (call, rows) = entered.map_err(|error| to_python(py, &error, None))?;
    let stage = TransactionStage::Call { call, cluster, single: Some(single) };
    Ok(BatchCall { rows, plan: plan(stage) })
}

/// A batch that is part of a transaction.
pub fn enter(
    py: Python<'_>,
    shared: &Shared,
    transaction: &Arc<Transaction>,
    call: BatchCall,
) -> PyResult<BatchCall> {
    let BatchCall { rows, mut plan } = call;
    if rows.is_empty() {
        return Ok(BatchCall { rows, plan });
    }
    let cluster = shared.core(py)?.cluster.clone();
    let (call, rows) =
        transaction.enter(&cluster, rows).map_err(|error| to_python(py, &error, None))?;
    plan.stage = Some(Box::new(TransactionStage::Call { call, cluster, single: None }));
    Ok(BatchCall { rows, plan })
}

/// The error for what transactions do not allow.
pub fn refused(why: &str) -> PyErr {
    Python::attach(|py| to_python(py, &Error::new(Kind::Transaction, why), None))
}

/// The exception for a commit that failed.
fn commit_failed(py: Python<'_>, failure: &CommitError) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let module = py.import("spikewire.errors")?;
        let records = PyList::empty(py);
        for record in &failure.records {
            let mut names = fields_in(&record.address);
            let mut name = |id| {
                let data = names.find(|it| it.id == id).map(|it| it.data).unwrap_or_default();
                std::str::from_utf8(data).unwrap_or_default()
            };
            let (namespace, set) = (name(field::NAMESPACE), name(field::SET));
            let space = space::of(namespace, Some(set).filter(|set| !set.is_empty()))?;
            let key = Key { space, user: py.None(), digest: record.digest };
            let key = Bound::new(py, key)?.into_any();
            records.append(to_python(py, &record.error, Some(key)).value(py))?;
        }
        let error = &failure.error;
        let made = module.getattr("_commit_failed")?.call1((
            error.kind().code(),
            error.message(),
            error.node(),
            error.attempts(),
            error.in_doubt(),
            failure.part.map_or("", EndingPart::name),
            records,
        ))?;
        Ok(PyErr::from_value(made))
    };
    make().unwrap_or_else(|error| error)
}

/// The client of a transaction.
enum Home {
    Blocking(Arc<Shared>),
    Async(Arc<Loops>),
}

impl Home {
    fn shared(&self) -> &Shared {
        match self {
            Self::Blocking(shared) => shared,
            Self::Async(loops) => loops.shared(),
        }
    }
}

/// A transaction of a client; `spikewire.Transaction` and `AsyncTransaction` are built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct TransactionCore {
    transaction: Arc<Transaction>,
    home: Home,
}

impl TransactionCore {
    /// The transaction that an object is, which must be one of this client.
    pub fn of(value: &Bound<'_, PyAny>, shared: &Shared) -> PyResult<Arc<Transaction>> {
        let Ok(core) = value.cast::<Self>() else {
            let message = format!("transaction must be a Transaction, not {}", type_name(value));
            return Err(type_error(message));
        };
        let core = core.get();
        if core.home.shared().token != shared.token {
            return Err(refused("the transaction is one of another client"));
        }
        Ok(core.transaction.clone())
    }

    /// Whether both are the same transaction, or none.
    pub fn is_same(one: Option<&Arc<Transaction>>, other: Option<&Arc<Transaction>>) -> bool {
        one.map(Arc::as_ptr) == other.map(Arc::as_ptr)
    }

    fn end<'py>(
        &self,
        py: Python<'py>,
        begin: impl Fn(&Arc<Transaction>) -> Result<EndingStart>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (ending, first) =
            begin(&self.transaction).map_err(|error| to_python(py, &error, None))?;
        let (rows, outcome) = match first {
            Step::Send(rows) => (rows, None),
            Step::Done(outcome) => (no_rows(), Some(outcome)),
        };
        let call = BatchCall { rows, plan: plan(TransactionStage::Ending { ending, outcome }) };
        match &self.home {
            Home::Blocking(shared) => shared.run_many(py, call),
            Home::Async(loops) => loops.run_many(py, call),
        }
    }
}

type EndingStart = (Ending, Step<EndOutcome>);

#[pymethods]
impl TransactionCore {
    #[new]
    #[pyo3(signature = (client, timeout=None, id=None))]
    fn new(
        client: &Bound<'_, PyAny>,
        timeout: Option<&Bound<'_, PyAny>>,
        id: Option<u64>,
    ) -> PyResult<Self> {
        let home = match client.cast::<Client>() {
            Ok(client) => Home::Blocking(client.get().runner_handle()),
            Err(_) => Home::Async(client.cast::<AsyncClient>()?.get().runner_handle()),
        };
        let mut options = TransactionOptions::default();
        if let Some(timeout) = timeout {
            let timeout = seconds("timeout", timeout)?;
            options = options.with_timeout(timeout).map_err(invalid_argument)?;
        }
        let transaction = match id {
            Some(id) => Transaction::new(id, options),
            None => Transaction::begin(options),
        };
        Ok(Self { transaction, home })
    }

    /// The number by which servers know it.
    #[getter]
    fn id(&self) -> u64 {
        self.transaction.id()
    }

    /// How far it has come: "open", "verified", "committed", "aborted" or "in_doubt".
    #[getter]
    fn state(&self) -> &'static str {
        self.transaction.state().name()
    }

    /// Its namespace, which the first call determines; `None` before.
    #[getter]
    fn namespace(&self) -> Option<String> {
        self.transaction.namespace().map(|name| name.to_string())
    }

    /// Its lifetime in seconds; 0 for the server's default.
    #[getter]
    fn timeout(&self) -> u64 {
        self.transaction.timeout().as_secs()
    }

    /// How many records it has read without writing them, and how many it has written.
    #[getter]
    fn _counts(&self) -> (usize, usize) {
        self.transaction.counts()
    }

    fn _commit<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.end(py, Transaction::commit)
    }

    fn _abort<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.end(py, Transaction::abort)
    }
}
