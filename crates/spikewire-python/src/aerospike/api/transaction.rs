//! Transactions of both APIs: their facts, their end, and when a function is called again.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use spikewire_aerospike::Result;
use spikewire_aerospike::transaction::{
    EndOutcome, Ending, EndingPart, Failure, Outsider, Retries, RetryOptions, Step, Transaction,
    TransactionOptions,
};

use super::asynchronous::{AsyncClient, Loops};
use super::blocking::Client;
use super::classes::Runner;
use crate::aerospike::client::Shared;
use crate::aerospike::many::BatchCall;
use crate::aerospike::transaction_call::plan;
use crate::aerospike::transaction_stage::{TransactionStage, no_rows};
use crate::arguments::{OptionArgument, seconds};
use crate::errors::{invalid_argument, to_python, type_error, type_name};

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
            return Err(to_python(value.py(), &Outsider::OtherClient.error(), None));
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

    /// The end of a block that did, or did not, succeed.
    fn _end_block<'py>(&self, py: Python<'py>, succeeded: bool) -> PyResult<Bound<'py, PyAny>> {
        self.end(py, |transaction| transaction.end_block(succeeded))
    }
}

/// How often a function is called again, and after which pauses: the rules of the engine.
#[pyclass(module = "spikewire._native")]
pub struct TransactionRetries(Retries);

#[pymethods]
impl TransactionRetries {
    #[new]
    fn new(attempts: Option<Bound<'_, PyAny>>, limit: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let (attempts, limit) = (attempts.map(OptionArgument), limit.map(OptionArgument));
        let options = RetryOptions::of(attempts.as_ref(), limit.as_ref())?;
        Ok(Self(Retries::new(options, Instant::now()).map_err(invalid_argument)?))
    }

    /// Seconds until the next attempt after this `Error`; `None` if there is none.
    fn pause(&mut self, error: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
        let part = error.getattr_opt("part")?.map(|part| part.extract::<PyBackedStr>());
        let part = part.transpose()?;
        let failure = Failure {
            code: error.getattr("code")?.extract()?,
            part: part.and_then(|part| EndingPart::named(&part)),
            in_doubt: error.getattr("in_doubt")?.extract()?,
        };
        Ok(self.0.pause(&failure, Instant::now()).map(|pause| pause.as_secs_f64()))
    }
}
