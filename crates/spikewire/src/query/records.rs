//! A query under way, record by record and page by page, as every kind of client reads it.

use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use spikewire_engine::clock::Tick;
use spikewire_engine::command::query::QueryPlan;
use spikewire_engine::transport::{Stream, Streams};

use super::found::{Found, Shape};
use super::plan::Plan;
use crate::{Error, Kind, Result};

/// How often a waiting caller checks that the nodes are still there.
const LOOK: Duration = Duration::from_millis(100);

/// A query under way, for both faces.
#[derive(Debug)]
pub(crate) struct Reading {
    stream: Stream,
    shape: Shape,
    /// It failed, and said so: nothing comes any more.
    failed: bool,
}

/// The outcome of looking for the next record.
#[derive(Debug)]
pub(crate) enum Step {
    Found(Found),
    NotYet,
    Over,
}

impl Reading {
    pub fn new(streams: Arc<Streams>, plan: Plan) -> Result<Self> {
        let Plan { plan, shape } = plan;
        let QueryPlan { query, limits, tracker, left, .. } = plan;
        let stream = Stream::new(streams, query, limits, tracker, left).map_err(|error| {
            let message = format!("the system gives no poller for a query: {error}");
            Error::new(Kind::Connection, message)
        })?;
        Ok(Self { stream, shape, failed: false })
    }

    /// The next record, if it has arrived.
    #[inline]
    fn take(&mut self) -> Result<Option<Found>> {
        let mut next = None;
        self.stream.take(1, |found| {
            next = Some(self.shape.found(&found.row)?);
            Ok::<(), Error>(())
        })?;
        Ok(next)
    }

    /// The next record; waits for it.
    #[inline]
    pub fn next(&mut self) -> Option<Result<Found>> {
        match self.step(None) {
            Ok(Step::Found(found)) => Some(Ok(found)),
            Ok(Step::NotYet | Step::Over) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The next record, if it has arrived.
    #[inline]
    pub fn next_now(&mut self) -> Result<Step> {
        self.step(Some(Duration::ZERO))
    }

    /// After its first failure a query is over.
    fn step(&mut self, wait: Option<Duration>) -> Result<Step> {
        if self.failed {
            return Ok(Step::Over);
        }
        let step = self.find(wait);
        self.failed = step.is_err();
        step
    }

    fn find(&mut self, wait: Option<Duration>) -> Result<Step> {
        loop {
            if let Some(found) = self.take()? {
                return Ok(Step::Found(found));
            }
            if self.stream.is_over() {
                return Ok(Step::Over);
            }
            if !self.stream.fill(wait)? && wait.is_some() {
                return Ok(Step::NotYet);
            }
        }
    }

    /// Where the caller is.
    pub fn cursor(&self) -> Vec<u8> {
        self.stream.cursor(&[])
    }

    /// When to try again even if the descriptor says nothing.
    pub fn patience(&self) -> Duration {
        self.stream.alarm().since(Tick::now()).min(LOOK)
    }
}

impl Drop for Reading {
    /// A connection that is only owed the end of its answer serves the next query.
    fn drop(&mut self) {
        self.stream.close();
    }
}

impl AsRawFd for Reading {
    fn as_raw_fd(&self) -> RawFd {
        self.stream.as_raw_fd()
    }
}

/// Some records of a query, and where the next ones are.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The records; as many as were asked for, except on the last page.
    pub records: Vec<Found>,
    /// Where the next page begins, for [`Query::resume`](crate::Query::resume) in any process.
    pub cursor: Vec<u8>,
    /// Whether it is known that there are no more.
    pub done: bool,
}

impl IntoIterator for Page {
    type Item = Found;
    type IntoIter = std::vec::IntoIter<Found>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}

/// A page that is being filled.
#[derive(Debug)]
pub(crate) struct Paging {
    size: usize,
    records: Vec<Found>,
}

impl Paging {
    pub fn new(size: usize) -> Self {
        Self { size, records: Vec::new() }
    }

    /// Adds a record.
    pub fn add(&mut self, found: Found) {
        self.records.push(found);
    }

    /// The page, if it has all its records; otherwise nodes are asked for no more than those.
    pub fn full(&mut self, reading: &mut Reading) -> Option<Page> {
        let missing = self.size - self.records.len();
        reading.stream.set_page(Some(missing as u64));
        (missing == 0).then(|| self.page(reading))
    }

    /// The page, if it is the last one: there are no more records.
    pub fn last(&mut self, reading: &Reading) -> Option<Page> {
        (!reading.failed && !self.records.is_empty()).then(|| self.page(reading))
    }

    fn page(&mut self, reading: &Reading) -> Page {
        let records = std::mem::take(&mut self.records);
        Page { records, cursor: reading.cursor(), done: reading.stream.is_over() }
    }
}
