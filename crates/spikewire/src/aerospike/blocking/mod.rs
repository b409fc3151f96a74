//! The blocking API: the calling thread drives the connections.
//!
//! | module | contents |
//! |---|---|
//! | `mod` | the client and its datasets |
//! | `query` | queries as iterators |
//! | `transaction` | transactions |

mod query;
mod transaction;

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use spikewire_aerospike::admin::{self, Procedure};
use spikewire_aerospike::command::blocking::BlockingExecutor;
use spikewire_aerospike::command::{NearLookup, Prepared, SetRef, look_up};
use spikewire_aerospike::transaction::{self as engine, Outsider};
use spikewire_aerospike::transport::{Reply, Streams, buffer};

use crate::aerospike::administration::Administration;
use crate::aerospike::answer::{self, Answer};
use crate::aerospike::batch::Batch;
use crate::aerospike::builder::Builder;
use crate::aerospike::client_kind::{ClientContext, ClientKind, IsNeeded, sealed};
use crate::aerospike::cluster;
use crate::aerospike::many::{ComposedBatch, many};
use crate::aerospike::options::CallOptions;
use crate::aerospike::query_plan::PreparedQuery;
use crate::aerospike::record::Record;
use crate::aerospike::span::VerbSpan;
use crate::aerospike::verbs::{Place, verbs};
use crate::metrics::{Metrics, Observed, Stats};
use crate::recording::{RecordError, RecordOptions, Recording};
use crate::seeds::Seeds;
use crate::{Error, Node, Result};

pub use query::{Pages, Records};
pub use transaction::Transaction;

/// A blocking client. Cheap to clone; all clones share the connections and can be used from any
/// number of threads. The connections are closed when the last clone and the last dataset are
/// dropped, or by [`Client::close`].
#[derive(Debug, Clone)]
pub struct Client {
    core: Arc<BlockingCore>,
}

struct BlockingCore {
    context: ClientContext,
    executor: BlockingExecutor,
}

/// Short: connections have buffers with what users store.
impl fmt::Debug for BlockingCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingCore").finish_non_exhaustive()
    }
}

impl Client {
    /// Connects to the cluster through these seeds, with default options.
    pub fn connect(seeds: impl Seeds) -> Result<Self> {
        Self::builder().connect(seeds)
    }

    /// Starts with options.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A namespace and one of its sets; `""` for records without a set.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<Dataset> {
        let space = SetRef::new(namespace, set)?;
        let options = CallOptions::new();
        Ok(Dataset { core: self.core.clone(), space, options, transaction: None })
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
    pub fn info(&self, node: SocketAddr, command: &str) -> Result<String> {
        cluster::info(self, node, command)
    }

    /// Closes every connection. Calls in progress in other threads fail at once, and so do later
    /// ones.
    pub fn close(&self) {
        self.core.close();
    }
}

impl Builder {
    /// Connects to the cluster through these seeds.
    pub fn connect(self, seeds: impl Seeds) -> Result<Client> {
        let (options, defaults, _) = self.finish(&seeds)?;
        let cluster = spikewire_aerospike::connect(options)?;
        let executor = BlockingExecutor::new(cluster.clone());
        let streams = Streams::new(cluster.clone());
        let context = ClientContext { cluster, streams, defaults };
        Ok(Client { core: Arc::new(BlockingCore { context, executor }) })
    }
}

impl BlockingCore {
    fn close(&self) {
        self.executor.close();
        self.context.close();
    }
}

impl Drop for BlockingCore {
    fn drop(&mut self) {
        self.close();
    }
}

impl sealed::Sealed for Client {}

impl ClientKind for Client {
    type Answer<T: Send + 'static> = Result<T>;
    type Records = Records;
    type Pages = Pages;

    fn context(&self) -> &ClientContext {
        &self.core.context
    }

    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ClientContext, IsNeeded<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        work(&self.core.context, &|| true)
    }

    fn administer<P: Procedure<Output: Send> + Send + 'static>(
        &self,
        about: Administration<'_>,
        procedure: Result<P>,
    ) -> Result<P::Output> {
        let mut procedure = procedure?;
        let span = VerbSpan::administration(about);
        let _entered = span.enter();
        let outcome = admin::run(&self.core.context.cluster, &mut procedure, &|| false);
        span.ended(&outcome);
        outcome
    }

    fn read(&self, plan: PreparedQuery) -> Result<Records> {
        Records::new(self, plan)
    }

    fn read_pages(&self, plan: PreparedQuery, size: usize) -> Result<Pages> {
        Pages::new(self, plan, size)
    }
}

/// A namespace and a set of a [`Client`], with the verbs. Cheap to clone, and to keep.
#[derive(Debug, Clone)]
pub struct Dataset {
    core: Arc<BlockingCore>,
    space: Arc<SetRef>,
    options: CallOptions,
    /// The transaction that its calls are part of.
    transaction: Option<Arc<engine::Transaction>>,
}

impl Dataset {
    fn place(&self) -> Place<'_> {
        Place::of(&self.space, &self.options, &self.core.context)
    }

    /// The dataset's client, names and options.
    pub(crate) fn parts(&self) -> (Client, Result<Arc<SetRef>>, CallOptions) {
        let client = Client { core: self.core.clone() };
        let allowed = engine::outside(self.transaction.as_ref(), Outsider::Query);
        let space = allowed.map(|()| self.space.clone());
        (client, space, self.options.clone())
    }

    fn run<A: Answer>(&self, request: Result<Prepared>, plan: A::Plan) -> Result<A> {
        let request = request?;
        let span = VerbSpan::command(&self.space, &request);
        let _entered = span.enter();
        if let Some(transaction) = &self.transaction {
            return self.run_in(transaction, request, &plan, &span);
        }
        if self.core.context.cluster.has_near_cache() {
            return self.run_near(request, &plan, &span);
        }
        self.send(request, &plan, &span)
    }

    /// Asks the near cache first.
    #[cold]
    #[inline(never)]
    fn run_near<A: Answer>(&self, request: Prepared, plan: &A::Plan, span: &VerbSpan) -> Result<A> {
        match look_up(&self.core.context.cluster, request) {
            NearLookup::Hit(known) => answer::known(&known, plan),
            NearLookup::Miss(request) => self.send(request, plan, span),
        }
    }

    #[inline(always)]
    fn send<A: Answer>(&self, request: Prepared, plan: &A::Plan, span: &VerbSpan) -> Result<A> {
        let Prepared { bytes, target, policy } = request;
        let BlockingCore { context, executor } = &*self.core;
        let (mut body, mut extra) = (buffer::take(), None);
        let outcome = executor.run(bytes, target, policy, &mut body, None, &mut extra);
        let at = extra.and_then(|extra| context.cluster.metrics().goes_on(extra.answered));
        if let Ok((node, _)) = &outcome {
            span.answered(&body, node);
        }
        let answer = match outcome {
            Ok((node, attempts)) => {
                let reply = Reply { body: &body, node: &node, attempts };
                answer::check(&reply, A::KIND).and_then(|()| {
                    answer::read(&body, plan).map_err(|error| error.on(node.to_string()))
                })
            }
            Err(error) => Err(error),
        };
        context.cluster.metrics().decoded(at);
        buffer::give(body);
        if let Err(error) = &answer {
            span.failed(error);
        }
        answer
    }

    fn run_many(&self, many: Result<ComposedBatch>) -> Result<Batch> {
        let ComposedBatch { mut rows, answered, verb } = many?;
        let span = VerbSpan::many(&self.space, verb, rows.len());
        let _entered = span.enter();
        let BlockingCore { context, executor } = &*self.core;
        let run = if context.cluster.is_closed() {
            Err(Error::closed())
        } else if let Some(transaction) = self.transaction.as_ref().filter(|_| !rows.is_empty()) {
            match self.run_rows_in(transaction, rows) {
                Ok(done) => rows = done,
                Err(error) => {
                    span.failed(&error);
                    return Err(error);
                }
            }
            Ok(())
        } else {
            executor.run_batch(&mut rows, None)
        };
        context.cluster.metrics().goes_on(rows.answered());
        span.ended(&run);
        run.map(|()| Batch::new(rows, answered))
    }
}

verbs!(Dataset, Result);
many!(Dataset, Result<Batch>);
