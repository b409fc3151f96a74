//! The reply to a query: records in order, one slice at a time.
//!
//! Partitions are read one after the other. A partition is locked while records are copied into the
//! output, never while data is sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::query::{Point, answer};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::super::Context;
use super::super::stream::{SLICE, StreamedReply};
use super::partition_cursor::{PartitionCursor, gather};
use super::record_sender::{RecordSender, SetFilter, Stop};
use crate::job::{End, Job};
use crate::record::clock::Moment;
use crate::storage::namespace::Namespace;
use crate::storage::walk::Walk;
use crate::turn::NextTurn;

/// Maximum number of records and partitions per turn.
const EXAMINED: usize = 1000;

/// A partition to read.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Which one.
    pub pid: u16,
    /// Where to resume; `None` = from the start.
    pub after: Option<Point>,
}

/// A query that streams its records.
#[derive(Debug)]
pub struct Scan {
    node: usize,
    namespace: usize,
    job: Arc<Job>,
    /// Unfinished partitions, the current one last.
    parts: Vec<Part>,
    /// The position in the current partition, once started.
    cursor: Option<PartitionCursor>,
    /// Reusable buffer for the digests of the next partition.
    next_walk: Walk,
    sender: RecordSender,
    /// When a short query ends.
    deadline: Option<Instant>,
}

impl Scan {
    pub(super) fn new(
        place: (usize, usize),
        job: Arc<Job>,
        mut parts: Vec<Part>,
        sender: RecordSender,
        deadline: Option<Instant>,
    ) -> Self {
        parts.reverse();
        let (node, namespace) = place;
        let (cursor, next_walk) = (None, Walk::default());
        Self { node, namespace, job, parts, cursor, next_walk, sender, deadline }
    }

    /// Whether it is a short query, whose end is in the same frame as its records.
    fn is_short(&self) -> bool {
        self.deadline.is_some()
    }

    /// Fills one frame; returns the final code once the query has ended.
    fn fill(
        &mut self,
        context: &Context,
        now: Moment,
        start: usize,
        out: &mut Vec<u8>,
    ) -> (NextTurn, Option<ResultCode>) {
        let done = |code| (NextTurn::Never, Some(code));
        if self.job.is_aborted() {
            return done(ResultCode::SCAN_ABORTED);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return done(ResultCode::TIMEOUT);
        }
        let by_index = self.sender.selection().by_index.as_ref();
        if by_index.is_some_and(|by_index| by_index.index.is_dropped()) {
            return done(ResultCode::INDEX_NOT_FOUND);
        }
        let state = context.state.clone();
        let namespace = &state.namespaces[self.namespace];
        let mut budget = EXAMINED;
        while let Some(part) = self.parts.last().copied() {
            if self.sender.is_enough() {
                break;
            }
            if self.cursor.is_some() || self.begin(namespace, part, out) {
                match self.read(namespace, part.pid, now, start, &mut budget, out) {
                    Ok(()) => {}
                    Err(Stop::Turn) => return (NextTurn::Soon, None),
                    Err(Stop::Rate(due)) => return (NextTurn::At(due), None),
                    Err(Stop::Enough) => break,
                }
            }
            self.parts.pop();
            if let Some(PartitionCursor::Digests(walk)) = self.cursor.take() {
                self.next_walk = walk;
            }
            self.job.pass_partition();
            budget = budget.saturating_sub(1);
            if budget == 0 || out.len() - start >= SLICE {
                return (NextTurn::Soon, None);
            }
        }
        done(ResultCode::OK)
    }

    /// Starts a partition; returns whether there is anything to read.
    fn begin(&mut self, namespace: &Namespace, part: Part, out: &mut Vec<u8>) -> bool {
        let partition = namespace.partition(part.pid);
        if partition.role(self.node).is_none() {
            answer::write_unavailable(part.pid, out);
            return false;
        }
        let Some(table) = partition.nearest(self.node) else { return false };
        let selection = self.sender.selection();
        if selection.set_filter == SetFilter::Nothing || table.is_empty() {
            return false;
        }
        if let Some(by_index) = &selection.by_index {
            let kind = by_index.range.kind;
            // Converting a key to its shown form and back is the same function.
            let after = part.after.map(|point| (kind.wire_key(point.value), point.digest.0));
            self.cursor = Some(PartitionCursor::Entries(after));
            return true;
        }
        let mut walk = std::mem::take(&mut self.next_walk);
        let after = part.after.as_ref().map(|point| &point.digest.0);
        gather(&mut walk, selection, &partition, table, after);
        drop(partition);
        walk.sort();
        self.cursor = Some(PartitionCursor::Digests(walk));
        true
    }

    /// Continues reading the current partition.
    fn read(
        &mut self,
        namespace: &Namespace,
        pid: u16,
        now: Moment,
        start: usize,
        budget: &mut usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let Some(mut cursor) = self.cursor.take() else { return Ok(()) };
        let partition = namespace.partition(pid);
        let sender = &mut self.sender;
        // The selection is needed while records are sent, so the index is passed separately.
        let by_index = sender.by_index();
        let stop = cursor.go(&partition, self.node, by_index.as_deref(), |record, key| {
            if *budget == 0 || out.len() - start >= SLICE {
                return Err(Stop::Turn);
            }
            *budget -= 1;
            let Some(record) = record else { return Ok(()) };
            sender.offer(namespace, record, key, now, start, out)
        });
        drop(partition);
        self.cursor = Some(cursor);
        stop
    }
}

impl StreamedReply for Scan {
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        let start = frame::begin(out, Kind::Message);
        let (next, code) = self.fill(context, now, start, out);
        if let Some(code) = code
            && self.is_short()
        {
            answer::write_end(code, out);
        }
        if out.len() > start + frame::HEADER_LEN {
            frame::finish(out, start);
        } else {
            out.truncate(start);
        }
        if let Some(code) = code {
            if !self.is_short() {
                let start = frame::begin(out, Kind::Message);
                answer::write_end(code, out);
                frame::finish(out, start);
            }
            self.job.end(if code == ResultCode::SCAN_ABORTED { End::Aborted } else { End::Ok });
        }
        self.job.counters.bytes.fetch_add((out.len() - start) as u64, Ordering::Relaxed);
        next
    }

    fn send_timeout(&self) -> Option<Duration> {
        self.job.options.send_timeout
    }

    fn ends_in_own_frame(&self) -> bool {
        !self.is_short()
    }

    fn time_out(&self) {
        self.job.end(End::SendTimeout);
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.job.end(End::NotSent);
    }
}
