//! The asynchronous API: the same verbs as futures, on any executor.
//!
//! | module | contents |
//! |---|---|
//! | `mod` | the session |
//! | `pending` | a request in flight |
//! | `query` | rows and pages as streams |

mod pending;
mod query;

use std::fmt;
use std::sync::Arc;

use spikewire_cassandra::cluster::schema::Schema;
use spikewire_cassandra::connection::Cassandra;
use spikewire_cassandra::session::{Call, NoValues, Preparation, Session as Composer};
use spikewire_cassandra::statement::{self, StatementOptions};
use spikewire_cassandra::statement_job::{BatchTexts, Renewal, Unready};
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_cql::version::Version;

use super::batch::Batch;
use super::bind::Values;
use super::builder::Builder;
use super::call_options::CallOptions;
use super::cluster::{self, Node};
use super::prepared::{Bound, Form, Prepared, Statement, ValueEncoder, execute};
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

struct Core {
    composer: Arc<Composer>,
    connections: Connections<Cassandra, Ticket>,
}

/// Short: connections have buffers with what users store.
impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").finish_non_exhaustive()
    }
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
    /// here: the runtime drives the connections, with one task for each of its threads, at most 4.
    /// Each task has connections of its own.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(
        self,
        contact_points: impl Seeds,
    ) -> impl Future<Output = Result<AsyncSession>> + Send + 'static {
        let checked = self.finish(&contact_points);
        async move {
            let (options, _) = checked?;
            let composer = on_a_thread(move |_| Composer::open(options), no_thread).await?;
            let connections = Connections::tokio(composer.cluster());
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

    /// Has a node prepare a statement.
    async fn ask(&self, call: Box<Call>) -> Result<Arc<statement::Prepared>> {
        Ok(self.send(call).await?.prepared()?.0)
    }

    async fn prepare_with(&self, text: &str, options: &StatementOptions) -> Result<Prepared> {
        match self.core.composer.prepare(text, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.ask(call).await.map(Prepared),
        }
    }

    /// Composes something with a prepared statement as it is now, or with a text that is prepared.
    async fn compose<T>(
        &self,
        form: Form<'_>,
        options: &StatementOptions,
        work: impl Fn(&Arc<statement::Prepared>) -> Result<T>,
    ) -> Result<T> {
        let (composer, mut renewal) = (&self.core.composer, Renewal::<ValueEncoder>::default());
        let mut composed = match form {
            Form::Prepared(known) => renewal.compose(composer, &known.0, options, &work),
            Form::Text(text) => renewal.compose_text(composer, text, options, &work),
        };
        loop {
            let call = match composed {
                Ok(composed) => return Ok(composed),
                Err(Unready::Failed(error)) => return Err(error),
                Err(Unready::Prepare(call)) => call,
            };
            // Boxed, because it is rare and its future is large.
            let answer = Box::pin(self.ask(call)).await;
            composed = renewal.on_answer(composer, answer, options, &work);
        }
    }

    async fn bind(&self, form: Form<'_>, values: impl Values) -> Result<(Bound, StatementOptions)> {
        let options = self.resolved()?;
        let bound = match form {
            Form::Text(text) if values.is_empty() => Bound::Text(text.into()),
            form => self.compose(form, &options, |known| Bound::new(known, &values)).await?,
        };
        Ok((bound, options))
    }

    fn span(&self, call: SessionCall<'_>) -> StatementSpan {
        StatementSpan::of(call, || self.options.own_keyspace().or_else(|| self.keyspace()))
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
        let call = match form {
            Form::Text(text) if values.is_empty() => {
                Box::new(composer.query(text, &options, NoValues)?)
            }
            // Boxed at once, because it is large and moved often.
            form => {
                let call = |known: &_| execute(composer, known, &values, &options).map(Box::new);
                self.compose(form, &options, call).await?
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
        let (composer, mut texts) = (&self.core.composer, BatchTexts::default());
        let call = loop {
            match batch.compose(composer, &mut texts, &options) {
                Ok(call) => break Box::new(call),
                Err(Unready::Failed(error)) => return Err(error),
                Err(Unready::Prepare(call)) => texts.on_answer(self.ask(call).await)?,
            }
        };
        self.send(call).await?.result()
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

    /// Keyspaces, tables, columns, indexes, triggers, views, types, functions and aggregates: as they
    /// are after all changes that this session made, and all that were announced. Read when it is first asked for, and kept current
    /// from then on.
    pub fn schema(&self) -> impl Future<Output = Result<Arc<Schema>>> + Send + 'static {
        let cluster = self.core.composer.cluster().clone();
        on_a_thread(move |_| cluster.schema(), no_thread)
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
