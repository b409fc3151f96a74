//! A running query, for both APIs.

use std::fmt;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::transport::Streams;
use spikewire_aerospike::transport::stream::{
    Advance, Demand, QueryPage, QueryReader, wait_for_more,
};

use super::plan::PreparedQuery;
use super::query_record::{QueryRecord, RecordShape};
use crate::aerospike::span::VerbSpan;
use crate::{Error, Result};

/// A page of records, and the cursor of the next one for [`Query::resume`](crate::Query::resume),
/// in any process.
pub type Page = QueryPage<QueryRecord>;

/// A running query.
pub(crate) struct RunningQuery {
    reader: QueryReader<QueryRecord>,
    shape: RecordShape,
    /// It failed and reported that: there are no more results.
    failed: bool,
    span: VerbSpan,
}

/// The result of checking for the next record or page.
#[derive(Debug)]
pub(crate) enum ReadStep<T> {
    Ready(T),
    NotYet,
    /// Part of it has arrived; others should get a turn before the rest.
    InPart,
    Over,
}

impl<T> ReadStep<T> {
    /// The result for a caller that has waited.
    fn waited(step: Result<Self>) -> Option<Result<T>> {
        match step {
            Ok(Self::Ready(item)) => Some(Ok(item)),
            Ok(Self::NotYet | Self::InPart | Self::Over) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Without the records that have arrived.
impl fmt::Debug for RunningQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningQuery")
            .field("stream", self.reader.as_stream())
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl RunningQuery {
    pub fn new(streams: Arc<Streams>, plan: PreparedQuery) -> Result<Self> {
        let PreparedQuery { plan, shape } = plan;
        let span = VerbSpan::query(&plan.query.namespace, &plan.query.set);
        Ok(Self { reader: QueryReader::new(streams, plan)?, shape, failed: false, span })
    }

    /// Waits for the next record.
    #[inline]
    pub fn next(&mut self) -> Option<Result<QueryRecord>> {
        ReadStep::waited(self.unless_failed(|reading| reading.record(None)))
    }

    /// The next record, if it has arrived.
    #[inline]
    pub fn next_now(&mut self) -> Result<ReadStep<QueryRecord>> {
        self.unless_failed(|reading| reading.record(Some(Duration::ZERO)))
    }

    /// Waits for the next page. No page is empty.
    pub fn page(&mut self, size: usize) -> Option<Result<Page>> {
        ReadStep::waited(self.unless_failed(|reading| reading.page_of(size, None)))
    }

    /// The next page, if all of it has arrived.
    pub fn page_now(&mut self, size: usize) -> Result<ReadStep<Page>> {
        self.unless_failed(|reading| reading.page_of(size, Some(Duration::ZERO)))
    }

    /// Ends the query after its first failure.
    #[inline]
    fn unless_failed<T>(
        &mut self,
        look: impl FnOnce(&mut Self) -> Result<ReadStep<T>>,
    ) -> Result<ReadStep<T>> {
        if self.failed {
            return Ok(ReadStep::Over);
        }
        let step = look(self);
        match &step {
            Ok(ReadStep::Over) => self.span.done(),
            Ok(_) => {}
            Err(error) => {
                self.failed = true;
                self.span.failed(error);
            }
        }
        step
    }

    fn record(&mut self, wait: Option<Duration>) -> Result<ReadStep<QueryRecord>> {
        let Self { reader, shape, .. } = self;
        loop {
            if let Some(item) = reader.take_one(|row| shape.record(row))? {
                return Ok(ReadStep::Ready(item));
            }
            if reader.is_over() {
                return Ok(ReadStep::Over);
            }
            if wait_for_more::<Error>(reader.stream(), wait)?.is_some() {
                return Ok(ReadStep::NotYet);
            }
        }
    }

    fn page_of(&mut self, size: usize, wait: Option<Duration>) -> Result<ReadStep<Page>> {
        let Self { reader, shape, .. } = self;
        let demand = Demand::Page { size: size as u64, in_pieces: wait.is_some() };
        let fill = |stream: &mut _| wait_for_more(stream, wait);
        Ok(match reader.advance(demand, |row| shape.record(row), fill)? {
            Advance::Wait => ReadStep::NotYet,
            Advance::Again => ReadStep::InPart,
            Advance::Over if !reader.has_ready() => ReadStep::Over,
            Advance::Ready | Advance::Over => ReadStep::Ready(reader.page()),
        })
    }

    /// The caller's position.
    pub fn cursor(&self) -> Vec<u8> {
        self.reader.cursor()
    }

    /// How long to wait at most if the descriptor is not readable.
    pub fn patience(&self) -> Duration {
        self.reader.alarm().since(Tick::now())
    }
}

impl Drop for RunningQuery {
    /// A connection on which only the end of the reply is outstanding serves the next query.
    fn drop(&mut self) {
        self.reader.close();
    }
}

impl AsRawFd for RunningQuery {
    fn as_raw_fd(&self) -> RawFd {
        self.reader.as_stream().as_raw_fd()
    }
}
