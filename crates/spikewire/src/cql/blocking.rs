//! The blocking API: the calling thread drives the connections.

use std::fmt;
use std::iter::FusedIterator;
use std::sync::Arc;

use spikewire_cassandra::Result;
use spikewire_cassandra::blocking::BlockingExecutor;
use spikewire_cassandra::cluster::schema::Schema;
use spikewire_cassandra::session::{Call, NoValues, Preparation, Session as Composer};
use spikewire_cassandra::statement::{self, StatementOptions};
use spikewire_cassandra::statement_job::{BatchTexts, Renewal, Unready};
use spikewire_cql::version::Version;

use super::batch::Batch;
use super::bind::Values;
use super::builder::Builder;
use super::call_options::CallOptions;
use super::cluster::{self, Node};
use super::prepared::{Bound, Form, Prepared, Statement, ValueEncoder, execute};
use super::result::{QueryResult, Raw, Rows};
use super::row::Row;
use crate::cql::span::{SessionCall, StatementSpan};
use crate::metrics::{Metrics, Observed, Stats};
use crate::seeds::Seeds;

/// A blocking session. Cheap to clone; all clones share the connections and can be used from any
/// number of threads. The connections are closed when the last clone and the last [`RowIter`] are
/// dropped, or by [`Session::close`].
#[derive(Debug, Clone)]
pub struct Session {
    core: Arc<Core>,
    options: Arc<CallOptions>,
}

struct Core {
    composer: Arc<Composer>,
    executor: BlockingExecutor,
}

/// Short: connections have buffers with what users store.
impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").finish_non_exhaustive()
    }
}

impl Builder {
    /// Connects to the cluster through these contact points.
    pub fn connect(self, contact_points: impl Seeds) -> Result<Session> {
        let (options, _) = self.finish(&contact_points)?;
        let composer = Composer::open(options)?;
        let executor = BlockingExecutor::new(composer.cluster());
        let core = Arc::new(Core { composer, executor });
        Ok(Session { core, options: Arc::default() })
    }
}

impl Core {
    fn close(&self) {
        self.executor.close();
        self.composer.cluster().close();
    }

    #[inline(always)]
    fn send(&self, call: Call) -> Result<Raw> {
        self.executor.run(call, None, |answer| answer.map(Raw::of))
    }

    /// Has a node prepare a statement.
    #[cold]
    fn ask(&self, call: Call) -> Result<Arc<statement::Prepared>> {
        Ok(self.send(call)?.prepared()?.0)
    }

    fn prepare(&self, text: &str, options: &StatementOptions) -> Result<Prepared> {
        match self.composer.prepare(text, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.ask(*call).map(Prepared),
        }
    }

    /// Composes something with a prepared statement as it is now, or with a text that is prepared.
    #[inline]
    fn compose<T>(
        &self,
        form: Form<'_>,
        options: &StatementOptions,
        work: impl Fn(&Arc<statement::Prepared>) -> Result<T>,
    ) -> Result<T> {
        let (composer, mut renewal) = (&self.composer, Renewal::<ValueEncoder>::default());
        let mut composed = match form {
            Form::Prepared(known) => renewal.compose(composer, &known.0, options, &work),
            Form::Text(text) => renewal.compose_text(composer, text, options, &work),
        };
        loop {
            composed = match composed {
                Ok(composed) => return Ok(composed),
                Err(Unready::Failed(error)) => return Err(error),
                Err(Unready::Prepare(call)) => {
                    renewal.on_answer(composer, self.ask(*call), options, &work)
                }
            };
        }
    }

    fn bind(
        &self,
        form: Form<'_>,
        values: &impl Values,
        options: &StatementOptions,
    ) -> Result<Bound> {
        match form {
            Form::Text(text) if values.is_empty() => Ok(Bound::Text(text.into())),
            form => self.compose(form, options, |prepared| Bound::new(prepared, values)),
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.close();
    }
}

impl Session {
    /// Connects to the cluster through these contact points, with default options.
    pub fn connect(contact_points: impl Seeds) -> Result<Self> {
        Self::builder().connect(contact_points)
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

    fn span(&self, call: SessionCall<'_>) -> StatementSpan {
        StatementSpan::of(call, || self.options.own_keyspace().or_else(|| self.keyspace()))
    }

    /// Prepares a statement, unless it is prepared already and the schema has not changed since.
    pub fn prepare(&self, text: impl AsRef<str>) -> Result<Prepared> {
        let span = self.span(SessionCall::Prepare(text.as_ref()));
        let _entered = span.enter();
        let prepare = |options| self.core.prepare(text.as_ref(), &options);
        let prepared = self.resolved().and_then(prepare);
        prepared.as_ref().map_or_else(|error| span.failed(error), |_| span.done());
        prepared
    }

    /// Executes a statement: a prepared one with its values, or a text. A text with values is
    /// prepared first and cached; one without values is sent as it is. `USE` can be executed, too,
    /// and changes the keyspace of the session.
    pub fn execute(&self, statement: impl Statement, values: impl Values) -> Result<QueryResult> {
        let form = statement.form();
        let span = self.span(SessionCall::Execute(form.text(), form.has_markers(&values)));
        let _entered = span.enter();
        let result = self.executed(form, &values);
        span.ended(&result);
        result
    }

    fn executed(&self, form: Form<'_>, values: &impl Values) -> Result<QueryResult> {
        let options = self.resolved()?;
        let Core { composer, .. } = &*self.core;
        let call = match form {
            Form::Text(text) if values.is_empty() => composer.query(text, &options, NoValues)?,
            form => self.core.compose(form, &options, |prepared| {
                execute(composer, prepared, values, &options)
            })?,
        };
        self.core.send(call)?.result()
    }

    /// Executes a batch.
    pub fn batch(&self, batch: &Batch) -> Result<QueryResult> {
        let span = self.span(SessionCall::Batch(batch.len()));
        let _entered = span.enter();
        let result = self.run_batch(batch);
        span.ended(&result);
        result
    }

    fn run_batch(&self, batch: &Batch) -> Result<QueryResult> {
        let options = self.resolved()?;
        let (composer, mut texts) = (&self.core.composer, BatchTexts::default());
        let call = loop {
            match batch.compose(composer, &mut texts, &options) {
                Ok(call) => break call,
                Err(Unready::Failed(error)) => return Err(error),
                Err(Unready::Prepare(call)) => texts.on_answer(self.core.ask(*call))?,
            }
        };
        self.core.send(call)?.result()
    }

    /// The rows of a statement, page after page, as an iterator of results: the next page is
    /// requested when the rows of this one have been consumed. The first page is fetched at once.
    pub fn query(&self, statement: impl Statement, values: impl Values) -> Result<RowIter> {
        let mut pages = self.pages(statement, values)?;
        let rows = pages.next().transpose()?.map_or_else(Rows::none, |first| first.rows());
        Ok(RowIter { pages, rows })
    }

    /// The pages of a statement, as an iterator of results. The last one may be empty.
    pub fn pages(&self, statement: impl Statement, values: impl Values) -> Result<PageIter> {
        let form = statement.form();
        let span = self.span(SessionCall::Read(form.text(), form.has_markers(&values)));
        let bound = {
            let _entered = span.enter();
            self.resolved().and_then(|options| {
                let bound = self.core.bind(form, &values, &options)?;
                Ok((bound, options))
            })
        };
        let (bound, options) = bound.inspect_err(|error| span.failed(error))?;
        Ok(PageIter { core: self.core.clone(), bound, options, over: false, span })
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
    pub fn schema(&self) -> Result<Arc<Schema>> {
        self.core.composer.cluster().schema()
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

    /// Closes every connection. Calls in progress in other threads fail at once, and so do later
    /// ones.
    pub fn close(&self) {
        self.core.close();
    }
}

/// The pages of a statement. After an error there are no more: continue from the paging state of
/// the page before.
#[derive(Debug)]
pub struct PageIter {
    core: Arc<Core>,
    bound: Bound,
    /// With the paging state for the next page.
    options: StatementOptions,
    over: bool,
    span: StatementSpan,
}

impl Iterator for PageIter {
    type Item = Result<QueryResult>;

    fn next(&mut self) -> Option<Result<QueryResult>> {
        if self.over {
            return None;
        }
        let _entered = self.span.enter();
        let call = self.bound.compose(&self.core.composer, &self.options);
        let page = call.and_then(|call| self.core.send(call)).and_then(Raw::result);
        self.options.paging_state =
            page.as_ref().ok().and_then(|page| page.paging_state().cloned());
        self.over = self.options.paging_state.is_none();
        self.span.read(&page, self.over);
        Some(page)
    }
}

impl FusedIterator for PageIter {}

/// The rows of a statement, page after page. After an error the iterator ends.
#[derive(Debug)]
pub struct RowIter {
    pages: PageIter,
    rows: Rows,
}

impl Iterator for RowIter {
    type Item = Result<Row>;

    #[inline]
    fn next(&mut self) -> Option<Result<Row>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(row));
            }
            match self.pages.next()? {
                Ok(page) => self.rows = page.rows(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl FusedIterator for RowIter {}
