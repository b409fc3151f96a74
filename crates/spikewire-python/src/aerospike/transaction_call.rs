//! Calls that are part of a transaction.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::command::Prepared;
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike::transport::buffer;

use crate::aerospike::batch::RowReader;
use crate::aerospike::client::Shared;
use crate::aerospike::many::{BatchCall, BatchPlan};
use crate::aerospike::transaction_stage::TransactionStage;
use crate::aerospike::verbs::Call;
use crate::errors::to_python;

/// The plan of a batch that is all there is to a call of a transaction, or to its end.
pub fn plan(stage: TransactionStage) -> BatchPlan {
    let mut plan = BatchPlan::from(RowReader::new(Vec::new()));
    plan.stage = Some(Box::new(stage));
    plan
}

/// A call that reads one record as part of a transaction; it is sent like any other.
pub fn enter_read(
    py: Python<'_>,
    shared: &Shared,
    transaction: &Arc<Transaction>,
    call: Call,
) -> PyResult<Call> {
    let Call { bytes, target, policy, plan } = call;
    let mut command = Prepared { bytes, target, policy };
    let entered = transaction.enter_read(&shared.core(py)?.cluster, &mut command);
    entered.map_err(|error| to_python(py, &error, None))?;
    let Prepared { bytes, target, policy } = command;
    Ok(Call { bytes, target, policy, plan })
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
    let stage = TransactionStage::Call { call, cluster, single: Some(Box::new(single)) };
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
