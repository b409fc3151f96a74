//! The reader of a query for all languages: decodes records into the caller's type, a few at a
//! time, and returns them one by one or in pages; tracks the caller's position; and supports
//! columnar batches that are built without such records.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::query::{Point, Row};

use super::{Mark, Stream, StreamRow, Streams};
use crate::clock::Tick;
use crate::model::{Error, Result};
use crate::query::QueryPlan;
use crate::query::rules::check_results;

/// Maximum number of records decoded in one go.
pub const MAX_RUN: usize = 256;

/// How often a waiting caller checks that the nodes still exist.
const PATIENCE: Duration = Duration::from_millis(100);

/// The result of an attempt to get more records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// The requested records are ready.
    Ready,
    /// The caller has to wait.
    Wait,
    /// Some are ready, and others should get a turn before the rest.
    Again,
    /// There are no more records.
    Over,
}

/// What an attempt should make ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// At least one record, and at most this many.
    Run(usize),
    /// A page with this many records, or the last one.
    Page {
        /// Page size.
        size: u64,
        /// Whether others get turns in between.
        in_pieces: bool,
    },
}

/// Why records cannot be read.
#[derive(Debug)]
pub enum ReadError<E> {
    /// The host cannot take a record.
    Row(E),
    /// The query failed.
    Query(Error),
}

impl<E> From<Error> for ReadError<E> {
    fn from(error: Error) -> Self {
        Self::Query(error)
    }
}

impl From<ReadError<Self>> for Error {
    fn from(error: ReadError<Self>) -> Self {
        match error {
            ReadError::Row(error) | ReadError::Query(error) => error,
        }
    }
}

/// A page of records, and the cursor of the next one.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPage<T> {
    /// The records; as many as requested, except on the last page.
    pub records: Vec<T>,
    /// The cursor of the next page, with which a query can resume in any process.
    pub cursor: Vec<u8>,
    /// Whether there are known to be no more.
    pub done: bool,
}

impl<T> IntoIterator for QueryPage<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}

/// A record that was decoded but not delivered.
#[derive(Debug)]
struct UndeliveredRecord<T> {
    record: T,
    point: Point,
    before: Option<Point>,
}

/// The reader of a query.
#[derive(Debug)]
pub struct QueryReader<T> {
    stream: Stream,
    /// The number of results of each record; `None`: it has bins.
    results: Option<usize>,
    undelivered: VecDeque<UndeliveredRecord<T>>,
    /// The start of the batch being built.
    mark: Option<Mark>,
    /// Whether records were taken one by one, which excludes batches.
    is_iterated: bool,
}

impl<T> QueryReader<T> {
    /// A reader for a validated query. Sends nothing yet.
    pub fn new(streams: Arc<Streams>, plan: QueryPlan) -> Result<Self> {
        let results = plan.operations;
        let stream = Stream::of_plan(streams, plan)?;
        Ok(Self { stream, results, undelivered: VecDeque::new(), mark: None, is_iterated: false })
    }

    /// The underlying query.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The underlying query, read-only.
    pub fn as_stream(&self) -> &Stream {
        &self.stream
    }

    /// When a waiting caller should look for records even if the descriptor is not readable.
    pub fn alarm(&self) -> Tick {
        self.stream.alarm().min(Tick::now().after(PATIENCE))
    }

    /// The next record that is ready.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.undelivered.pop_front().map(|undelivered| undelivered.record)
    }

    /// Whether [`Self::pop`] has a record.
    pub fn has_ready(&self) -> bool {
        !self.undelivered.is_empty()
    }

    /// The next record, if it has arrived; decoded on demand.
    #[inline]
    pub fn take_one<E>(
        &mut self,
        mut decode: impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<Option<T>, ReadError<E>> {
        if let Some(record) = self.pop() {
            return Ok(Some(record));
        }
        let mut next = None;
        self.stream.set_page(None);
        let results = self.results;
        self.stream.take(1, |record| {
            next = Some(read(results, &record.row, &mut decode)?);
            Ok::<_, ReadError<E>>(())
        })?;
        self.is_iterated |= next.is_some();
        Ok(next)
    }

    /// Makes the requested records ready. `fill` is called when nothing more has arrived: it gets
    /// more ([`Stream::fill`]), and may end the attempt. A row that fails to decode is not lost: it
    /// is returned again after the records before it, which stay ready.
    pub fn advance<E>(
        &mut self,
        demand: Demand,
        mut decode: impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
        mut fill: impl FnMut(&mut Stream) -> std::result::Result<Option<Advance>, ReadError<E>>,
    ) -> std::result::Result<Advance, ReadError<E>> {
        loop {
            if let Some(advance) = self.take(demand, &mut decode)? {
                return Ok(advance);
            }
            if self.stream.is_over() {
                return Ok(Advance::Over);
            }
            if let Some(advance) = fill(&mut self.stream)? {
                return Ok(advance);
            }
        }
    }

    /// Takes what has arrived; none: more has to arrive.
    fn take<E>(
        &mut self,
        demand: Demand,
        decode: &mut impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<Option<Advance>, ReadError<E>> {
        let (size, in_pieces) = match demand {
            Demand::Run(most) => {
                self.stream.set_page(None);
                let count = self.decode(most, decode);
                self.is_iterated |= !self.undelivered.is_empty();
                return Ok((count? > 0).then_some(Advance::Ready));
            }
            Demand::Page { size, in_pieces } => (size, in_pieces),
        };
        loop {
            let missing = size.saturating_sub(self.undelivered.len() as u64);
            // No more than that is requested from the nodes.
            self.stream.set_page(Some(missing));
            if missing == 0 {
                return Ok(Some(Advance::Ready));
            }
            let count = self.decode(missing.min(MAX_RUN as u64) as usize, decode)?;
            if count == 0 {
                return Ok(None);
            }
            if in_pieces && (count as u64) < missing {
                return Ok(Some(Advance::Again));
            }
        }
    }

    fn decode<E>(
        &mut self,
        most: usize,
        decode: &mut impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<usize, ReadError<E>> {
        let (results, undelivered) = (self.results, &mut self.undelivered);
        self.stream.take(most, |record| {
            let StreamRow { row, before } = record;
            let record = read(results, &row, &mut *decode)?;
            undelivered.push_back(UndeliveredRecord { record, point: row.point, before });
            Ok(())
        })
    }

    /// Returns all ready records as a page.
    pub fn page(&mut self) -> QueryPage<T> {
        let records = self.undelivered.drain(..).map(|undelivered| undelivered.record).collect();
        QueryPage { records, cursor: self.cursor(), done: self.is_over() }
    }

    /// The caller's position: after the last record, page or batch that was delivered.
    pub fn cursor(&self) -> Vec<u8> {
        if let Some(mark) = &self.mark {
            return self.stream.cursor_of(mark);
        }
        let undelivered: Vec<_> = self
            .undelivered
            .iter()
            .map(|undelivered| (undelivered.point, undelivered.before))
            .collect();
        self.stream.cursor(&undelivered)
    }

    /// Whether every record has been delivered.
    pub fn is_over(&self) -> bool {
        self.stream.is_over() && self.undelivered.is_empty()
    }

    /// The underlying query, to build a batch of its rows. Until [`Self::end_batch`] the caller's
    /// position is the start of the batch. Fails if records were taken one by one.
    pub fn batch(&mut self) -> Result<&mut Stream> {
        if self.is_iterated || !self.undelivered.is_empty() {
            return Err(Error::invalid(
                "the query is being iterated over, record by record: make batches of a query of \
                 their own, which can resume from this one's cursor",
            ));
        }
        if self.mark.is_none() {
            self.stream.set_page(None);
            self.mark = Some(self.stream.mark());
        }
        Ok(&mut self.stream)
    }

    /// The batch was delivered.
    pub fn end_batch(&mut self) {
        self.mark = None;
    }

    /// The batch failed: its records are delivered again.
    pub fn rewind(&mut self) {
        if let Some(mark) = self.mark.take() {
            self.stream.rewind(mark);
        }
    }

    /// Ends the query; see [`Stream::close`].
    pub fn close(&mut self) {
        self.stream.close();
    }
}

/// Decodes a row after checking that it has one result for each operation.
#[inline]
fn read<T, E>(
    results: Option<usize>,
    row: &Row<'_>,
    decode: impl FnOnce(&Row<'_>) -> std::result::Result<T, E>,
) -> std::result::Result<T, ReadError<E>> {
    if let Some(count) = results {
        check_results(count, row.op_count.into())?;
    }
    decode(row).map_err(ReadError::Row)
}

/// Gets more records, or waits up to `wait` for them: the `fill` for [`QueryReader::advance`] if
/// nothing else has to happen meanwhile.
pub fn wait_for_more<E>(
    stream: &mut Stream,
    wait: Option<Duration>,
) -> std::result::Result<Option<Advance>, ReadError<E>> {
    let has_more = stream.fill(wait)?;
    Ok((!has_more && wait.is_some()).then_some(Advance::Wait))
}
