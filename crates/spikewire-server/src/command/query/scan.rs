//! The reply to a query: records in their order, a slice at a time.
//!
//! Partitions are read one after the other. A partition's lock is held while records are copied
//! into the output, never while anything is sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use spikewire_protocol::frame::{self, Kind};
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::HEADER_LEN;
use spikewire_protocol::query::{Point, Row, answer};
use spikewire_protocol::result_code::ResultCode;

use super::super::Context;
use super::super::stream::{Pace, SLICE};
use super::projection::Projection;
use crate::expression::{Program, Subject};
use crate::job::{End, Job};
use crate::storage::clock::Moment;
use crate::storage::namespace::Namespace;
use crate::storage::partition::Partition;
use crate::storage::record::View;
use crate::storage::sets::Set;
use crate::storage::walk::Walk;

/// Records and partitions that are looked at in one turn.
const LOOKS: usize = 1000;
/// Most bytes in a frame of more than one record.
const FRAME: usize = 1 << 20;

/// A partition to be read.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Which one.
    pub pid: u16,
    /// Where reading goes on; `None` = from the start.
    pub after: Option<Point>,
}

/// Which records are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// Those of one set.
    Set(u16),
    /// None: nobody ever wrote to the set.
    Nothing,
}

/// A query that sends its records.
#[derive(Debug)]
pub struct Scan {
    node: usize,
    namespace: usize,
    job: Arc<Job>,
    /// Partitions not finished, the present one last.
    parts: Vec<Part>,
    /// What is left of the present partition, once that was begun.
    walk: Option<Walk>,
    spare: Walk,
    wanted: Wanted,
    filter: Option<Arc<Program>>,
    projection: Projection,
    /// Records that may still be sent.
    left: Option<u64>,
    /// Records that passed the filter.
    passed: u64,
    /// When a short query ends.
    deadline: Option<Instant>,
    last_set: Option<(u16, Arc<Set>)>,
    scratch: Vec<u8>,
}

/// Why reading a partition stops for now.
enum Stop {
    /// It is finished.
    Finished,
    /// The turn is over.
    Turn,
    /// The rate allows no more before this moment.
    Rate(Instant),
    /// As many records were sent as were wanted.
    Enough,
}

impl Scan {
    #[allow(clippy::too_many_arguments)] // each is another thing, and there is one caller
    pub(super) fn new(
        node: usize,
        namespace: usize,
        job: Arc<Job>,
        mut parts: Vec<Part>,
        wanted: Wanted,
        filter: Option<Arc<Program>>,
        projection: Projection,
        left: Option<u64>,
        deadline: Option<Instant>,
    ) -> Self {
        parts.reverse();
        Self {
            node,
            namespace,
            job,
            parts,
            walk: None,
            spare: Walk::default(),
            wanted,
            filter,
            projection,
            left,
            passed: 0,
            deadline,
            last_set: None,
            scratch: Vec::new(),
        }
    }

    /// The job it is.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Appends the next slice.
    pub fn turn(&mut self, context: &Context, now: Moment, out: &mut Vec<u8>) -> Pace {
        let start = frame::begin(out, Kind::Message);
        let (pace, code) = self.fill(context, now, start, out);
        if let Some(code) = code
            && self.deadline.is_some()
        {
            answer::write_end(code, out);
        }
        if out.len() > start + frame::HEADER_LEN {
            frame::finish(out, start);
        } else {
            out.truncate(start);
        }
        if let Some(code) = code {
            if self.deadline.is_none() {
                let start = frame::begin(out, Kind::Message);
                answer::write_end(code, out);
                frame::finish(out, start);
            }
            self.job.end(if code == ResultCode::SCAN_ABORTED { End::Aborted } else { End::Ok });
        }
        self.job.counters.bytes.fetch_add((out.len() - start) as u64, Ordering::Relaxed);
        pace
    }

    /// Fills one frame; says how the query ends if it does.
    fn fill(
        &mut self,
        context: &Context,
        now: Moment,
        start: usize,
        out: &mut Vec<u8>,
    ) -> (Pace, Option<ResultCode>) {
        let done = |code| (Pace::Done, Some(code));
        if self.job.is_aborted() {
            return done(ResultCode::SCAN_ABORTED);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return done(ResultCode::TIMEOUT);
        }
        let state = context.state.clone();
        let namespace = &state.namespaces[self.namespace];
        let mut looks = LOOKS;
        while let Some(part) = self.parts.last().copied() {
            if self.left == Some(0) {
                break;
            }
            if self.walk.is_none() && !self.begin(namespace, part, out) {
                self.parts.pop();
                self.job.pass_partition();
            } else {
                match self.read(namespace, part.pid, now, start, &mut looks, out) {
                    Stop::Finished => {
                        self.spare = self.walk.take().unwrap_or_default();
                        self.parts.pop();
                        self.job.pass_partition();
                    }
                    Stop::Turn => return (Pace::On, None),
                    Stop::Rate(due) => return (Pace::At(due), None),
                    Stop::Enough => return done(ResultCode::OK),
                }
            }
            looks = looks.saturating_sub(1);
            if looks == 0 || out.len() - start >= SLICE {
                return (Pace::On, None);
            }
        }
        done(ResultCode::OK)
    }

    /// Begins a partition; says whether there is anything to read.
    fn begin(&mut self, namespace: &Namespace, part: Part, out: &mut Vec<u8>) -> bool {
        let partition = namespace.partition(part.pid);
        if partition.role(self.node).is_none() {
            answer::write_unavailable(part.pid, out);
            return false;
        }
        let Some(table) = partition.nearest(self.node) else { return false };
        if self.wanted == Wanted::Nothing || table.is_empty() {
            return false;
        }
        let mut walk = std::mem::take(&mut self.spare);
        walk.gather(table, part.after.as_ref().map(|point| &point.digest.0));
        drop(partition);
        walk.sort();
        self.walk = Some(walk);
        true
    }

    /// Reads on in the present partition.
    fn read(
        &mut self,
        namespace: &Namespace,
        pid: u16,
        now: Moment,
        start: usize,
        looks: &mut usize,
        out: &mut Vec<u8>,
    ) -> Stop {
        let Some(mut walk) = self.walk.take() else { return Stop::Finished };
        let partition = namespace.partition(pid);
        let stop = self.read_from(&partition, &mut walk, namespace, now, start, looks, out);
        drop(partition);
        self.walk = Some(walk);
        stop
    }

    #[allow(clippy::too_many_arguments)]
    fn read_from(
        &mut self,
        partition: &Partition,
        walk: &mut Walk,
        namespace: &Namespace,
        now: Moment,
        start: usize,
        looks: &mut usize,
        out: &mut Vec<u8>,
    ) -> Stop {
        let Some(table) = partition.nearest(self.node) else { return Stop::Finished };
        while let Some(digest) = walk.next() {
            if *looks == 0 || out.len() - start >= SLICE {
                return Stop::Turn;
            }
            *looks -= 1;
            let record = table.get(digest);
            let wanted = record.filter(|record| self.wants(namespace, *record, now));
            if let Some(record) = wanted {
                if self.left == Some(0) {
                    return Stop::Enough;
                }
                let len = out.len() - start;
                if len > frame::HEADER_LEN && len + record.image().len() > FRAME {
                    return Stop::Turn;
                }
                if let Err(due) = self.job.allowance(self.passed) {
                    return Stop::Rate(due);
                }
                self.send(namespace, record, now, out);
            }
            walk.pass();
        }
        Stop::Finished
    }

    fn wants(&self, namespace: &Namespace, record: View<'_>, now: Moment) -> bool {
        if let Wanted::Set(set) = self.wanted
            && set != record.set()
        {
            return false;
        }
        if namespace.is_gone(record, now) {
            return false;
        }
        let Some(filter) = &self.filter else { return true };
        let passes = filter.passes(&Subject::stored(namespace, record, now));
        if !passes {
            self.job.counters.filtered.fetch_add(1, Ordering::Relaxed);
        }
        passes
    }

    /// Appends a record, if the projection leaves anything of it.
    fn send(&mut self, namespace: &Namespace, record: View<'_>, now: Moment, out: &mut Vec<u8>) {
        self.passed += 1;
        self.left = self.left.map(|left| left - 1);
        let counters = &self.job.counters;
        if self.job.plan.rate > 0 {
            counters.throttled.fetch_add(1, Ordering::Relaxed);
        }
        let (op_count, ops, no_bins) = match &self.projection {
            Projection::All => (record.bin_count(), record.bins(), false),
            Projection::NoBins => (0, &[][..], true),
            Projection::Ops { ops, respond_all } => {
                let subject = Subject::stored(namespace, record, now);
                let count = Projection::run(ops, *respond_all, &subject, &mut self.scratch);
                let Some(count) = count else { return };
                (count, &self.scratch[HEADER_LEN..], false)
            }
        };
        let number = record.set();
        if self.last_set.as_ref().is_none_or(|(known, _)| *known != number) {
            self.last_set = namespace.sets.get(number).map(|set| (number, set));
        }
        let set = self.last_set.as_ref().map_or(&[][..], |(_, set)| &set.name);
        let row = Row {
            point: Point { digest: Digest(*record.digest()), value: 0 },
            set: if number == 0 { &[] } else { set },
            key: record.key(),
            generation: u32::from(record.generation()),
            void_time: record.void_time(),
            op_count,
            ops,
        };
        row.write(namespace.options.name.as_bytes(), false, no_bins, out);
        counters.succeeded.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        self.job.end(End::NotSent);
    }
}
