//! What a batch is to a transaction: one of the batches of a call, or of its end.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use spikewire_aerospike::Policy;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::Attempts;
use spikewire_aerospike::command::batch::{Batch as Rows, RowOutcome};
use spikewire_aerospike::transaction::{
    CommitError, EndOutcome, Ending, EndingPart, Step, Steps as _, TransactionCall,
};
use spikewire_aerospike::transport::Reply;

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::key::Key;
use crate::aerospike::space;
use crate::errors::to_python;

/// What a batch is to a transaction.
#[expect(clippy::large_enum_variant, reason = "most are calls, and each is moved a few times")]
pub enum TransactionStage {
    /// A call, with the plan for its result if it is one on a single record.
    Call { call: TransactionCall, cluster: Arc<Cluster>, single: Option<Box<ResponsePlan>> },
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
            Self::Call { single, .. } => Some(finish_one(py, *single.take()?, rows)),
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

/// A batch without rows, for what has nothing to send.
pub fn no_rows() -> Rows {
    Rows::new(Vec::new(), std::iter::empty(), Policy::default(), Tick::now())
}

/// The exception for a commit that failed.
fn commit_failed(py: Python<'_>, failure: &CommitError) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let module = py.import("spikewire.errors")?;
        let records = PyList::empty(py);
        for record in &failure.records {
            let (namespace, set) = record.names();
            let space = space::of(namespace, Some(set).filter(|set| !set.is_empty()))?;
            let key = Key { space, user: py.None(), digest: record.digest };
            let key = Bound::new(py, key)?.into_any();
            records.append(to_python(py, &record.error, Some(key)).value(py))?;
        }
        let error = &failure.error;
        let exception = module.getattr("_commit_failed")?.call1((
            error.kind().code(),
            error.message(),
            error.node(),
            error.attempts(),
            error.in_doubt(),
            failure.part.map_or("", EndingPart::name),
            records,
        ))?;
        Ok(PyErr::from_value(exception))
    };
    make().unwrap_or_else(|error| error)
}
