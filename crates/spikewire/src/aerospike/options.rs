//! Options of calls.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::command::{
    ExistsRule as Exists, GenerationRule, OperationRef, ReadMode, ReadOptions, ReadRules,
    ReadTouch, RetryOptions, Ttl, WriteOptions,
};
use spikewire_aerospike::query::FilterSource;
use spikewire_aerospike::{Backoff, CommitLevel, DetailLevel, Hedge, ReplicaPolicy, ShareReads};
use spikewire_transport::Priority;

use crate::{Error, Expression, Result};

/// Options of one call, or of all calls through one dataset, that override the client's defaults.
///
/// ```
/// use std::time::Duration;
/// use spikewire::{CallOptions, Exists};
///
/// let session = CallOptions::new().ttl(Duration::from_secs(1800));
/// let first = session.clone().exists(Exists::Create);
/// # assert_ne!(first, session);
/// ```
///
/// Each verb uses the options that apply to it. `ttl`, `durable` and `send_key` are ignored by
/// reads, `read_mode` and `read_touch` by writes, so a dataset may have them for the others;
/// `generation` and `exists` are conditions, and a verb that does not support them returns an
/// error. A filter applies to every verb.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallOptions {
    pub(crate) timeout: Option<Duration>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) replica: Option<ReplicaPolicy>,
    /// Boxed in each command, since most have none.
    retry: Option<RetryOptions>,
    hedge: Option<Hedge>,
    share_reads: Option<ShareReads>,
    ttl: Ttl,
    generation: GenerationRule,
    exists: Exists,
    durable: bool,
    send_key: Option<bool>,
    read_mode: Option<ReadMode>,
    read_touch: Option<ReadTouch>,
    filter: Option<Filter>,
}

impl CallOptions {
    /// The client's defaults.
    pub const fn new() -> Self {
        Self {
            timeout: None,
            deadline: None,
            replica: None,
            retry: None,
            hedge: None,
            share_reads: None,
            ttl: Ttl::Default,
            generation: GenerationRule::Any,
            exists: Exists::Merge,
            durable: false,
            send_key: None,
            read_mode: None,
            read_touch: None,
            filter: None,
        }
    }

    /// Total timeout of the command including all retries; zero means no limit.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// The time after which a read of many records returns what has come, at most the timeout. A row
    /// whose reply has not come is late ([`Batch::late`](crate::Batch::late)), which is neither
    /// missing nor failed. The rows of a node that takes longer than it usually does are sent to
    /// another replica before, unless only the master may serve them. Batches that write return an
    /// error; calls on one record and queries ignore it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use spikewire::{CallOptions, Client};
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let users = Client::connect(cluster.seeds())?.dataset("test", "users")?;
    /// let soon = users.with(CallOptions::new().deadline(Duration::from_millis(500)));
    /// let rows = soon.get_many(0..100)?;
    /// for row in (0..rows.len()).filter(|row| !rows.is_late(*row)) {
    ///     let record = rows.row(row)?;
    /// #   assert!(record.is_none());
    /// }
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The replica for the first attempt and for retries. A write goes to the master first in any
    /// case.
    pub const fn replica(mut self, replica: ReplicaPolicy) -> Self {
        self.replica = Some(replica);
        self
    }

    /// Attempts after the first one, at most 1,000.
    pub const fn max_retries(mut self, retries: u32) -> Self {
        self.retry_mut().max_retries = Some(retries);
        self
    }

    /// Pause before a retry on the same node; the first pause if they grow.
    pub const fn sleep_between_retries(mut self, pause: Duration) -> Self {
        self.retry_mut().sleep = Some(pause);
        self
    }

    /// How pauses grow and vary.
    pub const fn backoff(mut self, backoff: Backoff) -> Self {
        let retry = self.retry_mut();
        retry.multiplier = Some(backoff.multiplier);
        retry.longest = Some(backoff.longest);
        retry.jitter = Some(backoff.jitter);
        self
    }

    /// Whether it goes before or behind others that wait for the same node. Default: interactive;
    /// batches that write are in the background.
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.retry_mut().priority = Some(priority);
        self
    }

    /// Whether a write is answered once all copies of the record have it, or once the master has.
    pub const fn commit_level(mut self, level: CommitLevel) -> Self {
        self.retry_mut().commit_level = Some(level);
        self
    }

    /// In a transaction, a write fails with code 126 if the transaction has written the record
    /// already: a write that may have been applied can be sent again.
    pub const fn on_locking_only(mut self, only: bool) -> Self {
        self.retry_mut().on_locking_only = Some(only);
        self
    }

    /// With `false`, a node runs all rows of a batch, but its replies end at one that fails, other
    /// than by a missing or filtered record: those that follow have no reply, and fail with code -15.
    pub const fn respond_all_keys(mut self, all: bool) -> Self {
        self.retry_mut().respond_all_keys = Some(all);
        self
    }

    /// Whether request and reply are compressed where nodes can do that.
    pub const fn compress(mut self, compress: bool) -> Self {
        self.retry_mut().compress = Some(compress);
        self
    }

    /// How much the server is asked to say about errors, where its node knows that; see
    /// [`Error::details`](crate::Error::details).
    pub const fn error_details(mut self, level: DetailLevel) -> Self {
        self.retry_mut().error_details = Some(level);
        self
    }

    /// Whether a write that may have been applied is retried.
    pub const fn retry_in_doubt(mut self, retry: bool) -> Self {
        self.retry_mut().in_doubt = Some(retry);
        self
    }

    /// The retry options, created if needed.
    const fn retry_mut(&mut self) -> &mut RetryOptions {
        if self.retry.is_none() {
            self.retry = Some(RetryOptions::NONE);
        }
        self.retry.as_mut().expect("it was made")
    }

    /// When a read of one record is hedged with a second request, to another replica.
    pub const fn hedge(mut self, hedge: Hedge) -> Self {
        self.hedge = Some(hedge);
        self
    }

    /// Whether concurrent reads of the same record and bins, with the same options except the
    /// timeout, share one request.
    pub const fn share_reads(mut self, share: ShareReads) -> Self {
        self.share_reads = Some(share);
        self
    }

    /// The TTL of the record after a write: a `Duration` of whole seconds, or a [`Ttl`].
    pub fn ttl(mut self, ttl: impl Into<Ttl>) -> Self {
        self.ttl = ttl.into();
        self
    }

    /// Writes only if the record has this generation, where 0 means that it does not exist; fails
    /// with `GENERATION` otherwise.
    pub const fn generation(mut self, generation: u32) -> Self {
        self.generation = GenerationRule::Equals(generation);
        self
    }

    /// Writes only if this generation is greater than the record's own, or the record does not
    /// exist; fails with `GENERATION` otherwise. For replicating records together with their
    /// generation.
    pub const fn newer(mut self, generation: u32) -> Self {
        self.generation = GenerationRule::Newer(generation);
        self
    }

    /// What a write does depending on whether the record exists.
    pub const fn exists(mut self, exists: Exists) -> Self {
        self.exists = exists;
        self
    }

    /// Whether a delete leaves a tombstone, so that the record cannot come back (Enterprise
    /// servers).
    pub const fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Whether writes store the user key with the record. A delete that sends the key fails with
    /// `KEY_MISMATCH` if the record was stored with another one.
    pub const fn send_key(mut self, send_key: bool) -> Self {
        self.send_key = Some(send_key);
        self
    }

    /// The consistency of a read.
    pub const fn read_mode(mut self, mode: ReadMode) -> Self {
        self.read_mode = Some(mode);
        self
    }

    /// Whether a read renews the record's TTL.
    pub const fn read_touch(mut self, touch: ReadTouch) -> Self {
        self.read_touch = Some(touch);
        self
    }

    /// Only records for which this is true are read, written or deleted; the nodes evaluate it. A
    /// record that is filtered out counts as absent for [`get`](crate::Dataset::get),
    /// [`exists`](crate::Dataset::exists), [`delete`](crate::Dataset::delete) and in batches; other
    /// verbs fail with `FILTERED_OUT`. A write to a missing record creates it nevertheless.
    ///
    /// ```
    /// # use spikewire::{CallOptions, Client};
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let users = Client::connect(cluster.seeds())?.dataset("test", "users")?;
    /// users.put("alice", [("age", 28)])?;
    /// let adults = users.with(CallOptions::new().filter("$.age >= 18"));
    /// assert!(adults.exists("alice")?);
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn filter(mut self, expression: impl Into<Expression>) -> Self {
        let filter = expression.into().query_filter();
        self.filter = Some(Filter(filter.map(|(bytes, source)| (bytes.into(), source))));
        self
    }

    /// The options of a read.
    // Inlined to avoid moving the large options on every return.
    #[inline(always)]
    pub(crate) fn for_read(&self) -> Result<ReadOptions> {
        self.check_read()?;
        Ok(ReadOptions {
            filter: self.filter_bytes()?,
            touch: self.read_touch,
            mode: self.read_mode,
            hedge: self.hedge,
            share: self.share_reads,
            replica: self.replica,
            timeout: self.timeout,
            retry: self.checked_retry()?,
        })
    }

    /// The options of a write.
    #[inline(always)]
    pub(crate) fn for_write(&self) -> Result<WriteOptions> {
        Ok(WriteOptions {
            ttl: self.ttl,
            generation: self.generation,
            exists: self.exists,
            durable: self.durable,
            send_key: self.send_key,
            filter: self.filter_bytes()?,
            replica: self.replica,
            timeout: self.timeout,
            retry: self.checked_retry()?,
        })
    }

    /// The options of operations: those of a read if they only read.
    pub(crate) fn for_operations(
        &self,
        steps: &[OperationRef<'_>],
    ) -> Result<(WriteOptions, ReadRules)> {
        if steps.iter().any(|step| !step.reads()) {
            return Ok((self.for_write()?, ReadRules::default()));
        }
        Ok(self.for_read()?.for_operations())
    }

    /// The options of a batch row; those of the whole batch are `of`.
    pub(crate) fn for_row(&self, of: &Self) -> Result<Self> {
        let own = self.retry.unwrap_or(RetryOptions::NONE);
        let RetryOptions { commit_level, on_locking_only, .. } = own;
        let limits = self.timeout.is_some() || self.deadline.is_some();
        let limits =
            limits || own != RetryOptions { commit_level, on_locking_only, ..RetryOptions::NONE };
        if limits || self.replica.is_some() {
            return Err(Error::invalid(
                "timeout, deadline, replica and retries apply to the batch as a whole: set them on \
                 the dataset",
            ));
        }
        let mut retry = of.retry;
        if self.retry.is_some() {
            let whole = of.retry.unwrap_or(RetryOptions::NONE);
            retry = Some(RetryOptions {
                commit_level: commit_level.or(whole.commit_level),
                on_locking_only: on_locking_only.or(whole.on_locking_only),
                ..whole
            });
        }
        Ok(Self { replica: of.replica, retry, ..self.clone() })
    }

    /// The retry options.
    #[inline(always)]
    pub(crate) fn checked_retry(&self) -> Result<Option<Box<RetryOptions>>> {
        self.retry.as_ref().map_or(Ok(None), checked)
    }

    /// The encoded filter.
    pub(crate) fn filter_bytes(&self) -> Result<Option<Arc<[u8]>>> {
        Ok(self.query_filter()?.map(|(bytes, _)| bytes))
    }

    /// The encoded filter, and what it was made from.
    pub(crate) fn query_filter(&self) -> Result<Option<(Arc<[u8]>, FilterSource)>> {
        self.filter.as_ref().map(|filter| filter.0.clone()).transpose()
    }

    /// Rejects options that a read does not support.
    pub(crate) fn check_read(&self) -> Result<()> {
        if self.has_promises() {
            return Err(Error::invalid(
                "generation and exists apply to writes, and this is a read",
            ));
        }
        Ok(())
    }

    /// Rejects options that a background job does not support.
    pub(crate) fn check_job(&self) -> Result<()> {
        if self.has_promises() {
            return Err(Error::invalid("generation and exists do not apply to a background job"));
        }
        Ok(())
    }

    fn has_promises(&self) -> bool {
        self.generation != GenerationRule::Any || self.exists != Exists::Merge
    }
}

/// The retry options, if any.
#[cold]
fn checked(retry: &RetryOptions) -> Result<Option<Box<RetryOptions>>> {
    retry.check()?;
    Ok(retry.boxed())
}

/// An encoded filter, or its error.
#[derive(Debug, Clone)]
struct Filter(Result<(Arc<[u8]>, FilterSource)>);

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Ok(filter), Ok(other)) => filter == other,
            (Err(error), Err(other)) => error.message() == other.message(),
            _ => false,
        }
    }
}
