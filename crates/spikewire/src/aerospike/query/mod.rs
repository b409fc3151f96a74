//! Scans and index queries, and background jobs on their records.
//!
//! | module | contents |
//! |---|---|
//! | `job` | background jobs |
//! | `aggregate` | aggregations with stream functions |
//! | `explain` | how a query would be executed |

#[cfg(feature = "aggregate")]
mod aggregate;
mod explain;
mod job;

use std::ops::RangeBounds;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::ReplicaPolicy;
use spikewire_aerospike::command::SetRef;
use spikewire_aerospike_protocol::value::Value;

pub use job::{Job, Progress};

use crate::aerospike::client_kind::ClientKind;
use crate::aerospike::expression::Expression;
use crate::aerospike::function::function as call;
use crate::aerospike::key::Key;
use crate::aerospike::operation::{Operation, op};
use crate::aerospike::options::CallOptions;
use crate::aerospike::query_plan::{IndexRange, QueryRequest, partitions};
use crate::{AsyncClient, AsyncDataset, Client, Dataset, Result};

/// A scan or an index query. Created by [`Client::query`],
/// [`AsyncClient::query`](crate::AsyncClient::query) and the `query` method of datasets.
///
/// Nothing is checked or sent before it is used, and it can be used repeatedly: [`records`] reads
/// it record by record, [`pages`] page by page; [`operate_all`] and similar methods have the nodes
/// change its records.
///
/// ```
/// use spikewire::{Client, IndexRange, IndexType, NewIndex};
/// # use std::time::Duration;
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let seeds = cluster.seeds();
/// let client = Client::connect(seeds)?;
/// let users = client.dataset("test", "users")?;
/// users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
///
/// // A scan.
/// let mut sum = 0;
/// for record in client.query("test", "users").filter("$.age >= 90").records()? {
///     if let Some(spikewire::Value::Int(age)) = record?.get("age") {
///         sum += age;
///     }
/// }
/// assert_eq!(sum, 945);
///
/// // The same through an index.
/// let indexes = client.indexes();
/// let name = indexes.create(&NewIndex::new("test", "users", "age", IndexType::Numeric))?;
/// indexes.wait("test", &name, Duration::from_secs(10))?;
/// let old = client.query("test", "users").index(IndexRange::between("age", 90, 150));
/// assert_eq!(old.records()?.count(), 10);
/// # Ok::<(), spikewire::Error>(())
/// ```
///
/// Each record is returned once, whichever nodes fail meanwhile: what a node did not send is read
/// from another one. Nodes send only as fast as records are consumed, so memory use stays small.
///
/// [`records`]: Query::records
/// [`pages`]: Query::pages
/// [`operate_all`]: Query::operate_all
#[derive(Debug, Clone)]
#[must_use = "a query is sent when its records are asked for"]
pub struct Query<C = Client> {
    client: C,
    request: QueryRequest,
}

impl Client {
    /// A scan or an index query of a set, or with `""` of all records of the namespace. Everything
    /// is checked when it is used.
    pub fn query(&self, namespace: &str, set: &str) -> Query {
        Query::new(self, SetRef::new(namespace, set).map_err(Into::into), CallOptions::new())
    }
}

impl Dataset {
    /// A scan or an index query of this set; of all records of the namespace if it is `""`.
    pub fn query(&self) -> Query {
        let (client, set, options) = self.parts();
        Query::new(&client, set, options)
    }
}

impl AsyncClient {
    /// A scan or an index query of a set, or with `""` of all records of the namespace. Everything
    /// is checked when it is used.
    ///
    /// ```
    /// # use futures::executor::block_on;
    /// # use spikewire::AsyncClient;
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # block_on(async {
    /// # let client = AsyncClient::connect(cluster.seeds()).await?;
    /// let users = client.dataset("test", "users")?;
    /// users.put_many((0..100).map(|id| (id, [("age", id)]))).await?.check()?;
    ///
    /// let mut adults = client.query("test", "users").filter("$.age >= 18").records()?;
    /// let mut count = 0;
    /// while let Some(user) = adults.next().await {
    ///     assert!(user?.get("age").is_some());
    ///     count += 1;
    /// }
    /// assert_eq!(count, 82);
    /// # spikewire::Result::Ok(())
    /// # }).unwrap();
    /// ```
    pub fn query(&self, namespace: &str, set: &str) -> Query<Self> {
        Query::new(self, SetRef::new(namespace, set).map_err(Into::into), CallOptions::new())
    }
}

impl AsyncDataset {
    /// A scan or an index query of this set; of all records of the namespace if it is `""`.
    pub fn query(&self) -> Query<AsyncClient> {
        let (client, set, options) = self.parts();
        Query::new(&client, set, options)
    }
}

impl<C: ClientKind> Query<C> {
    fn new(client: &C, space: Result<Arc<SetRef>>, options: CallOptions) -> Self {
        Self { client: client.clone(), request: QueryRequest::new(space, options) }
    }

    /// Only records for which this is true: an [`Expression`], or its text.
    pub fn filter(mut self, filter: impl Into<Expression>) -> Self {
        self.request.filter = Some(filter.into());
        self
    }

    /// Only records that a secondary index finds.
    pub fn index(mut self, range: IndexRange) -> Self {
        self.request.index = Some(range);
        self
    }

    /// The name of the index that nodes should prefer, if they can use it. Nodes choose an index
    /// themselves if the filter is a text and each of them has version 8.2 or later: see
    /// [`explain`](Query::explain).
    pub fn index_hint(mut self, name: impl Into<String>) -> Self {
        self.request.parameters.index_hint = Some(name.into());
        self
    }

    /// Fails with [`ResultCode::INDEX_NOT_FOUND`](crate::ResultCode::INDEX_NOT_FOUND) rather than
    /// examine every record. Needs a filter that is a text, and servers from 8.2 on.
    pub fn require_index(mut self) -> Self {
        self.request.parameters.require_index = true;
        self
    }

    /// Fails with [`ResultCode::INDEX_NOT_FOUND`](crate::ResultCode::INDEX_NOT_FOUND) unless the
    /// index of [`index_hint`](Query::index_hint) can be used. Needs a filter that is a text, and
    /// servers from 8.2 on.
    pub fn require_hint(mut self) -> Self {
        self.request.parameters.require_hint = true;
        self
    }

    /// Whether nodes that can may read a filter that is a text, and choose an index for it.
    /// Otherwise it is compiled here on every server. Default yes.
    pub fn server_filter(mut self, allow: bool) -> Self {
        self.request.parameters.server_filter = allow;
        self
    }

    /// Only these bins of each record. An empty list is the same as `include_values(false)`.
    pub fn bins<N: Into<String>>(mut self, bins: impl IntoIterator<Item = N>) -> Self {
        self.request.bins = Some(bins.into_iter().map(Into::into).collect());
        self
    }

    /// The results of these read-only operations instead of bins: one entry in
    /// [`Record::bins`](crate::Record::bins) per operation, in order (server 8.1.2 or later).
    pub fn operations(mut self, operations: impl Into<Vec<Operation>>) -> Self {
        self.request.operations = Some(operations.into());
        self
    }

    /// Whether records include their bins; otherwise they have digest, generation and TTL. Default
    /// yes.
    pub fn include_values(mut self, include: bool) -> Self {
        self.request.parameters.include_values = include;
        self
    }

    /// Maximum number of records, at least 1.
    pub fn limit(mut self, records: u64) -> Self {
        self.request.parameters.limit = Some(records);
        self
    }

    /// Maximum number of records per second and node, at least 1.
    pub fn records_per_second(mut self, records: u32) -> Self {
        self.request.parameters.records_per_second = Some(u64::from(records));
        self
    }

    /// Only these partitions, out of 0 to 4095: `..2048`, `7..=7`.
    pub fn partitions(mut self, range: impl RangeBounds<u16>) -> Self {
        self.request.parameters.partitions = Some(partitions(&range));
        self
    }

    /// Only records after this one in its partition: a key, or [`Key::Digest`](crate::Key::Digest).
    /// Not for index queries.
    pub fn after<'k>(mut self, key: impl Into<Key<'k>>) -> Self {
        self.request.after = Some(key.into().into_owned());
        self
    }

    /// Continues where a query with the same namespace, set, index, filter and bins stopped: from
    /// the cursor of [`Records`](crate::Records) or a [`Page`](crate::Page), or from a `cursor` of the Python
    /// client. The cursor contains the rest of that query's limit. With bins or operations, a
    /// cursor of pages or of a query with a limit requires pages or a limit again.
    pub fn resume(mut self, cursor: impl Into<Vec<u8>>) -> Self {
        self.request.parameters.resume = Some(cursor.into());
        self
    }

    /// Number of nodes read concurrently, at least 1. Default: all.
    pub fn concurrent_nodes(mut self, nodes: usize) -> Self {
        self.request.parameters.concurrent_nodes = Some(nodes as u64);
        self
    }

    /// The replica to read. Default: as for the client's other reads.
    pub fn replica(mut self, replica: ReplicaPolicy) -> Self {
        self.request.parameters.replica = Some(replica);
        self
    }

    /// Total time until the last record; zero, the default: no limit. Of a job: the time to start
    /// it; default as for other commands.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.parameters.timeout = Some(limit);
        self
    }

    /// Longest silence of a node while records are awaited, and longest pause of the caller, after
    /// which nodes give up. Reading on may then fail with [`Kind::Paused`](crate::Kind::Paused),
    /// and a new query can continue from the cursor. Zero: no limit. Default: the client's, or 30
    /// s.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.request.parameters.socket_timeout = Some(limit);
        self
    }

    /// Bytes read ahead from each node, from 4 KiB to 64 MiB; only a larger record takes more.
    /// Default 128 KiB.
    pub fn window(mut self, bytes: usize) -> Self {
        self.request.parameters.window = Some(bytes);
        self
    }

    /// The records: an iterator of results, or, on an [`AsyncClient`](crate::AsyncClient), a
    /// stream.
    pub fn records(&self) -> Result<C::Records> {
        let plan = self.request.plan(&self.client.context().defaults, None)?;
        self.client.read(plan)
    }

    /// The records in pages of `size` (from 1 to 1,000,000), each with the cursor of the next page:
    /// an iterator or a stream of results.
    ///
    /// ```
    /// # use spikewire::Client;
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let client = Client::connect(cluster.seeds())?;
    /// # let users = client.dataset("test", "users")?;
    /// # users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
    /// let query = client.query("test", "users");
    /// let first = query.pages(60)?.next().expect("there are records")?;
    /// // Later, in another process:
    /// let rest = query.resume(first.cursor).pages(60)?.next().expect("there are more")?;
    /// assert_eq!((first.records.len(), rest.records.len()), (60, 40));
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn pages(&self, size: usize) -> Result<C::Pages> {
        let plan = self.request.plan(&self.client.context().defaults, Some(size))?;
        self.client.read_pages(plan, size)
    }

    /// Starts a background job: every node runs these write-only operations on its records of the
    /// query. `ttl` and `durable` are those of the dataset's options.
    ///
    /// Only index, filter and rate of the query apply, and the timeout: the time to start the job.
    /// If a node does not start it, others may have: the error is then in doubt.
    ///
    /// ```
    /// # use spikewire::{Client, op};
    /// # use std::time::Duration;
    /// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
    /// # let client = Client::connect(cluster.seeds())?;
    /// # let users = client.dataset("test", "users")?;
    /// # users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
    /// let adults = client.query("test", "users").filter("$.age >= 18");
    /// let job = adults.operate_all([op::put("adult", true)])?;
    /// let progress = job.wait(Duration::from_secs(60))?;
    /// assert_eq!(progress.succeeded, 82);
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn operate_all(&self, operations: impl Into<Vec<Operation>>) -> C::Answer<Job<C>> {
        job::operate(&self.client, &self.request, &operations.into())
    }

    /// Starts a background job that deletes the records of the query; otherwise like
    /// [`operate_all`](Self::operate_all).
    pub fn delete_all(&self) -> C::Answer<Job<C>> {
        self.operate_all([op::delete()])
    }

    /// Starts a background job that renews the TTLs of the records of the query; otherwise like
    /// [`operate_all`](Self::operate_all).
    pub fn touch_all(&self) -> C::Answer<Job<C>> {
        self.operate_all([op::touch()])
    }

    /// Starts a background job: every node calls a function of a registered module on its records
    /// of the query. Return values are discarded. Otherwise like
    /// [`operate_all`](Self::operate_all).
    pub fn apply_all(
        &self,
        module: &str,
        function: &str,
        arguments: &[Value],
    ) -> C::Answer<Job<C>> {
        job::apply(&self.client, &self.request, call(module, function, arguments))
    }
}
