//! Queries: many records from many nodes, at the pace of the reader.
//!
//! A [`Stream`] is a running query. It owns its connections, one per node being read, behind one
//! pollable descriptor, and does nothing unless its owner calls it:
//!
//! - [`Stream::take`] returns the records that have arrived;
//! - when they have all been taken, [`Stream::fill`] waits for more.
//!
//! Each connection reads ahead by a window of bounded size. If the owner takes nothing, the window
//! fills up, then the socket, and then the node waits. No buffer grows.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | taking records, and what their messages mean for the query |
//! | `fill` | waiting, connecting, reading |
//! | `planning` | which index the nodes choose for a filter that is a text |
//! | `launch` | which node is asked for what, and what follows when one fails |
//! | `line`, `inbox` | one connection; the window of bytes that arrived on it |
//! | `pool` | connections between queries |
//! | `reader` | records of the caller's own type, pages, cursors, batches |
//! | `table` | records for a table of columns |

mod fill;
mod inbox;
mod launch;
mod line;
mod planning;
mod pool;
mod reader;
mod table;

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mio::{Events, Poll, Token};
use spikewire_aerospike_protocol::query::{Answer, Point, Query, Row};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::line::Line;
use self::planning::Planning;
pub use self::pool::Streams;
pub use self::reader::{
    Advance, Demand, MAX_RUN, QueryPage, QueryReader, ReadError, wait_for_more,
};
pub use self::table::{TableDemand, TableSize};
use super::node_error;
use crate::clock::Tick;
use crate::cluster::Tally;
use crate::model::{Error, Kind, Result};
use crate::query::rules::{AnswerEnd, is_empty_answer};
use crate::query::{Limits, QueryPlan, Retries, Tracker, cursor};
use crate::route::Router;

/// Token of the waker that [`Stopper`] uses.
const WAKER: Token = Token(usize::MAX);

/// A record of a query, and the previous position of its partition.
#[derive(Debug, Clone, Copy)]
pub struct StreamRow<'a> {
    /// The record, in the connection's window.
    pub row: Row<'a>,
    /// For [`Stream::cursor`].
    pub before: Option<Point>,
}

/// A running query.
pub struct Stream {
    streams: Arc<Streams>,
    query: Arc<Query>,
    limits: Limits,
    router: Router,
    tracker: Tracker,
    planning: Planning,
    retries: Retries,
    /// Records that the query's limit still allows.
    left: Option<u64>,
    /// Records that the current page still accepts.
    page: Option<u64>,
    lines: Vec<Option<Line>>,
    /// The line to take records from first.
    turn: usize,
    pieces: u32,
    /// Whether a request has succeeded, so that the query is known to be answerable.
    known: bool,
    /// Earliest time of the next request.
    again: Tick,
    deadline: Tick,
    /// Since when records have been awaited; `None` while there may be some to take.
    waiting: Option<Tick>,
    /// When records were last taken or awaited.
    touched: Tick,
    failure: Option<Error>,
    tally: Tally,
    poll: Poll,
    events: Events,
    stopper: Arc<Stopper>,
}

/// Short: a query has thousands of partitions.
impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("namespace", &self.query.namespace)
            .field("set", &self.query.set)
            .field("records", &self.tally.records)
            .field("is_over", &self.is_over())
            .finish_non_exhaustive()
    }
}

/// The progress of a stream at one moment.
#[derive(Debug)]
pub struct Mark {
    tracker: Tracker,
    left: Option<u64>,
    records: u64,
}

/// Stops a stream from another thread.
#[derive(Debug)]
pub struct Stopper {
    stopped: AtomicBool,
    waker: mio::Waker,
}

impl Stopper {
    /// Makes the stream fail as closed, also while it is waiting.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
        // A stream that is not woken checks periodically.
        let _ = self.waker.wake();
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// The error of a stream that was stopped.
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::query_closed()) } else { Ok(()) }
    }
}

impl Stream {
    /// A query that reads the open partitions of a plan. Sends nothing yet.
    pub fn new(streams: Arc<Streams>, plan: QueryPlan) -> io::Result<Self> {
        let QueryPlan { query, limits, tracker, left, selection, .. } = plan;
        let poll = Poll::new()?;
        let waker = mio::Waker::new(poll.registry(), WAKER)?;
        let now = Tick::now();
        let deadline =
            if limits.timeout.is_zero() { Tick::NEVER } else { now.after(limits.timeout) };
        let router = Router::new(streams.cluster.options().racks.clone());
        let tally = Tally::new(streams.cluster.counter_scope(&query.namespace), "query");
        Ok(Self {
            streams,
            query,
            limits,
            router,
            tracker,
            planning: Planning::new(selection),
            retries: Retries::default(),
            left,
            page: None,
            lines: Vec::new(),
            turn: 0,
            pieces: 0,
            known: false,
            again: now,
            deadline,
            waiting: None,
            touched: now,
            failure: None,
            tally,
            poll,
            events: Events::with_capacity(64),
            stopper: Arc::new(Stopper { stopped: AtomicBool::new(false), waker }),
        })
    }

    /// Omits bins from further requests, unless some are named: for callers that only count
    /// records.
    pub fn skip_bins(&mut self) {
        if self.query.op_count == 0 {
            Arc::make_mut(&mut self.query).no_bins = true;
        }
    }

    /// A handle that stops the stream from another thread.
    pub fn stopper(&self) -> Arc<Stopper> {
        self.stopper.clone()
    }

    /// Sets how many records the current page still accepts: no more are requested or returned.
    /// `None`: no pages.
    pub fn set_page(&mut self, page: Option<u64>) {
        self.page = page;
    }

    /// Whether all records have been taken.
    pub fn is_over(&self) -> bool {
        self.left == Some(0) || (self.tracker.is_done() && self.lines.iter().all(Option::is_none))
    }

    /// The progress of the query, as bytes for another process. `undelivered` are records that were
    /// taken but not delivered, in the order of their arrival.
    pub fn cursor(&self, undelivered: &[(Point, Option<Point>)]) -> Vec<u8> {
        let left = self.left.map(|left| left + undelivered.len() as u64);
        if undelivered.is_empty() {
            return cursor::encode(&self.query, &self.tracker, left);
        }
        let mut tracker = self.tracker.clone();
        for (point, before) in undelivered.iter().rev() {
            tracker.take_back(point.digest, *before);
        }
        cursor::encode(&self.query, &tracker, left)
    }

    /// The current progress, for [`Stream::rewind`].
    pub fn mark(&self) -> Mark {
        let (left, records) = (self.left, self.tally.records);
        Mark { tracker: self.tracker.clone(), left, records }
    }

    /// The cursor of an earlier mark.
    pub fn cursor_of(&self, mark: &Mark) -> Vec<u8> {
        cursor::encode(&self.query, &mark.tracker, mark.left)
    }

    /// Returns to an earlier mark: records taken since then are delivered again.
    pub fn rewind(&mut self, mark: Mark) {
        for index in 0..self.lines.len() {
            self.drop_line(index);
        }
        (self.tracker, self.left, self.tally.records) = (mark.tracker, mark.left, mark.records);
        self.tracker.lost_all();
    }

    /// Passes up to `most` records that have arrived to the callback and returns their number.
    /// Zero: call [`Stream::fill`] for more, unless the stream is over.
    pub fn take<E>(
        &mut self,
        most: usize,
        mut each: impl FnMut(StreamRow<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<usize, E> {
        // Also if there are records to take that arrived before the pause.
        self.notice_pause(Tick::now());
        let mut records = 0;
        let count = self.lines.len();
        for _ in 0..count {
            let index = self.turn % count;
            let dry = self.take_from(index, most, &mut records, &mut each)?;
            if !dry {
                break;
            }
            self.turn = index + 1;
        }
        if records > 0 {
            self.retries.progress();
            self.planning.has_records = true;
            self.waiting = None;
        }
        if self.tally.is_open() {
            self.count(records);
        }
        Ok(records)
    }

    /// Counts taken records, and the query with its last one.
    #[cold]
    fn count(&mut self, records: usize) {
        self.tally.records += records as u64;
        if self.is_over() {
            self.tally.done();
        }
    }

    /// Takes records from one line; returns whether it has no complete message left.
    fn take_from<E>(
        &mut self,
        index: usize,
        most: usize,
        records: &mut usize,
        each: &mut impl FnMut(StreamRow<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<bool, E> {
        loop {
            let Some(line) = &mut self.lines[index] else { return Ok(true) };
            if line.requests_plan {
                self.take_plan(index);
                return Ok(true);
            }
            let full = *records >= most || self.left == Some(0) || self.page == Some(0);
            // The end of a request that has returned its maximum is still processed, so that its
            // connection can be reused.
            if full && (line.cap == 0 || line.got < line.cap) {
                return Ok(false);
            }
            let piece = line.piece;
            match line.next() {
                Ok(None) => {
                    if self.left == Some(0) {
                        self.leave_line(index);
                    }
                    return Ok(true);
                }
                // A node that sends more than requested is dropped.
                Ok(Some(Answer::Row(_))) if full => {
                    self.drop_line(index);
                    return Ok(true);
                }
                Ok(Some(Answer::Row(row))) => {
                    let before = self.tracker.advance(piece, row.point);
                    let is_record = before.is_some() && !is_empty_answer(&self.query, &row);
                    if is_record {
                        let before = before.flatten();
                        if let Err(error) = each(StreamRow { row, before }) {
                            self.tracker.take_back(row.point.digest, before);
                            self.drop_line(index);
                            return Err(error);
                        }
                        *records += 1;
                        for budget in [&mut self.left, &mut self.page].into_iter().flatten() {
                            *budget -= 1;
                        }
                    }
                    line.got += 1;
                }
                Ok(Some(Answer::Partition(_, ResultCode::OK))) => {}
                Ok(Some(Answer::Partition(pid, _))) => {
                    if self.tracker.unavailable(piece, pid) {
                        line.unavailable += 1;
                    }
                }
                Ok(Some(Answer::End(code))) => {
                    self.ended(index, code);
                    return Ok(true);
                }
                Err(error) => {
                    let error = node_error::nonsense(&line.node, error);
                    self.drop_line(index);
                    self.fail(error);
                    return Ok(true);
                }
            }
        }
    }

    /// The reply on a line has ended.
    fn ended(&mut self, index: usize, code: ResultCode) {
        let Some(mut line) = self.lines[index].take() else { return };
        let node = line.node.to_string();
        if self.plans_again(code) {
            let _ = self.poll.registry().deregister(&mut line.wire);
            self.tracker.lost(line.piece);
            return self.plan_again();
        }
        let end = AnswerEnd::of(code, self.known);
        let good = end == AnswerEnd::Whole;
        let details = line.take_details();
        if good {
            self.known = true;
            self.tracker.finish(line.piece, line.cap > 0 && line.got >= line.cap);
        } else {
            self.tracker.lost(line.piece);
        }
        match end {
            AnswerEnd::Whole if line.unavailable > 0 => {
                let message = format!("{} partitions are not available now", line.unavailable);
                let code = Kind::Server(ResultCode::PARTITION_UNAVAILABLE);
                self.retry_or_fail(Error::new(code, message).on(node), Tick::now());
            }
            AnswerEnd::Whole => self.retries.progress(),
            AnswerEnd::TryAgain => {
                let error = self.rejection(code).with_details(details).on(node);
                self.retry_or_fail(error, Tick::now());
            }
            AnswerEnd::Failed => self.fail(self.rejection(code).with_details(details).on(node)),
        }
        let _ = self.poll.registry().deregister(&mut line.wire);
        if good && line.is_reusable() {
            self.streams.give(line.node, line.wire);
        }
    }

    /// Closes a line whose reply will not be read further; its partitions wait for another one.
    fn drop_line(&mut self, index: usize) {
        let Some(mut line) = self.lines[index].take() else { return };
        self.tracker.lost(line.piece);
        let _ = self.poll.registry().deregister(&mut line.wire);
    }

    /// Releases a line: if only the end of its reply is outstanding, its connection can serve
    /// another query once that has arrived.
    fn leave_line(&mut self, index: usize) {
        match &mut self.lines[index] {
            Some(line) if line.is_owed_its_end() => {}
            _ => return self.drop_line(index),
        }
        let Some(mut line) = self.lines[index].take() else { return };
        self.tracker.lost(line.piece);
        let _ = self.poll.registry().deregister(&mut line.wire);
        self.streams.drain(line);
    }

    /// Ends the query with an error.
    fn fail(&mut self, error: Error) {
        let attempts = self.retries.failures();
        self.failure.get_or_insert(error.after(attempts, false));
    }

    /// Ends the query: further data is discarded, and the nodes stop. Connections on which only the
    /// end of a reply is outstanding are left to other queries.
    pub fn close(&mut self) {
        self.stopper.stopped.store(true, Relaxed);
        for index in 0..self.lines.len() {
            self.leave_line(index);
        }
        self.tally.withdrawn();
    }

    /// Returns the error that ended the stream, on every call.
    fn check(&self) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        self.stopper.check()?;
        if self.streams.cluster.is_closed() {
            return Err(Error::closed());
        }
        Ok(())
    }
}

impl AsRawFd for Stream {
    /// Readable when [`Stream::fill`] has work to do.
    fn as_raw_fd(&self) -> RawFd {
        self.poll.as_raw_fd()
    }
}
