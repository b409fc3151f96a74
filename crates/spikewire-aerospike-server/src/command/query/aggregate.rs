//! Aggregations: run a stream function over the records of each partition.
//!
//! Records are copied while their partition is locked, and the function processes the copies. Each
//! partition is a stream of its own, processed in one turn.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::query::answer;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_udf::{Failure, Library, Record, Side};

use super::super::Context;
use super::super::function::{FunctionCall, describe, failure_text, with_machine};
use super::super::reply::Reply;
use super::super::stream::{SLICE, StreamedReply};
use super::partition_cursor::{PartitionCursor, gather};
use super::record_sender::Selection;
use crate::job::{End, Job};
use crate::record::clock::Moment;
use crate::storage::namespace::Namespace;
use crate::storage::walk::Walk;
use crate::turn::NextTurn;

/// Number of records copied before the partition's lock is released.
const COPIES: usize = 256;
/// Maximum number of partitions per turn.
const LOOKS: usize = 256;
/// Maximum size of the values of one partition in bytes.
const PARTITION: usize = 256 << 20;
/// A turn that has lasted this long ends after the current partition, so that others need not wait
/// for a slow function.
const LONG: Duration = Duration::from_millis(2);

/// A running aggregation.
#[derive(Debug)]
pub struct Aggregate {
    node: usize,
    namespace: usize,
    job: Arc<Job>,
    library: Arc<Library>,
    call: FunctionCall,
    selection: Selection,
    /// The next partition.
    next: u16,
}

impl Aggregate {
    pub(super) fn new(
        place: (usize, usize),
        job: Arc<Job>,
        library: Arc<Library>,
        call: FunctionCall,
        selection: Selection,
    ) -> Self {
        let (node, namespace) = place;
        Self { node, namespace, job, library, call, selection, next: 0 }
    }

    /// Fills the output; returns the final code once it has ended.
    fn fill(&mut self, context: &Context, now: Moment, out: &mut Vec<u8>) -> Option<ResultCode> {
        let (start, started) = (out.len(), Instant::now());
        for _ in 0..LOOKS {
            if self.job.is_aborted() {
                return Some(ResultCode::SCAN_ABORTED);
            }
            if usize::from(self.next) == PARTITIONS {
                return Some(ResultCode::OK);
            }
            let pid = self.next;
            self.next += 1;
            if let Err(failure) = self.partition(context, pid, now, out) {
                if self.job.is_aborted() {
                    return Some(ResultCode::SCAN_ABORTED);
                }
                write_failure(&failure, out);
                return Some(ResultCode::SERVER);
            }
            self.job.pass_partition();
            if out.len() - start >= SLICE || started.elapsed() >= LONG {
                break;
            }
        }
        None
    }

    /// Runs the function over the records of one partition, if this node is its master.
    fn partition(
        &self,
        context: &Context,
        pid: u16,
        now: Moment,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let state = &context.state;
        let namespace = &state.namespaces[self.namespace];
        let Some(mut cursor) = self.cursor(namespace, pid) else {
            return Ok(());
        };
        let mut copies = Vec::new();
        let mut over = self.copy(namespace, pid, now, &mut cursor, &mut copies)?;
        if copies.is_empty() && over {
            return Ok(());
        }
        let start = out.len();
        let mut values = Vec::new();
        let ends = || {
            let is_alive = state.nodes[self.node].is_alive();
            self.job.is_aborted() || !is_alive || state.is_stopping.load(Ordering::Acquire)
        };
        with_machine(state.options.udf_time, &ends, &self.library, |machine| {
            let FunctionCall { package, function, arguments } = &self.call;
            let mut pipeline = machine.stream(package, function, arguments, Side::Node)?;
            loop {
                for record in copies.drain(..) {
                    self.job.counters.succeeded.fetch_add(1, Ordering::Relaxed);
                    pipeline.record(record, &mut values)?;
                    send(&mut values, start, out)?;
                }
                if over {
                    pipeline.finish(&mut values)?;
                    return send(&mut values, start, out);
                }
                over = self.copy(namespace, pid, now, &mut cursor, &mut copies)?;
            }
        })
    }

    fn cursor(&self, namespace: &Namespace, pid: u16) -> Option<PartitionCursor> {
        let partition = namespace.partition(pid);
        if partition.role(self.node) != Some(0) {
            return None;
        }
        if self.selection.by_index.is_some() {
            return Some(PartitionCursor::Entries(None));
        }
        let mut walk = Walk::default();
        gather(&mut walk, &self.selection, &partition, partition.master()?, None);
        drop(partition);
        walk.sort();
        Some(PartitionCursor::Digests(walk))
    }

    /// Copies the next selected records; returns whether there are no more.
    fn copy(
        &self,
        namespace: &Namespace,
        pid: u16,
        now: Moment,
        cursor: &mut PartitionCursor,
        copies: &mut Vec<Record>,
    ) -> Result<bool, Failure> {
        let partition = namespace.partition(pid);
        let mut wrong = None;
        let walked =
            cursor.go(&partition, self.node, self.selection.by_index.as_deref(), |record, key| {
                if copies.len() == COPIES || wrong.is_some() {
                    return Err(());
                }
                let Some(record) = record else { return Ok(()) };
                if self.selection.takes(namespace, record, Some(key), now).is_ok() {
                    match describe(namespace, record, now) {
                        Ok(copy) => copies.push(copy),
                        Err(failure) => wrong = Some(failure),
                    }
                }
                Ok(())
            });
        wrong.map_or(Ok(walked.is_ok()), Err)
    }
}

impl StreamedReply for Aggregate {
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        let start = out.len();
        let code = self.fill(context, now, out);
        if let Some(code) = code {
            let start = frame::begin(out, Kind::Message);
            answer::write_end(code, out);
            frame::finish(out, start);
            self.job.end(if code == ResultCode::SCAN_ABORTED { End::Aborted } else { End::Ok });
        }
        self.job.counters.bytes.fetch_add((out.len() - start) as u64, Ordering::Relaxed);
        if code.is_some() { NextTurn::Never } else { NextTurn::Soon }
    }

    fn send_timeout(&self) -> Option<Duration> {
        self.job.options.send_timeout
    }

    fn ends_in_own_frame(&self) -> bool {
        true
    }

    fn needs_time(&self) -> bool {
        true
    }

    fn time_out(&self) {
        self.job.end(End::SendTimeout);
    }
}

impl Drop for Aggregate {
    fn drop(&mut self) {
        self.job.end(End::NotSent);
    }
}

/// Moves values to the output, which started the partition at `start`.
fn send(values: &mut Vec<Value>, start: usize, out: &mut Vec<u8>) -> Result<(), Failure> {
    for value in values.drain(..) {
        write_value(&value, out)?;
        if out.len() - start > PARTITION {
            let text = format!("the values of one partition take more than {PARTITION} bytes");
            return Err(Failure::Raised(text));
        }
    }
    Ok(())
}

/// Writes one value of the stream, in a frame of its own.
fn write_value(value: &Value, out: &mut Vec<u8>) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    let of = value.encode(&mut bytes);
    let mut reply = Reply::begin(out);
    reply.op(op::READ, b"SUCCESS", of, &bytes);
    if reply.check_length().is_err() {
        reply.discard();
        return Err(Failure::Raised("a value is longer than a message can be".to_owned()));
    }
    reply.finish(0, 0);
    Ok(())
}

fn write_failure(failure: &Failure, out: &mut Vec<u8>) {
    let text = match failure {
        Failure::NoModule(_) => failure_text(failure),
        _ => format!("UDF: Execution Error 2 : {}", failure_text(failure)),
    };
    let mut reply = Reply::begin(out);
    reply.op(op::READ, b"FAILURE", particle::STRING, text.as_bytes());
    reply.finish(0, 0);
}
