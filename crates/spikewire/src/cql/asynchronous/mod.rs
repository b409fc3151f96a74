//! The asynchronous API: the same verbs as futures, on any executor.
//!
//! | module | contents |
//! |---|---|
//! | `mod` | the session |
//! | `pending` | a request in flight |
//! | `query` | rows and pages as streams |

mod pending;
mod query;

use std::sync::Arc;

use spikewire_cassandra::connection::Cassandra;
use spikewire_cassandra::session::{Call, NoValues, Preparation, Session as Composer};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_cql::version::Version;

use super::batch::Batch;
use super::bind::Values;
use super::builder::Builder;
use super::call_options::CallOptions;
use super::cluster::{self, Node};
use super::prepared::{Bound, Form, Prepared, Statement, execute, is_misfit};
use super::result::QueryResult;
use crate::cql::span::{SessionCall, StatementSpan};
use crate::driving::{Connections, on_a_thread};
use crate::metrics::{Metrics, Observed, Stats};
use crate::seeds::Seeds;
use pending::{Pending, Ticket};

pub use query::{PageStream, RowStream};

/// A session whose verbs are futures. Cheap to clone; all clones share the connections.
///
/// Connected with [`AsyncSession::connect`], it works on any executor: a thread of the session
/// drives the connections. With the feature `tokio`, `AsyncSession::connect_tokio` drives them on a
/// tokio runtime instead, without a thread.
///
/// A request is sent when its future is first polled. Dropping a future discards the reply; a
/// request that was sent may still be executed by the server. The connections are closed when the
/// last clone, future and stream are dropped, or by [`AsyncSession::close`].
#[derive(Debug, Clone)]
pub struct AsyncSession {
    core: Arc<Core>,
    options: Arc<CallOptions>,
}

#[derive(Debug)]
struct Core {
    composer: Arc<Composer>,
    connections: Connections<Cassandra, Ticket>,
}

impl Builder {
    /// Connects to the cluster through these contact points, for futures on any executor.
    pub fn connect_async(
        self,
        contact_points: impl Seeds,
    ) -> impl Future<Output = Result<AsyncSession>> + Send + 'static {
        let checked = self.finish(&contact_points);
        async move {
            let (options, threads) = checked?;
            let open = move |_: &dyn Fn() -> bool| {
                let composer = Composer::open(options)?;
                let connections = Connections::native(composer.cluster(), threads)
                    .map_err(|message| Error::new(Kind::Connection, message))?;
                Ok(AsyncSession::new(composer, connections))
            };
            on_a_thread(open, no_thread).await
        }
    }

    /// Connects to the cluster through these contact points, for futures on the current tokio
    /// runtime, whose I/O and time drivers must be enabled. [`Builder::threads`] has no effect
    /// here: the runtime drives the connections.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(
        self,
        contact_points: impl Seeds,
    ) -> impl Future<Output = Result<AsyncSession>> + Send + 'static {
        let checked = self.finish(&contact_points);
        async move {
            let (options, _) = checked?;
            let composer = on_a_thread(move |_| Composer::open(options), no_thread).await?;
            let connections = Connections::tokio(composer.cluster().clone());
            Ok(AsyncSession::new(composer, connections.map_err(Error::invalid)?))
        }
    }
}

fn no_thread(message: String) -> Error {
    Error::new(Kind::Connection, message)
}

impl Core {
    fn close(&self) {
        self.connections.close();
        self.composer.cluster().close();
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.close();
    }
}

impl AsyncSession {
    fn new(composer: Arc<Composer>, connections: Connections<Cassandra, Ticket>) -> Self {
        Self { core: Arc::new(Core { composer, connections }), options: Arc::default() }
    }

    /// Connects to the cluster through these contact points, with default options, for any
    /// executor.
    pub fn connect(
        contact_points: impl Seeds,
    ) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_async(contact_points)
    }

    /// Connects to the cluster through these contact points, with default options; the current
    /// tokio runtime drives the connections.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(
        contact_points: impl Seeds,
    ) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_tokio(contact_points)
    }

    /// Starts with options.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The same session with other options for statements.
    pub fn with(&self, options: CallOptions) -> Self {
        Self { core: self.core.clone(), options: Arc::new(options) }
    }

    fn resolved(&self) -> Result<StatementOptions> {
        self.options.resolve(&self.core.composer)
    }

    fn send(&self, call: Box<Call>) -> Pending {
        Pending::new(self.core.clone(), call)
    }

    async fn prepare_with(&self, text: &str, options: &StatementOptions) -> Result<Prepared> {
        match self.core.composer.prepare(text, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.send(call).await?.prepared(),
        }
    }

    /// Does something with a prepared statement as it is now. If values do not fit, a node is asked
    /// once whether the parameters have changed.
    async fn with_prepared<T>(
        &self,
        prepared: &Prepared,
        options: &StatementOptions,
        work: impl Fn(&Prepared) -> Result<T>,
    ) -> Result<T> {
        if !prepared.0.is_stale() {
            let worked = work(prepared);
            if !is_misfit(&worked) {
                return worked;
            }
        }
        // Boxed, because it is rare and its future is large.
        match Box::pin(self.after_a_change(prepared, options)).await? {
            Some(now) => work(&now),
            None => work(prepared),
        }
    }

    /// What to use in place of a statement that is stale, or to whose parameters values do not fit;
    /// `None` if that is not known.
    async fn after_a_change(
        &self,
        prepared: &Prepared,
        options: &StatementOptions,
    ) -> Result<Option<Prepared>> {
        if prepared.0.is_stale() {
            self.renewed(prepared, options).await.map(Some)
        } else {
            Ok(self.prepare_anew(prepared, options).await.ok())
        }
    }

    async fn prepare_anew(
        &self,
        prepared: &Prepared,
        options: &StatementOptions,
    ) -> Result<Prepared> {
        let call = self.core.composer.prepare_anew(&prepared.0, options)?;
        self.send(call).await?.prepared()
    }

    async fn renewed(&self, prepared: &Prepared, options: &StatementOptions) -> Result<Prepared> {
        match self.core.composer.renew(&prepared.0, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.send(call).await?.prepared(),
        }
    }

    async fn bind(&self, form: Form<'_>, values: impl Values) -> Result<(Bound, StatementOptions)> {
        let options = self.resolved()?;
        let bound = |prepared: &Prepared| Bound::new(prepared, &values);
        let bound = match form {
            Form::Prepared(prepared) => self.with_prepared(prepared, &options, bound).await?,
            Form::Text(text) if values.is_empty() => Bound::Text(text.into()),
            Form::Text(text) => {
                let prepared = self.prepare_with(text, &options).await?;
                self.with_prepared(&prepared, &options, bound).await?
            }
        };
        Ok((bound, options))
    }

    fn span(&self, call: SessionCall<'_>) -> StatementSpan {
        StatementSpan::of(call, || self.options.said_keyspace().or_else(|| self.keyspace()))
    }

    /// Prepares a statement, unless it is prepared already and the schema has not changed since.
    pub async fn prepare(&self, text: impl AsRef<str> + Send) -> Result<Prepared> {
        let span = self.span(SessionCall::Prepare(text.as_ref()));
        let prepared = match self.resolved() {
            Ok(options) => self.prepare_with(text.as_ref(), &options).await,
            Err(error) => Err(error),
        };
        prepared.as_ref().map_or_else(|error| span.failed(error), |_| span.done());
        prepared
    }

    /// Executes a statement: a prepared one with its values, or a text. A text with values is
    /// prepared first and cached; one without values is sent as it is. `USE` can be executed, too,
    /// and changes the keyspace of the session.
    pub async fn execute(
        &self,
        statement: impl Statement,
        values: impl Values,
    ) -> Result<QueryResult> {
        let form = statement.form();
        let span = self.span(SessionCall::Execute(form.text(), form.has_markers(&values)));
        let result = self.executed(form, values).await;
        span.ended(&result);
        result
    }

    async fn executed(&self, form: Form<'_>, values: impl Values) -> Result<QueryResult> {
        let options = self.resolved()?;
        let composer = &self.core.composer;
        // Boxed at once, because it is large and moved often.
        let call =
            |prepared: &Prepared| execute(composer, prepared, &values, &options).map(Box::new);
        let call = match form {
            Form::Prepared(prepared) => self.with_prepared(prepared, &options, call).await?,
            Form::Text(text) if values.is_empty() => {
                Box::new(composer.query(text, &options, NoValues)?)
            }
            Form::Text(text) => {
                let prepared = self.prepare_with(text, &options).await?;
                self.with_prepared(&prepared, &options, call).await?
            }
        };
        self.send(call).await?.result()
    }

    /// Executes a batch.
    pub async fn batch(&self, batch: &Batch) -> Result<QueryResult> {
        let span = self.span(SessionCall::Batch(batch.len()));
        let result = self.run_batch(batch).await;
        span.ended(&result);
        result
    }

    async fn run_batch(&self, batch: &Batch) -> Result<QueryResult> {
        let options = self.resolved()?;
        let plain = options.to_prepare();
        for stale in batch.stale() {
            self.renewed(stale, &plain).await?;
        }
        let mut prepared = Vec::new();
        for text in batch.unprepared() {
            prepared.push(self.prepare_with(text, &plain).await?);
        }
        let composer = &self.core.composer;
        let mut call = batch.compose(composer, &prepared, &options);
        if is_misfit(&call) && !prepared.is_empty() {
            // Their parameters may be other ones by now.
            for known in &mut prepared {
                let Ok(now) = self.prepare_anew(known, &plain).await else { break };
                *known = now;
            }
            call = batch.compose(composer, &prepared, &options);
        }
        self.send(Box::new(call?)).await?.result()
    }

    /// The rows of a statement, page after page, as a [`Stream`](futures_core::Stream) of results.
    /// The first page is fetched before this returns; while the rows of a page are consumed, the
    /// next page is fetched, but none beyond that.
    pub async fn query(&self, statement: impl Statement, values: impl Values) -> Result<RowStream> {
        RowStream::begin(self.pages(statement, values).await?).await
    }

    /// The pages of a statement, as a [`Stream`](futures_core::Stream) of results, each requested
    /// after the previous one was taken. The last one may be empty.
    pub async fn pages(
        &self,
        statement: impl Statement,
        values: impl Values,
    ) -> Result<PageStream> {
        let form = statement.form();
        let span = self.span(SessionCall::Read(form.text(), form.has_markers(&values)));
        let bound = self.bind(form, values).await;
        let bound = bound.inspect_err(|error| span.failed(error))?;
        Ok(PageStream::new(self.core.clone(), bound, span))
    }

    /// The keyspace of statements without one.
    pub fn keyspace(&self) -> Option<Arc<str>> {
        self.core.composer.keyspace()
    }

    /// The version of the native protocol in use.
    pub fn version(&self) -> Version {
        self.core.composer.version()
    }

    /// The nodes of the cluster as last seen.
    pub fn nodes(&self) -> Vec<Node> {
        cluster::nodes(self.core.composer.cluster())
    }

    /// Enables and disables metrics, and provides the events.
    pub fn metrics(&self) -> &Metrics {
        self.core.composer.cluster().metrics()
    }

    /// A handle for observing its counters and events. Does not keep the session open.
    pub fn observed(&self) -> Arc<dyn Observed> {
        self.core.composer.cluster().clone()
    }

    /// What this session has counted, and its current state: nodes, connections, circuit breakers.
    pub fn stats(&self) -> Stats {
        self.core.composer.cluster().stats()
    }

    /// Closes every connection. Pending futures fail, and so does every later call.
    pub fn close(&self) {
        self.core.close();
    }
}
