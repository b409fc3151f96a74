//! The blocking API: the calling thread drives the connections.

use std::iter::FusedIterator;
use std::sync::Arc;

use spikewire_cassandra::Result;
use spikewire_cassandra::blocking::BlockingExecutor;
use spikewire_cassandra::session::{Call, NoValues, Preparation, Session as Composer};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cql::version::Version;

use super::batch::Batch;
use super::bind::Values;
use super::builder::Builder;
use super::call_options::CallOptions;
use super::cluster::{self, Node};
use super::prepared::{Bound, Form, Prepared, Statement, execute, is_misfit};
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

#[derive(Debug)]
struct Core {
    composer: Arc<Composer>,
    executor: BlockingExecutor,
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
    fn ask(&self, call: Call) -> Result<Prepared> {
        self.send(call)?.prepared()
    }

    fn prepare(&self, text: &str, options: &StatementOptions) -> Result<Prepared> {
        match self.composer.prepare(text, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.ask(*call),
        }
    }

    /// Does something with a prepared statement as it is now. If values do not fit, a node is asked
    /// once whether the parameters have changed.
    #[inline]
    fn with<T>(
        &self,
        prepared: &Prepared,
        options: &StatementOptions,
        work: impl Fn(&Prepared) -> Result<T>,
    ) -> Result<T> {
        if prepared.0.is_stale() {
            return work(&self.renewed(prepared, options)?);
        }
        let worked = work(prepared);
        if is_misfit(&worked)
            && let Ok(call) = self.composer.prepare_anew(&prepared.0, options)
            && let Ok(now) = self.ask(*call)
        {
            return work(&now);
        }
        worked
    }

    fn renewed(&self, prepared: &Prepared, options: &StatementOptions) -> Result<Prepared> {
        match self.composer.renew(&prepared.0, options)? {
            Preparation::Known(prepared) => Ok(Prepared(prepared)),
            Preparation::Ask(call) => self.ask(*call),
        }
    }

    fn bind(
        &self,
        form: Form<'_>,
        values: &impl Values,
        options: &StatementOptions,
    ) -> Result<Bound> {
        let bound = |prepared: &Prepared| Bound::new(prepared, values);
        match form {
            Form::Prepared(prepared) => self.with(prepared, options, bound),
            Form::Text(text) if values.is_empty() => Ok(Bound::Text(text.into())),
            Form::Text(text) => self.with(&self.prepare(text, options)?, options, bound),
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
        StatementSpan::of(call, || self.options.said_keyspace().or_else(|| self.keyspace()))
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
        let call = |prepared: &Prepared| execute(composer, prepared, values, &options);
        let call = match form {
            Form::Prepared(prepared) => self.core.with(prepared, &options, call)?,
            Form::Text(text) if values.is_empty() => composer.query(text, &options, NoValues)?,
            Form::Text(text) => {
                self.core.with(&self.core.prepare(text, &options)?, &options, call)?
            }
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
        let plain = options.to_prepare();
        for stale in batch.stale() {
            self.core.renewed(stale, &plain)?;
        }
        let prepared = batch.unprepared().map(|text| self.core.prepare(text, &plain));
        let mut prepared = prepared.collect::<Result<Vec<_>>>()?;
        let composer = &self.core.composer;
        let mut call = batch.compose(composer, &prepared, &options);
        if is_misfit(&call) && !prepared.is_empty() {
            // Their parameters may be other ones by now.
            for known in &mut prepared {
                let anew = composer.prepare_anew(&known.0, &plain);
                let Ok(now) = anew.and_then(|call| self.core.ask(*call)) else { break };
                *known = now;
            }
            call = batch.compose(composer, &prepared, &options);
        }
        let call = call?;
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
