//! A statement from its arguments to its result, for any host language, without I/O: it may have to
//! be prepared first, and its rows may arrive in several pages.
//!
//! A [`StatementJob`] is in one of these states. Whoever drives it sends its calls, each of which is
//! an [`Execution`](crate::execution::Execution), and passes it their answers.
//!
//! | state | what is in flight | an answer leads to |
//! |---|---|---|
//! | composing | nothing: `start` and every answer pass through it | one of the others |
//! | preparing | PREPARE of a text, of a stale statement, or of one whose parameters the values did not fit | composing, with the statement as it is now; the result if that was the goal. An error is that of the values, if these led here |
//! | executing | QUERY, EXECUTE or BATCH | the result, or fetching |
//! | fetching | the next page of the same statement with the same values | the same, until the last page |
//!
//! The rules of composing:
//!
//! - Text without parameters is sent as it is. Text with parameters is prepared, unless the session
//!   knows it already.
//! - A stale statement is replaced by what it is now. Values that are bound already are sent only if
//!   they mean the same; parameters are encoded anew.
//! - Parameters that do not fit: the statement is prepared anew, because its parameters may have
//!   changed without this session knowing yet; if they still do not fit, that is the error.
//! - A node is asked once for each of this. If the schema changes again meanwhile, a node that
//!   notices says so.
//! - The statements of a batch go through the same, one after the other, until the whole batch can
//!   be composed.
//!
//! | file | contents |
//! |---|---|
//! | `host` | what a host does: encodes parameters, keeps them, makes results |
//! | `renewal` | one prepared statement: stale, or with values that do not fit |
//! | `batch` | the same for each statement of a batch |
//! | `result` | pages, and what came with them |

mod batch;
mod host;
mod renewal;
mod result;

use std::fmt;
use std::sync::{Arc, LazyLock};

use spikewire_cql::request::{BatchKind, Values, values_with};
use spikewire_transport::buffer;

pub use batch::{BatchContent, BatchEntry, BatchStatement, BatchTexts};
pub use host::{ParameterEncoder, StatementHost};
pub use renewal::{Renewal, Unready};
pub use result::{Extras, JobResult, Page, PageList, ResponseMeta, ResultPages};

use crate::Session;
use crate::error::Error;
use crate::execution::{Answer, Content};
use crate::session::{Call, NoValues, Preparation};
use crate::statement::{Prepared, StatementOptions};

/// The result that a job is to produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A prepared statement.
    Prepared,
    /// A prepared statement, from text with markers as executions accept them.
    Markers,
    /// Nothing but success. Rows are not needed.
    Done,
    /// All rows.
    All,
    /// One page of rows.
    Page,
}

/// The statement to execute; a batch keeps parameters of type `K`.
#[derive(Debug)]
pub enum Statement<K> {
    /// Text.
    Text(Arc<str>),
    /// A prepared statement.
    Prepared(Arc<Prepared>),
    /// A prepared statement and its values.
    Bound(Arc<Prepared>, Arc<[u8]>),
    /// A batch.
    Batch(BatchContent<K>),
}

impl<K> Clone for Statement<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Text(text) => Self::Text(text.clone()),
            Self::Prepared(prepared) => Self::Prepared(prepared.clone()),
            Self::Bound(prepared, values) => Self::Bound(prepared.clone(), values.clone()),
            Self::Batch(content) => Self::Batch(content.clone()),
        }
    }
}

/// A statement in progress.
pub struct StatementJob<H: StatementHost> {
    session: Arc<Session>,
    host: H,
    goal: Goal,
    statement: Statement<H::OwnedParameters>,
    options: Option<Box<StatementOptions>>,
    /// The values of a statement that may have more pages.
    values: Vec<u8>,
    more: Option<Box<MultiRequestState<H>>>,
}

/// State that only a statement with several requests needs.
struct MultiRequestState<H: StatementHost> {
    parameters: Option<H::OwnedParameters>,
    renewal: Renewal<H>,
    /// The pages received so far.
    pages: ResultPages<H::Cells>,
    /// What was prepared for a batch.
    texts: BatchTexts<H>,
}

impl<H: StatementHost> Default for MultiRequestState<H> {
    fn default() -> Self {
        Self {
            parameters: None,
            renewal: Renewal::default(),
            pages: ResultPages::default(),
            texts: BatchTexts::default(),
        }
    }
}

impl<H: StatementHost> fmt::Debug for StatementJob<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatementJob").field("goal", &self.goal).finish_non_exhaustive()
    }
}

/// Used if no options are given.
static PLAIN: LazyLock<StatementOptions> = LazyLock::new(StatementOptions::default);

impl<H: StatementHost> Drop for StatementJob<H> {
    fn drop(&mut self) {
        buffer::give(std::mem::take(&mut self.values));
    }
}

/// What follows an answer.
#[derive(Debug)]
pub enum JobStep<T> {
    /// The job is done, with this result.
    Done(T),
    /// The next request to send.
    Send(Call),
}

/// The start of a job.
#[expect(clippy::large_enum_variant, reason = "moved once; a box would be an allocation each time")]
pub enum Start<'a, H: StatementHost> {
    /// The result, without a request.
    Done(H::Output<'a>),
    /// The first request to send.
    Send(StatementJob<H>, Call),
}

/// A result, or the host's error.
type HostResult<H, T> = Result<T, <H as ParameterEncoder>::Error>;

impl<H: StatementHost> StatementJob<H> {
    /// Starts a job. Only text and prepared statements have parameters. To prepare a statement that
    /// is prepared already finds out what it is now.
    #[inline]
    pub fn start<'a>(
        (host, access): (H, H::Access<'a>),
        session: &Arc<Session>,
        goal: Goal,
        statement: Statement<H::OwnedParameters>,
        parameters: Option<H::Parameters<'_>>,
        options: Option<Box<StatementOptions>>,
    ) -> HostResult<H, Start<'a, H>> {
        let mut job = Self::new(host, session, goal, statement, options);
        let prepares = matches!(goal, Goal::Prepared | Goal::Markers);
        if let Statement::Text(text) = &job.statement {
            let text = text.clone();
            if !prepares && parameters.is_none() {
                let call = session.query(&text, job.options(), NoValues)?;
                return Ok(Start::Send(job, call));
            }
            let text = if goal == Goal::Prepared { (&*text).into() } else { H::markers(&text)? };
            match session.prepare(&text, job.options())? {
                Preparation::Ask(call) => {
                    if let Some(parameters) = parameters {
                        job.more().parameters = Some(H::copy_parameters(parameters)?);
                    }
                    return Ok(Start::Send(job, *call));
                }
                Preparation::Known(known) if prepares => {
                    return Ok(Start::Done(job.host.output(access, JobResult::Prepared(known))?));
                }
                Preparation::Known(known) => job.statement = Statement::Prepared(known),
            }
        }
        let call = if prepares { job.prepare_anew()? } else { job.compose(access, parameters)? };
        Ok(Start::Send(job, call))
    }

    /// Starts a batch whose parameters are encoded at once.
    pub fn start_batch<'a>(
        host: H,
        session: &Arc<Session>,
        kind: BatchKind,
        entries: impl Iterator<Item = BatchEntry<'a, H::Parameters<'a>>>,
        options: &StatementOptions,
    ) -> HostResult<H, (Self, Call)> {
        let call = match BatchTexts::<H>::default().compose(session, kind, entries, options) {
            Ok(call) => call,
            Err(Unready::Prepare(_)) => return Err(Error::invalid("a text is unprepared").into()),
            Err(Unready::Failed(error)) => return Err(error),
        };
        let statement = Statement::Batch(BatchContent { kind, statements: Vec::new() });
        Ok((Self::new(host, session, Goal::Page, statement, None), call))
    }

    #[inline]
    fn new(
        host: H,
        session: &Arc<Session>,
        goal: Goal,
        statement: Statement<H::OwnedParameters>,
        options: Option<Box<StatementOptions>>,
    ) -> Self {
        let (session, values) = (session.clone(), Vec::new());
        Self { session, host, goal, statement, options, values, more: None }
    }

    #[inline]
    fn options(&self) -> &StatementOptions {
        self.options.as_deref().unwrap_or_else(|| &PLAIN)
    }

    fn more(&mut self) -> &mut MultiRequestState<H> {
        self.more.get_or_insert_default()
    }

    /// Asks a node what a prepared statement is now.
    #[cold]
    fn prepare_anew(&self) -> HostResult<H, Call> {
        let Statement::Prepared(known) = &self.statement else {
            return Err(Error::invalid("only text and prepared statements are prepared").into());
        };
        Ok(*self.session.prepare_anew(known, self.options())?)
    }

    /// Composes the request of a statement, or the one that prepares it first.
    #[inline]
    fn compose(
        &mut self,
        access: H::Access<'_>,
        parameters: Option<H::Parameters<'_>>,
    ) -> HostResult<H, Call> {
        let known = match &self.statement {
            Statement::Prepared(known) => known,
            Statement::Bound(known, _) if known.is_stale() => {
                let known = known.clone();
                return self.renew(&known, parameters);
            }
            Statement::Batch(_) => return self.compose_batch(access),
            Statement::Bound(..) | Statement::Text(_) => return self.next_page(),
        };
        if known.is_stale() {
            let known = known.clone();
            return self.renew(&known, parameters);
        }
        match self.encode(parameters) {
            Err(error) => self.after_encode_error(parameters, error),
            composed => composed,
        }
    }

    /// Composes the request of a prepared statement.
    #[inline]
    fn encode(&mut self, parameters: Option<H::Parameters<'_>>) -> HostResult<H, Call> {
        let Statement::Prepared(known) = &self.statement else { return self.next_page() };
        // The values are kept in case there is another page.
        let keeps = known.traits.reads && self.goal == Goal::All;
        let mut copy = if keeps { buffer::take() } else { Vec::new() };
        let values = values_with::<H::Error>(known.parameters.len(), false, |out| {
            let from = out.len();
            H::encode(known, parameters, out)?;
            if keeps {
                copy.extend_from_slice(&out[from..]);
            }
            Ok(())
        });
        let call = self.session.execute(known, self.options(), values)?;
        self.values = copy;
        Ok(call)
    }

    fn compose_batch(&mut self, access: H::Access<'_>) -> HostResult<H, Call> {
        let Statement::Batch(content) = &self.statement else { return self.next_page() };
        let options = self.options.as_deref().unwrap_or_else(|| &PLAIN);
        let entries = content.statements.iter().map(|statement| match &**statement {
            BatchStatement::Text(text) => BatchEntry::Text(text),
            BatchStatement::Bound(prepared, values) => BatchEntry::Bound(prepared, values),
            BatchStatement::Unprepared(text, owned) => {
                BatchEntry::Unprepared(text, H::borrow_parameters(access, owned))
            }
            BatchStatement::Unbound(prepared, owned) => {
                BatchEntry::Unbound(prepared, H::borrow_parameters(access, owned))
            }
        });
        let texts = &mut self.more.get_or_insert_default().texts;
        match texts.compose(&self.session, content.kind, entries, options) {
            Ok(call) => Ok(call),
            Err(Unready::Prepare(call)) => Ok(*call),
            Err(Unready::Failed(error)) => Err(error),
        }
    }

    /// Has a node prepare the statement anew if it was not asked yet.
    #[cold]
    fn after_encode_error(
        &mut self,
        parameters: Option<H::Parameters<'_>>,
        error: H::Error,
    ) -> HostResult<H, Call> {
        let Statement::Prepared(known) = &self.statement else { return Err(error) };
        let Some(parameters) = parameters.filter(|_| H::CAN_WAIT && H::may_be_outdated(&error))
        else {
            return Err(error);
        };
        let options = self.options.as_deref().unwrap_or_else(|| &PLAIN);
        let more = self.more.get_or_insert_default();
        more.parameters = Some(H::copy_parameters(parameters)?);
        match more.renewal.after_encode_error(&self.session, known, options, error) {
            Unready::Prepare(call) => Ok(*call),
            Unready::Failed(error) => Err(error),
        }
    }

    /// Goes on with what a stale statement is now; a node may have to be asked for that.
    #[cold]
    fn renew(
        &mut self,
        known: &Arc<Prepared>,
        parameters: Option<H::Parameters<'_>>,
    ) -> HostResult<H, Call> {
        if !H::CAN_WAIT && parameters.is_some() && known.latest().is_stale() {
            return Err(known.outdated().into());
        }
        let options = self.options.as_deref().unwrap_or_else(|| &PLAIN);
        let more = self.more.get_or_insert_default();
        match more.renewal.renew(&self.session, known, options)? {
            Preparation::Ask(call) => {
                more.parameters = parameters.map(H::copy_parameters).transpose()?;
                Ok(*call)
            }
            Preparation::Known(latest) => {
                self.replace(&latest)?;
                match self.encode(parameters) {
                    Err(error) => self.after_encode_error(parameters, error),
                    composed => composed,
                }
            }
        }
    }

    /// What is executed from now on.
    fn replace(&mut self, latest: &Arc<Prepared>) -> Result<(), Error> {
        self.statement = match &self.statement {
            Statement::Bound(known, values) => {
                Statement::Bound(known.for_bound_values()?, values.clone())
            }
            _ => Statement::Prepared(latest.clone()),
        };
        Ok(())
    }

    /// Composes the request for the page that the options name, for a statement with its values.
    fn next_page(&self) -> HostResult<H, Call> {
        let (known, bytes): (_, &[u8]) = match &self.statement {
            Statement::Text(text) => {
                return Ok(self.session.query(text, self.options(), NoValues)?);
            }
            Statement::Prepared(known) => (known, &self.values),
            Statement::Bound(known, values) => (known, values),
            Statement::Batch(_) => return Err(Error::invalid("a batch has no pages").into()),
        };
        let values = Values { count: known.parameters.len(), named: false, bytes };
        Ok(self.session.execute(known, self.options(), values)?)
    }

    /// Processes an answer.
    #[inline]
    pub fn on_reply<'a>(
        &mut self,
        access: H::Access<'a>,
        answer: Result<Answer<'_>, Error>,
    ) -> HostResult<H, JobStep<H::Output<'a>>> {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Err(self.error(error)),
        };
        if let Content::Prepared(known) = &answer.content {
            return self.on_prepared(access, known);
        }
        if self.goal == Goal::Done {
            return Ok(JobStep::Done(self.host.output(access, JobResult::Success)?));
        }
        let pages = self.more.as_deref_mut().map(|more| std::mem::take(&mut more.pages));
        let mut pages = pages.unwrap_or_default();
        pages.meta.add(&answer);
        if let Content::Rows(rows) = &answer.content {
            pages.add(rows, H::copy_cells(access, rows.cells.0.rest()));
        }
        if self.goal == Goal::All
            && let Some(state) = pages.paging_state.take()
        {
            self.more().pages = pages;
            self.options.get_or_insert_default().paging_state = Some(state.into());
            return Ok(JobStep::Send(self.next_page()?));
        }
        Ok(JobStep::Done(self.host.output(access, JobResult::Pages(pages))?))
    }

    /// The host's error for a request that failed.
    #[cold]
    fn error(&mut self, error: Error) -> H::Error {
        match (&self.statement, self.more.as_deref_mut()) {
            (_, None) => error.into(),
            (Statement::Batch(_), Some(more)) => more.texts.error(error),
            (_, Some(more)) => more.renewal.error(error),
        }
    }

    fn on_prepared<'a>(
        &mut self,
        access: H::Access<'a>,
        known: &Arc<Prepared>,
    ) -> HostResult<H, JobStep<H::Output<'a>>> {
        if matches!(self.goal, Goal::Prepared | Goal::Markers) {
            return Ok(JobStep::Done(
                self.host.output(access, JobResult::Prepared(known.clone()))?,
            ));
        }
        if let Statement::Batch(_) = self.statement {
            self.more().texts.on_prepared(known);
        } else {
            self.more().renewal.on_prepared();
            self.replace(known)?;
        }
        let owned = self.more().parameters.take();
        let parameters = owned.as_ref().map(|owned| H::borrow_parameters(access, owned));
        Ok(JobStep::Send(self.compose(access, parameters)?))
    }
}

#[cfg(test)]
mod tests;
