//! A statement from its first request to its result, which may take several pages.

use std::sync::Arc;

use spikewire_cassandra::execution::{Answer, Content};
use spikewire_cassandra::session::{Call, NoValues};
use spikewire_cassandra::statement::{Prepared, Shape, StatementOptions};
use spikewire_cassandra::{Error, Session};
use spikewire_cql::request::{Values, values_with};

use super::rows::{Page, ResponseMeta, ResultPages};
use super::statement::Statement;
use crate::js::{Failure, Result};

/// What a job returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// A prepared statement, or the result of a batch.
    Answer,
    /// All rows.
    All,
    /// One page of rows.
    Page,
}

/// A statement in progress.
#[derive(Debug)]
pub struct StatementJob {
    session: Arc<Session>,
    goal: Goal,
    statement: Option<Statement>,
    options: StatementOptions,
    /// The encoded values of a statement that may have more pages.
    values: Vec<u8>,
    shape: Option<Arc<Shape>>,
    pages: Vec<Page>,
    meta: ResponseMeta,
}

/// The result of a job.
#[derive(Debug)]
pub enum StatementResult {
    /// A prepared statement.
    Prepared(Arc<Prepared>),
    /// A result.
    Rows(Box<ResultPages>),
}

/// The next step after a reply.
#[derive(Debug)]
pub enum Progress {
    /// The job is done.
    Done(std::result::Result<StatementResult, Error>),
    /// Another request to send.
    Send(Box<Call>),
}

impl StatementJob {
    /// A job whose first request is composed by the caller.
    pub fn new(session: &Arc<Session>) -> Self {
        Self::of(session, Goal::Answer, None, StatementOptions::default())
    }

    fn of(
        session: &Arc<Session>,
        goal: Goal,
        statement: Option<Statement>,
        options: StatementOptions,
    ) -> Self {
        Self {
            session: session.clone(),
            goal,
            statement,
            options,
            values: Vec::new(),
            shape: None,
            pages: Vec::new(),
            meta: ResponseMeta::default(),
        }
    }

    /// A statement without values, as text.
    pub fn text(
        session: &Arc<Session>,
        goal: Goal,
        text: Arc<str>,
        options: StatementOptions,
    ) -> Result<(Self, Call)> {
        let call = session.query(&text, &options, NoValues)?;
        Ok((Self::of(session, goal, Some(Statement::Text(text)), options), call))
    }

    /// A prepared statement, whose values `bind` appends.
    #[inline]
    pub fn prepared(
        session: &Arc<Session>,
        goal: Goal,
        known: Arc<Prepared>,
        options: StatementOptions,
        bind: impl FnOnce(&Prepared, &mut Vec<u8>) -> Result<()>,
    ) -> Result<(Self, Call)> {
        if known.is_stale() {
            // JavaScript has it prepared again, and tries once more.
            return Err(known.outdated().into());
        }
        // Keep the values if there may be another page.
        let has_pages = known.traits.reads && goal == Goal::All;
        let mut page_values = Vec::new();
        let values = values_with::<Failure>(known.parameters.len(), false, |out| {
            let from = out.len();
            bind(&known, out)?;
            if has_pages {
                page_values.extend_from_slice(&out[from..]);
            }
            Ok(())
        });
        let call = session.execute(&known, &options, values)?;
        let mut job = Self::of(session, goal, Some(Statement::Prepared(known)), options);
        job.values = page_values;
        Ok((job, call))
    }

    /// Composes the request for the next page.
    fn next_page(&self) -> std::result::Result<Call, Error> {
        match &self.statement {
            Some(Statement::Text(text)) => self.session.query(text, &self.options, NoValues),
            Some(Statement::Prepared(known)) => {
                let count = known.parameters.len();
                let values = Values { count, named: false, bytes: &self.values };
                Ok(self.session.execute(known, &self.options, values)?)
            }
            None => Err(Error::invalid("a batch has no pages")),
        }
    }

    /// Processes a reply.
    pub fn on_reply(&mut self, answer: std::result::Result<Answer<'_>, Error>) -> Progress {
        match answer.and_then(|answer| self.go_on(&answer)) {
            Ok(progress) => progress,
            Err(error) => Progress::Done(Err(error)),
        }
    }

    fn go_on(&mut self, answer: &Answer<'_>) -> std::result::Result<Progress, Error> {
        if let Content::Prepared(known) = &answer.content {
            return Ok(Progress::Done(Ok(StatementResult::Prepared(known.clone()))));
        }
        self.meta.add(answer);
        let mut state = None;
        if let Content::Rows(rows) = &answer.content {
            self.shape = Some(rows.shape.clone());
            self.pages.push(Page {
                shape: rows.shape.clone(),
                cells: rows.cells.0.rest().to_vec(),
                count: rows.count,
            });
            state = rows.paging_state;
        }
        if self.goal == Goal::All
            && let Some(state) = state
        {
            self.options.paging_state = Some(state.into());
            return Ok(Progress::Send(Box::new(self.next_page()?)));
        }
        let pages = ResultPages {
            shape: self.shape.take(),
            pages: std::mem::take(&mut self.pages),
            state: state.map(<[u8]>::to_vec),
            meta: std::mem::take(&mut self.meta),
        };
        Ok(Progress::Done(Ok(StatementResult::Rows(Box::new(pages)))))
    }
}
