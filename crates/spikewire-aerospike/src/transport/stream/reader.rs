//! A query as its caller sees it, whatever language that is in: records of the caller's own type,
//! decoded some at a time, handed out one by one or in pages; how far the caller came; and batches
//! that are made of rows without such records.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::query::{Point, Row};

use super::{Found, Mark, Stream, Streams};
use crate::command::query::QueryPlan;
use crate::error::{Error, Kind, Result};

/// Most records that are decoded in a row.
pub const MAX_RUN: usize = 256;

/// What came of an attempt to have more records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// What was wanted is there.
    Ready,
    /// It has to be waited for.
    Wait,
    /// Some of it is there, and others should have their turn before the rest.
    Again,
    /// There are no more.
    Over,
}

/// What an attempt is to make ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// At least one record, and at most so many.
    Run(usize),
    /// A page of so many records, or the last one.
    Page {
        /// So many.
        size: u64,
        /// Whether others have turns in between.
        in_pieces: bool,
    },
}

/// Some records of a query, and where the next ones are.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryPage<T> {
    /// The records; as many as were asked for, except on the last page.
    pub records: Vec<T>,
    /// Where the next page begins, for a query that resumes from there in any process.
    pub cursor: Vec<u8>,
    /// Whether it is known that there are no more.
    pub done: bool,
}

impl<T> IntoIterator for QueryPage<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.records.into_iter()
    }
}

/// A record that was decoded and not handed out.
#[derive(Debug)]
struct Unseen<T> {
    record: T,
    point: Point,
    before: Option<Point>,
}

/// A query that is being read.
#[derive(Debug)]
pub struct QueryReader<T> {
    stream: Stream,
    unseen: VecDeque<Unseen<T>>,
    /// Where the batch that is being made began.
    mark: Option<Mark>,
    /// Whether records were taken one by one: the rest is not for batches.
    is_iterated: bool,
}

impl<T> QueryReader<T> {
    /// A query that was checked. Nothing is sent yet.
    pub fn new(streams: Arc<Streams>, plan: QueryPlan) -> Result<Self> {
        let QueryPlan { query, limits, tracker, left, .. } = plan;
        let stream = Stream::new(streams, query, limits, tracker, left).map_err(|error| {
            let message = format!("the system gives no poller for a query: {error}");
            Error::new(Kind::Connection, message)
        })?;
        Ok(Self { stream, unseen: VecDeque::new(), mark: None, is_iterated: false })
    }

    /// The query underneath.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// The query underneath, to look at.
    pub fn as_stream(&self) -> &Stream {
        &self.stream
    }

    /// The next record that is ready.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.unseen.pop_front().map(|unseen| unseen.record)
    }

    /// Whether [`Self::pop`] has a record.
    pub fn has_ready(&self) -> bool {
        !self.unseen.is_empty()
    }

    /// The next record, if it has arrived; decoded when it is asked for.
    #[inline]
    pub fn take_one<E>(
        &mut self,
        mut decode: impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<Option<T>, E> {
        if let Some(record) = self.pop() {
            return Ok(Some(record));
        }
        let mut next = None;
        self.stream.set_page(None);
        self.stream.take(1, |found| {
            next = Some(decode(&found.row)?);
            Ok(())
        })?;
        self.is_iterated |= next.is_some();
        Ok(next)
    }

    /// Makes ready what is wanted. `fill` is called when nothing more has arrived: it lets more
    /// arrive ([`Stream::fill`]), and may end the attempt. A row whose decoding fails is not lost: it
    /// comes again, behind the records before it, which stay ready.
    pub fn advance<E>(
        &mut self,
        demand: Demand,
        mut decode: impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
        mut fill: impl FnMut(&mut Stream) -> std::result::Result<Option<Advance>, E>,
    ) -> std::result::Result<Advance, E> {
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

    /// Takes what has arrived; nothing: more has to arrive.
    fn take<E>(
        &mut self,
        demand: Demand,
        decode: &mut impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<Option<Advance>, E> {
        let (size, in_pieces) = match demand {
            Demand::Run(most) => {
                self.stream.set_page(None);
                let taken = self.decode(most, decode);
                self.is_iterated |= !self.unseen.is_empty();
                return Ok((taken? > 0).then_some(Advance::Ready));
            }
            Demand::Page { size, in_pieces } => (size, in_pieces),
        };
        loop {
            let missing = size.saturating_sub(self.unseen.len() as u64);
            // Nodes are asked for no more than that.
            self.stream.set_page(Some(missing));
            if missing == 0 {
                return Ok(Some(Advance::Ready));
            }
            let taken = self.decode(missing.min(MAX_RUN as u64) as usize, decode)?;
            if taken == 0 {
                return Ok(None);
            }
            if in_pieces && (taken as u64) < missing {
                return Ok(Some(Advance::Again));
            }
        }
    }

    fn decode<E>(
        &mut self,
        most: usize,
        decode: &mut impl FnMut(&Row<'_>) -> std::result::Result<T, E>,
    ) -> std::result::Result<usize, E> {
        let unseen = &mut self.unseen;
        self.stream.take(most, |found| {
            let Found { row, before } = found;
            let record = decode(&row)?;
            unseen.push_back(Unseen { record, point: row.point, before });
            Ok(())
        })
    }

    /// All records that are ready, as a page.
    pub fn page(&mut self) -> QueryPage<T> {
        let records = self.unseen.drain(..).map(|unseen| unseen.record).collect();
        QueryPage { records, cursor: self.cursor(), done: self.is_over() }
    }

    /// How far the caller came: behind the last record, page or batch that was handed out.
    pub fn cursor(&self) -> Vec<u8> {
        if let Some(mark) = &self.mark {
            return self.stream.cursor_of(mark);
        }
        let unseen: Vec<_> =
            self.unseen.iter().map(|unseen| (unseen.point, unseen.before)).collect();
        self.stream.cursor(&unseen)
    }

    /// Whether every record was handed out.
    pub fn is_over(&self) -> bool {
        self.stream.is_over() && self.unseen.is_empty()
    }

    /// The query underneath, for a batch of its rows. Until [`Self::end_batch`] the caller is where
    /// the batch began. Refused where records were taken one by one.
    pub fn batch(&mut self) -> Result<&mut Stream> {
        if self.is_iterated || !self.unseen.is_empty() {
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

    /// The batch was handed out.
    pub fn end_batch(&mut self) {
        self.mark = None;
    }

    /// The batch failed: what is in it comes again.
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

/// Lets more arrive, or waits for it up to `wait`: what [`QueryReader::advance`] calls where nothing
/// else is to happen meanwhile.
pub fn wait_for_more(stream: &mut Stream, wait: Option<Duration>) -> Result<Option<Advance>> {
    let has_more = stream.fill(wait)?;
    Ok((!has_more && wait.is_some()).then_some(Advance::Wait))
}
