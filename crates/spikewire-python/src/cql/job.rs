//! A statement from its arguments to its result, including the steps in between: it may have to be
//! prepared first, and its rows may arrive in several pages.

use std::sync::{Arc, LazyLock};

use pyo3::prelude::*;
use spikewire_cassandra::execution::{Answer, Content};
use spikewire_cassandra::session::{Call, NoValues, Preparation};
use spikewire_cassandra::statement::{Prepared as Known, Shape, StatementOptions};
use spikewire_cassandra::{Error, Session};
use spikewire_cql::request::{Values, values_with};
use spikewire_transport::buffer;

use super::batch::{BatchRequest, Texts};
use super::bind::{bind, copy_of_parameters, is_input_error, markers};
use super::classes::Classes;
use super::core::Core;
use super::errors::BoxedPyErr;
use super::pages::PageList;
use super::prepared::Prepared;
use super::rows::{ResponseMeta, Rows, page_of};
use super::statement::Statement;
use crate::bridge::errors::{Raise, type_error};

/// The result that a job is to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A prepared statement.
    Prepared,
    /// A prepared statement, from text with markers as `execute` accepts them.
    Markers,
    /// Nothing but success. Rows are not needed.
    Done,
    /// All rows.
    All,
    /// One page of rows.
    Page,
}

/// A statement in progress.
pub struct Job {
    session: Arc<Session>,
    classes: Arc<Classes>,
    goal: Goal,
    statement: Statement,
    options: Option<Box<StatementOptions>>,
    /// The values of a statement that may have more pages.
    values: Vec<u8>,
    more: Option<Box<MultiRequestState>>,
}

/// State that only a statement with several requests needs.
#[derive(Default)]
struct MultiRequestState {
    parameters: Option<Py<PyAny>>,
    /// Whether a node was asked to prepare the statement.
    is_prepared_anew: bool,
    /// Why the parameters do not fit what was known of the statement before.
    encode_error: Option<PyErr>,
    /// The pages received so far, and the columns of the first.
    pages: PageList,
    shape: Option<Arc<Shape>>,
    /// Warnings and other details that came with those pages.
    meta: ResponseMeta,
    /// What was prepared for a batch.
    texts: Texts,
}

/// Used if no options are given.
static PLAIN: LazyLock<StatementOptions> = LazyLock::new(StatementOptions::default);

impl Drop for Job {
    fn drop(&mut self) {
        buffer::give(std::mem::take(&mut self.values));
    }
}

/// What follows a reply.
pub enum JobProgress<'py> {
    /// The job is done, with this result.
    Done(PyResult<Bound<'py, PyAny>>),
    /// The next request to send.
    Send(Call),
}

/// The start of a job.
#[expect(clippy::large_enum_variant, reason = "moved once; a box would be an allocation each time")]
pub enum Start<'py> {
    /// The result, without a request.
    Done(Bound<'py, PyAny>),
    /// The first request to send.
    Send(Job, Call),
}

impl Job {
    /// Starts a job.
    #[inline]
    pub fn start<'py>(
        py: Python<'py>,
        core: &Core,
        goal: Goal,
        statement: Statement,
        parameters: Option<&Bound<'py, PyAny>>,
        options: Option<Box<StatementOptions>>,
    ) -> PyResult<Start<'py>> {
        let session = &core.session;
        let mut job = Self {
            session: session.clone(),
            classes: core.classes.clone(),
            goal,
            statement,
            options,
            values: Vec::new(),
            more: None,
        };
        let prepares = matches!(goal, Goal::Prepared | Goal::Markers);
        let parameters = parameters.filter(|parameters| !parameters.is_none());
        if prepares && !matches!(job.statement, Statement::Text(_)) {
            return Err(type_error("a statement to prepare must be a str"));
        }
        if let Statement::Text(text) = &job.statement {
            let text = text.clone();
            if !prepares && parameters.is_none() {
                let call = session.query(&text, job.options(), NoValues);
                return Ok(Start::Send(job, call.map_err(|error| error.raise(py))?));
            }
            let text = if goal == Goal::Prepared { (&*text).into() } else { markers(&text)? };
            match session.prepare(&text, job.options()).map_err(|error| error.raise(py))? {
                Preparation::Ask(call) => {
                    job.more().parameters = parameters.map(copy_of_parameters).transpose()?;
                    return Ok(Start::Send(job, *call));
                }
                Preparation::Known(known) if prepares => {
                    return Ok(Start::Done(Bound::new(py, Prepared { known })?.into_any()));
                }
                Preparation::Known(known) => job.statement = Statement::Prepared(known),
            }
        }
        let call = job.execute(py, parameters)?;
        Ok(Start::Send(job, call))
    }

    #[inline]
    fn options(&self) -> &StatementOptions {
        self.options.as_deref().unwrap_or_else(|| &PLAIN)
    }

    fn more(&mut self) -> &mut MultiRequestState {
        self.more.get_or_insert_default()
    }

    /// Builds the request of a statement that is not text, or the one that prepares it first.
    fn execute(&mut self, py: Python<'_>, parameters: Option<&Bound<'_, PyAny>>) -> PyResult<Call> {
        if parameters.is_some() && !matches!(self.statement, Statement::Prepared(_)) {
            return Err(type_error("a bound statement or a batch has its parameters"));
        }
        let known = match &self.statement {
            Statement::Prepared(known) => known,
            Statement::Bound(known, _) if known.is_stale() => {
                let known = known.clone();
                return match self.renew(py, &known)? {
                    Some(call) => Ok(call),
                    None => Ok(self.next_page()?),
                };
            }
            Statement::Batch(content) => {
                let options = self.options.as_deref().unwrap_or_else(|| &PLAIN);
                let texts = &mut self.more.get_or_insert_default().texts;
                let composed = content.compose(py, &self.session, options, texts)?;
                let (BatchRequest::Prepare(call) | BatchRequest::Whole(call)) = composed;
                return Ok(call);
            }
            Statement::Bound(..) | Statement::Text(_) => return Ok(self.next_page()?),
        };
        if known.is_stale() {
            let known = known.clone();
            if let Some(call) = self.renew(py, &known)? {
                self.more().parameters = parameters.map(copy_of_parameters).transpose()?;
                return Ok(call);
            }
        }
        match self.executed(parameters) {
            Err(encode_error) if parameters.is_some() && is_input_error(py, &encode_error) => {
                self.fitted(py, parameters, encode_error)
            }
            other => other,
        }
    }

    /// Builds the request of a prepared statement.
    #[inline]
    fn executed(&mut self, parameters: Option<&Bound<'_, PyAny>>) -> PyResult<Call> {
        let Statement::Prepared(known) = &self.statement else { return Ok(self.next_page()?) };
        // The values are kept in case there is another page.
        let keeps = known.traits.reads && self.goal == Goal::All;
        let mut copy = if keeps { buffer::take() } else { Vec::new() };
        let values = values_with::<BoxedPyErr>(known.parameters.len(), false, |out| {
            let from = out.len();
            bind(known, parameters, out)?;
            if keeps {
                copy.extend_from_slice(&out[from..]);
            }
            Ok(())
        });
        let call = self.session.execute(known, self.options(), values)?;
        self.values = copy;
        Ok(call)
    }

    /// Has a node prepare the statement anew if it was not asked yet: the parameters may be other
    /// ones by now than those that the values do not fit.
    #[cold]
    fn fitted(
        &mut self,
        py: Python<'_>,
        parameters: Option<&Bound<'_, PyAny>>,
        encode_error: PyErr,
    ) -> PyResult<Call> {
        let Statement::Prepared(known) = &self.statement else { return Err(encode_error) };
        if self.more.as_ref().is_some_and(|more| more.is_prepared_anew) {
            return Err(encode_error);
        }
        let Ok(call) = self.session.prepare_anew(known, self.options()) else {
            return Err(encode_error);
        };
        let more = self.more();
        more.is_prepared_anew = true;
        more.parameters = parameters.map(copy_of_parameters).transpose()?;
        more.encode_error = Some(encode_error.clone_ref(py));
        Ok(*call)
    }

    /// Replaces a statement that is stale by what it is now; the request, if a node has to be asked
    /// for that.
    #[cold]
    fn renew(&mut self, py: Python<'_>, known: &Arc<Known>) -> PyResult<Option<Call>> {
        let renewed = self.session.renew(known, self.options());
        match renewed.map_err(|error| error.raise(py))? {
            Preparation::Known(latest) => self.replace(py, &latest)?,
            Preparation::Ask(call) if !self.more().is_prepared_anew => {
                self.more().is_prepared_anew = true;
                return Ok(Some(*call));
            }
            // The schema has changed again meanwhile; a node that notices says so.
            Preparation::Ask(_) => {}
        }
        Ok(None)
    }

    /// What is executed from now on.
    fn replace(&mut self, py: Python<'_>, latest: &Arc<Known>) -> PyResult<()> {
        if let Statement::Bound(known, values) = &self.statement {
            let latest = known.for_bound_values().map_err(|error| error.raise(py))?;
            self.statement = Statement::Bound(latest, values.clone());
        } else {
            self.statement = Statement::Prepared(latest.clone());
        }
        Ok(())
    }

    /// Builds the request for the page that the options name, for a statement with its values.
    fn next_page(&self) -> Result<Call, BoxedPyErr> {
        let (known, bytes): (_, &[u8]) = match &self.statement {
            Statement::Text(text) => {
                return Ok(self.session.query(text, self.options(), NoValues)?);
            }
            Statement::Prepared(known) => (known, &self.values),
            Statement::Bound(known, values) => (known, values),
            Statement::Batch(_) => return Err(type_error("a batch has no pages").into()),
        };
        let values = Values { count: known.parameters.len(), named: false, bytes };
        Ok(self.session.execute(known, self.options(), values)?)
    }

    /// Processes a reply.
    pub fn on_reply<'py>(
        &mut self,
        py: Python<'py>,
        answer: Result<Answer<'_>, Error>,
    ) -> JobProgress<'py> {
        match self.go_on(py, answer) {
            Ok(progress) => progress,
            Err(error) => JobProgress::Done(Err(error)),
        }
    }

    fn go_on<'py>(
        &mut self,
        py: Python<'py>,
        answer: Result<Answer<'_>, Error>,
    ) -> PyResult<JobProgress<'py>> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                let encode_error = self.more.as_mut().and_then(|more| more.encode_error.take());
                return Err(encode_error.unwrap_or_else(|| error.raise(py)));
            }
        };
        if let Content::Prepared(known) = &answer.content {
            return self.prepared(py, known);
        }
        if self.goal == Goal::Done {
            return Ok(JobProgress::Done(Ok(py.None().into_bound(py))));
        }
        let before = self.more.as_deref_mut().map(|more| {
            let (pages, shape) = (std::mem::take(&mut more.pages), more.shape.take());
            (pages, shape, std::mem::take(&mut more.meta))
        });
        let (mut pages, mut shape, mut meta) = before.unwrap_or_default();
        meta.add(&answer);
        let mut state = None;
        if let Some((columns, mut page, next)) = page_of(py, &answer) {
            match &shape {
                None => shape = Some(columns),
                Some(first) if first.columns == columns.columns => {}
                Some(_) => page.other = Some(columns),
            }
            pages.push(page);
            state = next;
        }
        if self.goal == Goal::All
            && let Some(state) = state.take()
        {
            let more = self.more();
            (more.pages, more.shape, more.meta) = (pages, shape, meta);
            self.options.get_or_insert_default().paging_state = Some(state.into());
            return Ok(JobProgress::Send(self.next_page()?));
        }
        let rows = Rows::new(shape, pages, state, meta, self.classes.clone());
        Ok(JobProgress::Done(Ok(Bound::new(py, rows)?.into_any())))
    }

    fn prepared<'py>(&mut self, py: Python<'py>, known: &Arc<Known>) -> PyResult<JobProgress<'py>> {
        if matches!(self.goal, Goal::Prepared | Goal::Markers) {
            let prepared = Prepared { known: known.clone() };
            return Ok(JobProgress::Done(Ok(Bound::new(py, prepared)?.into_any())));
        }
        let more = self.more();
        (more.is_prepared_anew, more.encode_error) = (true, None);
        if let Statement::Batch(_) = self.statement {
            self.more().texts.prepared(known);
        } else {
            self.replace(py, known)?;
        }
        let parameters = self.more().parameters.take();
        let parameters = parameters.as_ref().map(|parameters| parameters.bind(py));
        Ok(JobProgress::Send(self.execute(py, parameters)?))
    }
}
