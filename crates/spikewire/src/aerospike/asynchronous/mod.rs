//! The asynchronous API: the same verbs as futures, on any executor.
//!
//! | module | contents |
//! |---|---|
//! | `mod` | the client and its datasets |
//! | `future`, `cell` | a command's future, and the cell for its outcome |
//! | `many` | a batch's future |
//! | `steps` | batches of a transaction, one after the other |
//! | `transaction` | transactions |
//! | `admin` | administrative commands |
//! | `admin_future` | the future of rare commands |
//! | `query` | queries as streams |
//! | `transport` | what drives the connections and watches queries |
//! | `tokio` | a query on a tokio runtime |
//! | `watch` | a thread that watches queries, for all other executors |

mod admin;
mod admin_future;
mod cell;
mod future;
mod many;
mod query;
mod steps;
#[cfg(feature = "tokio")]
mod tokio;
mod transaction;
mod transport;
mod watch;

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use spikewire_aerospike::admin::Procedure;
use spikewire_aerospike::command::{Prepared, SetRef};
use spikewire_aerospike::transaction::{self as engine, Outsider};
use spikewire_aerospike::transport::Streams;

use crate::aerospike::administration::Administration;
use crate::aerospike::answer::Answer;
use crate::aerospike::builder::Builder;
use crate::aerospike::client_kind::{ClientContext, ClientKind, IsNeeded, sealed};
use crate::aerospike::cluster;
use crate::aerospike::many::{ComposedBatch, many as many_verbs};
use crate::aerospike::options::CallOptions;
use crate::aerospike::query_plan::PreparedQuery;
use crate::aerospike::record::Record;
use crate::aerospike::span::VerbSpan;
use crate::aerospike::verbs::{Place, verbs};
use crate::metrics::{Metrics, Observed, Stats};
use crate::recording::{RecordError, RecordOptions, Recording};
use crate::seeds::Seeds;
use crate::{Node, Result};

pub use admin_future::AdminFuture;
pub use future::Pending;
pub use many::PendingBatch;
pub use query::{AsyncPages, AsyncRecords};
pub use transaction::AsyncTransaction;
use transport::Transport;

/// A client whose verbs return futures. Cheap to clone; all clones share the connections.
///
/// Connected with [`AsyncClient::connect`], it works on any executor: a thread of the client drives
/// the connections. With the feature `tokio`, `AsyncClient::connect_tokio` drives them on a tokio
/// runtime instead, without a thread.
///
/// The connections are closed when the last clone, dataset and future are dropped, or by
/// [`AsyncClient::close`].
#[derive(Debug, Clone)]
pub struct AsyncClient {
    core: Arc<AsyncCore>,
}

struct AsyncCore {
    context: ClientContext,
    transport: Transport,
}

/// Short: connections have buffers with what users store.
impl fmt::Debug for AsyncCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncCore").finish_non_exhaustive()
    }
}

impl AsyncClient {
    /// Connects to the cluster through these seeds, with default options, for any executor.
    pub fn connect(seeds: impl Seeds) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_async(seeds)
    }

    /// Connects to the cluster through these seeds, with default options; the current tokio runtime
    /// drives the connections.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(seeds: impl Seeds) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_tokio(seeds)
    }

    /// Starts with options.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A namespace and one of its sets; `""` for records without a set.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<AsyncDataset> {
        let space = SetRef::new(namespace, set)?;
        let options = CallOptions::new();
        Ok(AsyncDataset { core: self.core.clone(), space, options, transaction: None })
    }

    /// The nodes of the cluster as last seen.
    pub fn nodes(&self) -> Vec<Node> {
        cluster::nodes(&self.core.context.cluster)
    }

    /// What this client has counted since [`Metrics::reset`], and its current state: nodes,
    /// connections, circuit breakers, the cluster worker.
    pub fn stats(&self) -> Stats {
        self.core.context.cluster.stats()
    }

    /// Enables and disables metrics, and provides the events.
    pub fn metrics(&self) -> &Metrics {
        self.core.context.cluster.metrics()
    }

    /// A handle for observing its counters and events. Does not keep the client open.
    pub fn observed(&self) -> Arc<dyn Observed> {
        self.core.context.cluster.clone()
    }

    /// Records a sample of this client's calls into a file until it is stopped or dropped, to send
    /// the like to another cluster. The file holds kinds, sizes, times and outcomes, and no keys,
    /// values or names; see [`recording`](crate::recording).
    pub fn record(
        &self,
        path: impl AsRef<Path>,
        options: RecordOptions,
    ) -> std::result::Result<Recording, RecordError> {
        Recording::start(&self.core.context.cluster, path.as_ref(), options)
    }

    /// A node's reply to an info command such as `"namespaces"`.
    pub fn info(&self, node: SocketAddr, command: &str) -> AdminFuture<String> {
        cluster::info(self, node, command)
    }

    /// Closes every connection. Pending futures fail, and so does every later call.
    pub fn close(&self) {
        self.core.close();
    }
}

impl Builder {
    /// Connects to the cluster through these seeds, for futures on any executor.
    pub fn connect_async(
        self,
        seeds: impl Seeds,
    ) -> impl Future<Output = Result<AsyncClient>> + Send + 'static {
        let checked = self.finish(&seeds);
        async move {
            let (options, defaults, threads) = checked?;
            future::on_a_thread(move |_| {
                let cluster = spikewire_aerospike::connect(options)?;
                let transport = Transport::native(&cluster, threads)?;
                let streams = Streams::new(cluster.clone());
                let context = ClientContext { cluster, streams, defaults };
                Ok(AsyncClient { core: Arc::new(AsyncCore { context, transport }) })
            })
            .await
        }
    }

    /// Connects to the cluster through these seeds, for futures on the current tokio runtime, whose
    /// I/O and time drivers must be enabled. [`Builder::threads`] has no effect here: the runtime
    /// drives the connections, with one task for each of its threads, at most 4. Each task has
    /// connections of its own.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(
        self,
        seeds: impl Seeds,
    ) -> impl Future<Output = Result<AsyncClient>> + Send + 'static {
        let checked = self.finish(&seeds);
        async move {
            let (options, defaults, _) = checked?;
            let cluster =
                future::on_a_thread(move |_| spikewire_aerospike::connect(options)).await?;
            let transport = Transport::tokio(&cluster)?;
            let streams = Streams::new(cluster.clone());
            let context = ClientContext { cluster, streams, defaults };
            Ok(AsyncClient { core: Arc::new(AsyncCore { context, transport }) })
        }
    }
}

impl AsyncCore {
    fn close(&self) {
        self.transport.close();
        self.context.close();
    }
}

impl Drop for AsyncCore {
    fn drop(&mut self) {
        self.close();
    }
}

impl sealed::Sealed for AsyncClient {}

impl ClientKind for AsyncClient {
    type Answer<T: Send + 'static> = AdminFuture<T>;
    type Records = AsyncRecords;
    type Pages = AsyncPages;

    fn context(&self) -> &ClientContext {
        &self.core.context
    }

    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ClientContext, IsNeeded<'_>) -> Result<T> + Send + 'static,
    ) -> AdminFuture<T> {
        // The connections stay open while a future is pending.
        let core = self.core.clone();
        AdminFuture::new(future::on_a_thread(move |is_needed| work(&core.context, is_needed)))
    }

    fn administer<P: Procedure<Output: Send> + Send + 'static>(
        &self,
        about: Administration<'_>,
        procedure: Result<P>,
    ) -> AdminFuture<P::Output> {
        let span = match &procedure {
            Ok(_) => VerbSpan::administration(about),
            Err(_) => VerbSpan::default(),
        };
        let work = admin::run(self.core.clone(), procedure);
        AdminFuture::new(async move {
            let outcome = work.await;
            span.ended(&outcome);
            outcome
        })
    }

    fn read(&self, plan: PreparedQuery) -> Result<AsyncRecords> {
        AsyncRecords::new(&self.core, plan)
    }

    fn read_pages(&self, plan: PreparedQuery, size: usize) -> Result<AsyncPages> {
        AsyncPages::new(&self.core, plan, size)
    }
}

/// A namespace and a set of an [`AsyncClient`], with the verbs as futures. Cheap to clone, and to
/// keep.
///
/// Arguments are checked and encoded when a verb is called; the request is sent when the future is
/// first polled. The future borrows nothing, so it can be moved to another task. Dropping it
/// discards the reply; a request that was sent may still be executed by the server.
#[derive(Debug, Clone)]
pub struct AsyncDataset {
    core: Arc<AsyncCore>,
    space: Arc<SetRef>,
    options: CallOptions,
    /// The transaction that its calls are part of.
    transaction: Option<Arc<engine::Transaction>>,
}

impl AsyncDataset {
    fn place(&self) -> Place<'_> {
        Place::of(&self.space, &self.options, &self.core.context)
    }

    /// The dataset's client, names and options.
    pub(crate) fn parts(&self) -> (AsyncClient, Result<Arc<SetRef>>, CallOptions) {
        let client = AsyncClient { core: self.core.clone() };
        let allowed = engine::outside(self.transaction.as_ref(), Outsider::Query);
        let space = allowed.map(|()| self.space.clone());
        (client, space, self.options.clone())
    }

    fn run<A: Answer>(&self, request: Result<Prepared>, plan: A::Plan) -> Pending<A> {
        let span = match &request {
            Ok(request) => VerbSpan::command(&self.space, request),
            Err(_) => VerbSpan::default(),
        };
        Pending::new(self.core.clone(), request, plan, span).within(self.transaction.as_ref())
    }

    fn run_many(&self, many: Result<ComposedBatch>) -> PendingBatch {
        let span = match &many {
            Ok(many) => VerbSpan::many(&self.space, many.verb, many.rows.len()),
            Err(_) => VerbSpan::default(),
        };
        PendingBatch::new(self.core.clone(), many, span, self.transaction.clone())
    }
}

verbs!(AsyncDataset, Pending);
many_verbs!(AsyncDataset, PendingBatch);
