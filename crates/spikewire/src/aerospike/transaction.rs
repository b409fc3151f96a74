//! Transactions: what both clients have in common.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::Result;
use spikewire_aerospike::command::Attempts;
use spikewire_aerospike::command::batch::{Batch as Rows, RowOutcome};
pub use spikewire_aerospike::transaction::{
    CommitError, EndStatus, EndingPart, RecordError, TransactionState,
};
use spikewire_aerospike::transaction::{
    Outsider, Retries, RetryOptions, Transaction, TransactionOptions,
};
use spikewire_aerospike::transport::Reply;

use crate::aerospike::answer::{self, Answer};

/// How a function is run in a transaction, for `run_in_transaction`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryTransaction {
    /// The lifetime of each transaction, as for `transaction`.
    pub timeout: Duration,
    /// How often the function is called at most, at least once. Default: 10.
    pub attempts: u32,
    /// No attempt begins after this time; zero: no limit. Default: 30 s.
    pub limit: Duration,
}

impl Default for RetryTransaction {
    fn default() -> Self {
        let RetryOptions { attempts, limit } = RetryOptions::default();
        Self { timeout: Duration::ZERO, attempts, limit }
    }
}

impl RetryTransaction {
    pub(super) fn retries(&self) -> Result<Retries> {
        let options = RetryOptions { attempts: self.attempts, limit: self.limit };
        Ok(Retries::new(options, std::time::Instant::now())?)
    }
}

/// A transaction that lives for this time.
pub(super) fn begin(timeout: Duration) -> Result<Arc<Transaction>> {
    Ok(Transaction::begin(TransactionOptions::default().with_timeout(timeout)?))
}

/// Rejects a transaction of another client.
pub(super) fn check_client(same: bool) -> Result<()> {
    if same {
        return Ok(());
    }
    Err(Outsider::OtherClient.error())
}

/// The result of a verb on one record, whose batch has one row.
pub(super) fn read<A: Answer>(rows: &Rows, plan: &A::Plan) -> Result<A> {
    let failed = matches!(rows.outcome(0), RowOutcome::Failed | RowOutcome::Late);
    match rows.reply_of(0) {
        Some((body, node)) if !failed || !rows.is_in_doubt(0) => {
            let reply = Reply { body, node, attempts: Attempts::default() };
            answer::check(&reply, A::KIND)?;
            answer::read(body, plan).map_err(|error| error.on(node.to_string()))
        }
        _ => Err(rows.failure(0)),
    }
}

/// The methods of transactions that need no connection.
macro_rules! transaction_facts {
    ($class:ident) => {
        impl $class {
            /// The number by which servers know it.
            pub fn id(&self) -> u64 {
                self.transaction.id()
            }

            /// How far it has come.
            pub fn state(&self) -> $crate::TransactionState {
                self.transaction.state()
            }

            /// Its namespace, which the first call determines; `None` before.
            pub fn namespace(&self) -> Option<String> {
                self.transaction.namespace().map(|name| name.to_string())
            }
        }
    };
}
pub(super) use transaction_facts;
