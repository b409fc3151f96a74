//! Transactions of the blocking client.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike::command::Prepared;
use spikewire_aerospike::command::batch::Batch as Rows;
use spikewire_aerospike::transaction as engine;
use spikewire_aerospike::transaction::{EndOutcome, Ending, Failure, Step};

use super::{BlockingCore, Client, Dataset};
use crate::Result;
use crate::aerospike::answer::Answer;
use crate::aerospike::span::VerbSpan;
use crate::aerospike::transaction::{
    CommitError, EndStatus, RetryTransaction, begin, check_client, read, transaction_facts,
};

/// A transaction of a [`Client`], from [`Client::transaction`]: all of its writes take effect, or
/// none. Cheap to clone; any number of threads may use it.
///
/// One that is dropped without [`Transaction::commit`] or [`Transaction::abort`] keeps its records
/// locked until it expires; [`Client::run_in_transaction`] ends it in any case.
#[derive(Debug, Clone)]
pub struct Transaction {
    core: Arc<BlockingCore>,
    transaction: Arc<engine::Transaction>,
}

transaction_facts!(Transaction);

impl Client {
    /// A transaction over records of one strongly consistent namespace, on clusters of the
    /// Enterprise Edition (8.0 or later). `timeout` is its lifetime from its first write, in whole
    /// seconds up to 120; zero: the server's default, usually 10 s. Nothing is sent yet.
    ///
    /// ```
    /// use spikewire::{Client, bins};
    /// use std::time::Duration;
    /// # use spikewire_aerospike_server::{Cluster, Edition, NamespaceOptions, Options};
    /// # let bank = NamespaceOptions { strong_consistency: true, ..NamespaceOptions::named("bank") };
    /// # let edition = Edition::Enterprise;
    /// # let options = Options { edition, namespaces: vec![bank], ..Options::default() };
    /// # let cluster = Cluster::start(options).unwrap();
    /// # let seeds = cluster.seeds();
    /// let client = Client::connect(seeds)?;
    /// let accounts = client.dataset("bank", "accounts")?;
    /// let txn = client.transaction(Duration::ZERO)?;
    /// accounts.within(&txn)?.add("alice", bins! { "balance" => -10 })?;
    /// accounts.within(&txn)?.add("bob", bins! { "balance" => 10 })?;
    /// txn.commit()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn transaction(&self, timeout: Duration) -> Result<Transaction> {
        Ok(Transaction { core: self.core.clone(), transaction: begin(timeout)? })
    }

    /// Calls `function` with a transaction, commits it, and returns the function's result. If a
    /// record is locked by another transaction or has changed since it was read, the transaction is
    /// aborted and the function called again with a new one; after a lock there is a pause first.
    /// Nothing is tried again when the outcome is in doubt. An error of the function aborts the
    /// transaction.
    pub fn run_in_transaction<T>(
        &self,
        options: RetryTransaction,
        mut function: impl FnMut(&Transaction) -> Result<T>,
    ) -> std::result::Result<T, CommitError> {
        let mut retries = options.retries()?;
        loop {
            let transaction = self.transaction(options.timeout)?;
            let outcome = match function(&transaction) {
                Ok(value) => transaction.end_block(true).map(|_| value),
                Err(error) => Err(CommitError::from(error)),
            };
            let failure = match outcome {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            // What remains locked is unlocked when the transaction expires.
            let _ = transaction.end_block(false);
            match retries.pause(&Failure::from(&failure), Instant::now()) {
                Some(pause) => std::thread::sleep(pause),
                None => return Err(failure),
            }
        }
    }
}

impl Transaction {
    /// A namespace and one of its sets, whose calls are part of this transaction.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<Dataset> {
        Client { core: self.core.clone() }.dataset(namespace, set)?.within(self)
    }

    /// Makes all of its writes take effect. An error says at which part it failed, with which
    /// records, and whether the transaction may be committed nevertheless: then commit again.
    pub fn commit(&self) -> std::result::Result<EndStatus, CommitError> {
        self.end(self.transaction.commit()?)
    }

    /// Drops all of its writes and unlocks their records.
    pub fn abort(&self) -> Result<EndStatus> {
        self.end(self.transaction.abort()?).map_err(|failure| failure.error)
    }

    fn end_block(&self, succeeded: bool) -> std::result::Result<EndStatus, CommitError> {
        self.end(self.transaction.end_block(succeeded)?)
    }

    fn end(
        &self,
        (mut ending, first): (Ending, Step<EndOutcome>),
    ) -> std::result::Result<EndStatus, CommitError> {
        engine::run(&self.core.executor, &mut ending, first, None)?.map_err(|failure| *failure)
    }
}

impl Dataset {
    /// The same set with its calls in a transaction of the same client: reads see what the
    /// transaction has written, and writes take effect when it is committed. Queries are no part of
    /// transactions: they fail when they are used.
    pub fn within(&self, transaction: &Transaction) -> Result<Self> {
        check_client(Arc::ptr_eq(&self.core, &transaction.core))?;
        Ok(Self { transaction: Some(transaction.transaction.clone()), ..self.clone() })
    }

    /// Runs a verb on one record in a transaction.
    pub(super) fn run_in<A: Answer>(
        &self,
        transaction: &Arc<engine::Transaction>,
        mut request: Prepared,
        plan: &A::Plan,
        span: &VerbSpan,
    ) -> Result<A> {
        let BlockingCore { context, executor } = &*self.core;
        let answer = match transaction.enter_read(&context.cluster, &mut request) {
            Ok(true) => return self.send(request, plan, span),
            Ok(false) => {
                let entered = transaction.enter_one(&context.cluster, &request);
                entered.and_then(|(mut call, rows)| {
                    let rows = engine::run(executor, &mut call, Step::Send(rows), None)?;
                    read(&rows, plan)
                })
            }
            Err(error) => Err(error),
        };
        if let Err(error) = &answer {
            span.failed(error);
        }
        answer
    }

    /// Runs a batch in a transaction.
    pub(super) fn run_rows_in(
        &self,
        transaction: &Arc<engine::Transaction>,
        rows: Rows,
    ) -> Result<Rows> {
        let BlockingCore { context, executor } = &*self.core;
        let (mut call, rows) = transaction.enter(&context.cluster, rows)?;
        engine::run(executor, &mut call, Step::Send(rows), None)
    }
}
