//! Transactions of the asynchronous client.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike::transaction as engine;
use spikewire_aerospike::transaction::{EndOutcome, Ending, Failure, Step};

use super::steps::RunningSteps;
use super::{AsyncClient, AsyncCore, AsyncDataset, future};
use crate::Result;
use crate::aerospike::transaction::{
    CommitError, EndStatus, RetryTransaction, begin, check_client, transaction_facts,
};

/// A transaction of an [`AsyncClient`], from [`AsyncClient::transaction`]: all of its writes take
/// effect, or none. Cheap to clone; any number of tasks may use it.
///
/// One that is dropped without [`AsyncTransaction::commit`] or [`AsyncTransaction::abort`] keeps its
/// records locked until it expires.
#[derive(Debug, Clone)]
pub struct AsyncTransaction {
    core: Arc<AsyncCore>,
    transaction: Arc<engine::Transaction>,
}

transaction_facts!(AsyncTransaction);

impl AsyncClient {
    /// A transaction, as with [`Client::transaction`](crate::Client::transaction).
    pub fn transaction(&self, timeout: Duration) -> Result<AsyncTransaction> {
        Ok(AsyncTransaction { core: self.core.clone(), transaction: begin(timeout)? })
    }

    /// Calls `function` with a transaction, commits it, and returns the function's result, as with
    /// [`Client::run_in_transaction`](crate::Client::run_in_transaction).
    pub async fn run_in_transaction<T, F: Future<Output = Result<T>>>(
        &self,
        options: RetryTransaction,
        mut function: impl FnMut(AsyncTransaction) -> F,
    ) -> std::result::Result<T, CommitError> {
        let mut retries = options.retries()?;
        loop {
            let transaction = self.transaction(options.timeout)?;
            let outcome = match function(transaction.clone()).await {
                Ok(value) => transaction.end_block(true).await.map(|_| value),
                Err(error) => Err(CommitError::from(error)),
            };
            let failure = match outcome {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            // What remains locked is unlocked when the transaction expires.
            let _ = transaction.end_block(false).await;
            match retries.pause(&Failure::from(&failure), Instant::now()) {
                Some(Duration::ZERO) => {}
                Some(pause) => {
                    future::on_a_thread(move |_| {
                        std::thread::sleep(pause);
                        Ok(())
                    })
                    .await?;
                }
                None => return Err(failure),
            }
        }
    }
}

impl AsyncTransaction {
    /// A namespace and one of its sets, whose calls are part of this transaction.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<AsyncDataset> {
        AsyncClient { core: self.core.clone() }.dataset(namespace, set)?.within(self)
    }

    /// Makes all of its writes take effect, as with
    /// [`Transaction::commit`](crate::Transaction::commit). If the future is dropped before its end,
    /// the transaction may be in doubt.
    pub async fn commit(&self) -> std::result::Result<EndStatus, CommitError> {
        self.end(self.transaction.commit()?).await
    }

    /// Drops all of its writes and unlocks their records.
    pub async fn abort(&self) -> Result<EndStatus> {
        let ended = self.end(self.transaction.abort()?).await;
        ended.map_err(|failure| failure.error)
    }

    async fn end_block(&self, succeeded: bool) -> std::result::Result<EndStatus, CommitError> {
        self.end(self.transaction.end_block(succeeded)?).await
    }

    async fn end(
        &self,
        (ending, first): (Ending, Step<EndOutcome>),
    ) -> std::result::Result<EndStatus, CommitError> {
        let mut running = RunningSteps::new(ending, first);
        let outcome = poll_fn(|context| running.poll(&self.core, context)).await;
        outcome?.map_err(|failure| *failure)
    }
}

impl AsyncDataset {
    /// The same set with its calls in a transaction of the same client, as with
    /// [`Dataset::within`](crate::Dataset::within).
    pub fn within(&self, transaction: &AsyncTransaction) -> Result<Self> {
        check_client(Arc::ptr_eq(&self.core, &transaction.core))?;
        Ok(Self { transaction: Some(transaction.transaction.clone()), ..self.clone() })
    }
}
