//! What a client knows of a transaction. Any number of threads may use it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::transaction::{CommandFields, LONGEST, Version};
use spikewire_sync::{Mutex, MutexGuard};
use spikewire_transport::Priority;

use crate::cluster::Cluster;
use crate::model::{Error, InvalidArgument, Kind, Policy, ReplicaPolicy, Result};

/// How far a transaction has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TransactionState {
    /// Commands are accepted.
    #[default]
    Open,
    /// What it read is unchanged; it is not committed.
    Verified,
    /// It is committed.
    Committed,
    /// It is aborted, or about to be.
    Aborted,
    /// It may be committed or not: committing again tells.
    InDoubt,
}

impl TransactionState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Verified => "verified",
            Self::Committed => "committed",
            Self::Aborted => "aborted",
            Self::InDoubt => "in_doubt",
        }
    }
}

/// Options of a transaction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransactionOptions {
    /// Its lifetime in whole seconds from its first write, as the server counts; zero: the
    /// server's default.
    pub timeout: Duration,
    /// Limits of each step of its end.
    pub policy: Policy,
}

impl Default for TransactionOptions {
    fn default() -> Self {
        let mut policy = Policy {
            timeout: Duration::from_secs(10),
            socket_timeout: Duration::from_secs(3).into(),
            max_retries: 5,
            sleep: Duration::from_secs(1).into(),
            replica: ReplicaPolicy::Master,
            priority: Priority::Interactive,
            ..Policy::default()
        };
        // Asking again is how doubt is resolved: no step does more when it is repeated.
        policy.flags.set_in_doubt(true);
        Self { timeout: Duration::ZERO, policy }
    }
}

impl TransactionOptions {
    /// The same with this lifetime.
    pub fn with_timeout(self, timeout: Duration) -> std::result::Result<Self, InvalidArgument> {
        let seconds = timeout.as_secs();
        if timeout.subsec_nanos() != 0 || seconds > u64::from(LONGEST) {
            return Err(InvalidArgument::of_value(format!(
                "timeout of a transaction must be whole seconds, from 0 (the server's default) to \
                 {LONGEST}, got {timeout:?}"
            )));
        }
        Ok(Self { timeout, ..self })
    }
}

/// A record of a transaction: namespace and set, encoded.
pub(super) type Address = Arc<[u8]>;

/// A transaction.
#[derive(Debug)]
pub struct Transaction {
    pub(super) id: u64,
    pub(super) options: TransactionOptions,
    known: Mutex<Known>,
}

/// What is known of it.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub state: TransactionState,
    /// Whether a commit or an abort is running.
    pub is_ending: bool,
    /// Set by the first command.
    pub namespace: Option<Arc<str>>,
    /// The records read, in which version.
    pub reads: HashMap<Digest, (Address, Version)>,
    /// The records written.
    pub writes: HashMap<Digest, Address>,
    /// When it expires, by the server's clock; 0: it has no monitor yet.
    pub deadline: u32,
    /// Whether it may have written a record that is not among those written.
    pub write_in_doubt: bool,
    /// Whether a reply about a record that it read could not be understood.
    pub is_unreadable: bool,
    /// Commands without an outcome.
    pub in_flight: usize,
    /// Reads of one record without an outcome, which are not among them.
    pub reading: usize,
}

impl Known {
    /// What a command on a record says.
    pub fn about(&self, id: u64, digest: &Digest, write: bool) -> CommandFields {
        CommandFields {
            id,
            version: self.reads.get(digest).map(|(_, version)| *version),
            deadline: (write && self.deadline != 0).then_some(self.deadline),
        }
    }

    /// It was written, or may have been.
    pub fn write(&mut self, digest: Digest, address: Address) {
        self.reads.remove(&digest);
        self.writes.insert(digest, address);
    }

    /// Nothing is to be done about it any more.
    pub fn clear(&mut self) {
        self.reads = HashMap::new();
        self.writes = HashMap::new();
        self.deadline = 0;
    }

    /// Begins a command on records of this namespace, unless the transaction is not open any more,
    /// is one of another namespace, or the cluster or the namespace has no transactions.
    pub fn admit(&mut self, cluster: &Cluster, namespace: &Arc<str>) -> Result<()> {
        let snapshot = cluster.snapshot();
        // It may have more nodes than before, or others.
        snapshot.check_features(Features::TRANSACTIONS)?;
        self.check_open()?;
        match &self.namespace {
            Some(own) if own == namespace => return Ok(()),
            Some(own) => {
                let message = format!(
                    "the transaction is one of namespace {own:?}, and this is a record of \
                     {namespace:?}"
                );
                return Err(Error::new(Kind::Transaction, message));
            }
            None => {}
        }
        // One that is not known fails by itself.
        if snapshot.namespaces.get(namespace).is_some_and(|map| !map.strong) {
            let message = format!(
                "transactions: needs a strongly consistent namespace; namespace {namespace:?} is \
                 not"
            );
            return Err(Error::new(Kind::Unsupported, message));
        }
        self.namespace = Some(namespace.clone());
        Ok(())
    }

    /// Rejects commands once it is not open any more.
    pub fn check_open(&self) -> Result<()> {
        let why = match (self.is_ending, self.state) {
            (false, TransactionState::Open) => return Ok(()),
            (true, _) => "is being committed or aborted",
            (_, TransactionState::Committed) => "is committed",
            (_, TransactionState::Aborted) => "is aborted",
            (_, TransactionState::Verified) => "failed to commit",
            (_, TransactionState::InDoubt) => "is in doubt: commit it again",
        };
        Err(Error::new(Kind::Transaction, format!("the transaction {why}; begin another one")))
    }
}

impl Transaction {
    /// A transaction with this id, which nobody else has.
    pub fn new(id: u64, options: TransactionOptions) -> Arc<Self> {
        Arc::new(Self { id: id.max(1), options, known: Mutex::default() })
    }

    /// A transaction with a random id.
    pub fn begin(options: TransactionOptions) -> Arc<Self> {
        Self::new(crate::query::task_id(), options)
    }

    /// Its id, never 0.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its lifetime, as asked for.
    pub fn timeout(&self) -> Duration {
        self.options.timeout
    }

    /// How far it has come.
    pub fn state(&self) -> TransactionState {
        self.known().state
    }

    /// Its namespace, once a command has named one.
    pub fn namespace(&self) -> Option<Arc<str>> {
        self.known().namespace.clone()
    }

    /// Whether a write may have been applied although it failed.
    pub fn has_write_in_doubt(&self) -> bool {
        self.known().write_in_doubt
    }

    /// How many records it has read but not written, and how many it has written.
    pub fn counts(&self) -> (usize, usize) {
        let known = self.known();
        (known.reads.len(), known.writes.len())
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock()
    }
}
