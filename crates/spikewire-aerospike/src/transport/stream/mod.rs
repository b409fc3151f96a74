//! Queries: many records from many nodes, at the pace of their reader.
//!
//! A [`Stream`] is one query under way. It owns its connections, one per node that it reads, behind
//! one pollable descriptor, and nothing happens unless its owner asks for it:
//!
//! - [`Stream::take`] hands out the records that have arrived;
//! - when those are all taken, [`Stream::fill`] waits for more.
//!
//! Each connection reads ahead by a window of bounded size and no further. So an owner that takes
//! nothing makes the window fill up, then the socket, and then the node waits. Nothing grows.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | taking records, and what their messages mean for the query |
//! | `fill` | waiting, connecting, reading |
//! | `launch` | which node is asked for what, and what follows when one fails |
//! | `line`, `inbox` | one connection; the window of bytes that arrived on it |
//! | `pool` | connections between queries |
//! | `reader` | records of the caller's own type, pages, cursors, batches |

mod fill;
mod inbox;
mod launch;
mod line;
mod pool;
mod reader;

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mio::{Events, Poll, Token};
use spikewire_aerospike_protocol::query::{Answer, Point, Query, Row};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::line::Line;
pub use self::pool::Streams;
pub use self::reader::{Advance, Demand, MAX_RUN, QueryPage, QueryReader, wait_for_more};
use super::node_error;
use crate::clock::Tick;
use crate::cluster::Tally;
use crate::command::Router;
use crate::command::query::rules::{AnswerEnd, is_empty_answer};
use crate::command::query::{Limits, Retries, Tracker, cursor};
use crate::error::{Error, Kind, Result};

/// Token of the waker that [`Stopper`] uses.
const WAKER: Token = Token(usize::MAX);

/// A record of a query, and where its partition stood before it.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The record, in the connection's window.
    pub row: Row<'a>,
    /// For [`Stream::cursor`].
    pub before: Option<Point>,
}

/// A query under way.
#[derive(Debug)]
pub struct Stream {
    streams: Arc<Streams>,
    query: Arc<Query>,
    limits: Limits,
    router: Router,
    tracker: Tracker,
    retries: Retries,
    /// Records that the query's limit still allows.
    left: Option<u64>,
    /// Records that the present page still takes.
    page: Option<u64>,
    lines: Vec<Option<Line>>,
    /// The line that is asked for records first.
    turn: usize,
    pieces: u32,
    /// A request ended well, so what is asked can be answered.
    known: bool,
    /// No new request before this.
    again: Tick,
    deadline: Tick,
    /// Since when records are waited for; `None` while there may be some to take.
    waiting: Option<Tick>,
    /// When records were last taken or waited for.
    touched: Tick,
    failure: Option<Error>,
    tally: Tally,
    poll: Poll,
    events: Events,
    stopper: Arc<Stopper>,
}

/// How far a stream came at one moment.
#[derive(Debug)]
pub struct Mark {
    tracker: Tracker,
    left: Option<u64>,
    records: u64,
}

/// Ends a stream from another thread.
#[derive(Debug)]
pub struct Stopper {
    stopped: AtomicBool,
    waker: mio::Waker,
}

impl Stopper {
    /// The stream fails as closed, also one that is waiting.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
        // A stream that is not woken looks every now and then.
        let _ = self.waker.wake();
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }
}

impl Stream {
    /// A query that reads what `tracker` has left open, `left` records at most. Nothing is sent
    /// yet.
    pub fn new(
        streams: Arc<Streams>,
        query: Arc<Query>,
        limits: Limits,
        tracker: Tracker,
        left: Option<u64>,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let waker = mio::Waker::new(poll.registry(), WAKER)?;
        let now = Tick::now();
        let deadline =
            if limits.timeout.is_zero() { Tick::NEVER } else { now.after(limits.timeout) };
        let router = Router::new(streams.cluster.options().racks.clone());
        let tally = Tally::new(streams.cluster.counted(&query.namespace), "query");
        Ok(Self {
            streams,
            query,
            limits,
            router,
            tracker,
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

    /// Nodes that are asked from now on send no bins, unless some are named: for whoever only counts
    /// the records.
    pub fn skip_bins(&mut self) {
        if self.query.op_count == 0 {
            Arc::make_mut(&mut self.query).no_bins = true;
        }
    }

    /// A handle that ends the stream from anywhere.
    pub fn stopper(&self) -> Arc<Stopper> {
        self.stopper.clone()
    }

    /// Sets how many records the present page still takes: nodes are not asked for more, and none
    /// is handed out. `None`: no pages.
    pub fn set_page(&mut self, page: Option<u64>) {
        self.page = page;
    }

    /// Whether all records were taken.
    pub fn is_over(&self) -> bool {
        self.left == Some(0) || (self.tracker.is_done() && self.lines.iter().all(Option::is_none))
    }

    /// How far the query came, as bytes for another process. `unseen` are records that were taken
    /// and that were not handed out, in the order they came.
    pub fn cursor(&self, unseen: &[(Point, Option<Point>)]) -> Vec<u8> {
        let left = self.left.map(|left| left + unseen.len() as u64);
        if unseen.is_empty() {
            return cursor::encode(&self.query, &self.tracker, left);
        }
        let mut tracker = self.tracker.clone();
        for (point, before) in unseen.iter().rev() {
            tracker.take_back(point.digest, *before);
        }
        cursor::encode(&self.query, &tracker, left)
    }

    /// How far the query came, to go back to.
    pub fn mark(&self) -> Mark {
        let (left, records) = (self.left, self.tally.records);
        Mark { tracker: self.tracker.clone(), left, records }
    }

    /// The cursor of an earlier moment.
    pub fn cursor_of(&self, mark: &Mark) -> Vec<u8> {
        cursor::encode(&self.query, &mark.tracker, mark.left)
    }

    /// Goes back: what was taken since then comes again.
    pub fn rewind(&mut self, mark: Mark) {
        for index in 0..self.lines.len() {
            self.drop_line(index);
        }
        (self.tracker, self.left, self.tally.records) = (mark.tracker, mark.left, mark.records);
        self.tracker.lost_all();
    }

    /// Hands out up to `most` records that have arrived; how many those were. Zero: ask
    /// [`Stream::fill`] for more, unless the stream is over.
    pub fn take<E>(
        &mut self,
        most: usize,
        mut each: impl FnMut(Found<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<usize, E> {
        // Also when there is something to take that came before the pause.
        self.notice_pause(Tick::now());
        let mut taken = 0;
        let count = self.lines.len();
        for _ in 0..count {
            let index = self.turn % count;
            let dry = self.take_from(index, most, &mut taken, &mut each)?;
            if !dry {
                break;
            }
            self.turn = index + 1;
        }
        if taken > 0 {
            self.retries.progress();
            self.waiting = None;
        }
        if self.tally.is_open() {
            self.count(taken);
        }
        Ok(taken)
    }

    /// Counts records that were taken, and the query with its last one.
    #[cold]
    fn count(&mut self, taken: usize) {
        self.tally.records += taken as u64;
        if self.is_over() {
            self.tally.done();
        }
    }

    /// Takes from one line; whether it has no whole message left.
    fn take_from<E>(
        &mut self,
        index: usize,
        most: usize,
        taken: &mut usize,
        each: &mut impl FnMut(Found<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<bool, E> {
        loop {
            let Some(line) = &mut self.lines[index] else { return Ok(true) };
            let full = *taken >= most || self.left == Some(0) || self.page == Some(0);
            // What ends a request that brought all it may is still looked at, so that its
            // connection can be used again.
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
                // A node that sends more than it was asked for is not listened to any longer.
                Ok(Some(Answer::Row(_))) if full => {
                    self.drop_line(index);
                    return Ok(true);
                }
                Ok(Some(Answer::Row(row))) => {
                    let before = self.tracker.advance(piece, row.point);
                    let wanted = before.is_some() && !is_empty_answer(&self.query, &row);
                    if wanted {
                        let before = before.flatten();
                        if let Err(error) = each(Found { row, before }) {
                            self.tracker.take_back(row.point.digest, before);
                            self.drop_line(index);
                            return Err(error);
                        }
                        *taken += 1;
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

    /// The answer on a line came to its end.
    fn ended(&mut self, index: usize, code: ResultCode) {
        let Some(mut line) = self.lines[index].take() else { return };
        let node = line.node.to_string();
        let end = AnswerEnd::of(code, self.known);
        let good = end == AnswerEnd::Whole;
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
                self.trouble(Error::new(code, message).on(node), Tick::now());
            }
            AnswerEnd::Whole => self.retries.progress(),
            AnswerEnd::TryAgain => self.trouble(Error::server(code).on(node), Tick::now()),
            AnswerEnd::Refused => self.fail(Error::server(code).on(node)),
        }
        let _ = self.poll.registry().deregister(&mut line.wire);
        if good && line.is_reusable() {
            self.streams.give(line.node, line.wire);
        }
    }

    /// Closes a line whose answer will not be read on; its partitions wait for another one.
    fn drop_line(&mut self, index: usize) {
        let Some(mut line) = self.lines[index].take() else { return };
        self.tracker.lost(line.piece);
        let _ = self.poll.registry().deregister(&mut line.wire);
    }

    /// Lets go of a line: one that is only owed the end of its answer can serve another query once
    /// that has come.
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

    /// Ends the query: what the nodes still send goes nowhere, and they stop. Connections on which
    /// nothing but the end of an answer is to come are left to other queries.
    pub fn close(&mut self) {
        self.stopper.stopped.store(true, Relaxed);
        for index in 0..self.lines.len() {
            self.leave_line(index);
        }
        self.tally.withdrawn();
    }

    /// Why the stream ended before its time, again and again.
    fn check(&self) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        if self.stopper.is_stopped() {
            return Err(Error::query_closed());
        }
        if self.streams.cluster.is_closed() {
            return Err(Error::closed());
        }
        Ok(())
    }
}

impl AsRawFd for Stream {
    /// Readable when [`Stream::fill`] has something to do.
    fn as_raw_fd(&self) -> RawFd {
        self.poll.as_raw_fd()
    }
}
