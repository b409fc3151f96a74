//! Background jobs: operations on every record of a scan or query, without a waiting client.
//!
//! A job processes the partitions of which its node is the master. It notes the records to change
//! while a partition is locked, then processes them in groups; each is changed like by a single
//! command, which checks the filter again. A record that has disappeared in the meantime counts as
//! failed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::message::{
    Header, Message, field, info1, info2, info3, op, write_field, write_op,
};
use spikewire_aerospike_protocol::query::{NodeQuery, Work};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::super::reply::Reply;
use super::super::request::Request;
use super::super::{Context, Target};
use super::partition_cursor::gather;
use super::record_sender::Selection;
use super::select;
use crate::background::Task;
use crate::job::{End, Job, JobKind, JobOptions};
use crate::record::clock::Moment;
use crate::storage::namespace::Namespace;
use crate::storage::partition::Partition;
use crate::storage::walk::Walk;
use crate::turn::NextTurn;

/// Default and maximum of a job's records per second.
const RATE: u32 = 10_000;
/// Records changed, and records examined, in one slice.
const CHANGES: usize = 200;
const EXAMINED: usize = 2000;
/// Offset of the result code in a message header.
const RESULT_AT: usize = 5;

/// A job that changes records.
#[derive(Debug)]
struct Change {
    /// Runs the single-record commands; its counters are separate from those of clients.
    context: Context,
    node: usize,
    namespace: usize,
    job: Arc<Job>,
    selection: Selection,
    header: Header,
    fields: Vec<u8>,
    ops: Vec<u8>,
    /// The current partition, and the rest of it once it has been started.
    pid: u16,
    walk: Option<Walk>,
    /// Records changed or failed.
    handled: u64,
    scratch: Vec<u8>,
}

impl Context {
    /// Starts a background job.
    pub(super) fn start_background(
        &mut self,
        node: usize,
        at: usize,
        message: &Message<'_>,
        query: &NodeQuery<'_>,
    ) -> Result<(), ResultCode> {
        let header = message.header;
        let kind = if query.work == Work::Operations {
            check_operations(message)?;
            JobKind::Operations
        } else {
            JobKind::Function
        };
        if query.records_per_second > RATE {
            return Err(ResultCode::PARAMETER);
        }
        let filter = query.filter.map(|bytes| self.filters.read(bytes)).transpose()?;
        let state = self.state.clone();
        let namespace = &state.namespaces[at];
        if !namespace.sets.is_known(query.set, node) {
            return Err(ResultCode::NOT_FOUND);
        }
        let selection = select(namespace, query, filter)?;
        let rate = if query.records_per_second == 0 { RATE } else { query.records_per_second };
        let options =
            JobOptions { requested: (0, 0), rate, ..self.options(at, query, &selection, kind) };
        let job = state.nodes[node].jobs.start(options, PARTITIONS)?;
        let keeps = info3::REPLACE_ONLY | info3::COMMIT_MASTER;
        let update = if kind == JobKind::Operations { info3::UPDATE_ONLY } else { 0 };
        let header = Header {
            info2: info2::WRITE | header.info2 & (info2::DURABLE_DELETE | info2::RESPOND_ALL_OPS),
            info3: if kind == JobKind::Operations { header.info3 & keeps } else { 0 } | update,
            ttl: header.ttl,
            ops: header.ops,
            ..Header::default()
        };
        let (fields, ops) = parts(message, kind);
        let queue = match kind {
            JobKind::Function => &state.function_jobs,
            _ => &state.background,
        };
        queue.add(Box::new(Change {
            context: Context::with_time(state.clone()),
            node,
            namespace: at,
            job,
            selection,
            header,
            fields,
            ops,
            pid: 0,
            walk: None,
            handled: 0,
            scratch: Vec::new(),
        }));
        Ok(())
    }
}

/// Rejects operations that are not allowed in a job.
fn check_operations(message: &Message<'_>) -> Result<(), ResultCode> {
    let header = &message.header;
    let deletes = header.info2 & info2::DELETE != 0;
    let reading = header.info1 & info1::READ != 0 || message.ops().any(|it| op::reads(it.code));
    if header.ops == 0 || deletes || reading {
        return Err(ResultCode::PARAMETER);
    }
    Ok(())
}

/// The part of the request that goes into the command on each record: operations, or a function
/// call.
fn parts(message: &Message<'_>, kind: JobKind) -> (Vec<u8>, Vec<u8>) {
    let (mut fields, mut ops) = (Vec::new(), Vec::new());
    if kind == JobKind::Function {
        let call = [field::UDF_PACKAGE, field::UDF_FUNCTION, field::UDF_ARGUMENTS];
        for part in message.fields().filter(|part| call.contains(&part.id)) {
            write_field(&mut fields, part.id, part.data);
        }
    } else {
        for part in message.ops() {
            write_op(&mut ops, part.code, part.name, part.particle, part.value);
        }
    }
    (fields, ops)
}

impl Change {
    /// Notes the next records of the current partition to be changed, with their sets; returns
    /// whether there may be more.
    fn gather(
        &mut self,
        namespace: &Namespace,
        now: Moment,
        most: usize,
    ) -> (Vec<(Digest, u16)>, bool) {
        let partition = namespace.partition(self.pid);
        if partition.role(self.node) != Some(0) {
            return (Vec::new(), false);
        }
        let Some(table) = partition.master() else { return (Vec::new(), false) };
        let mut walk = match self.walk.take() {
            Some(walk) => walk,
            None => self.begin(&partition),
        };
        let (mut records, mut budget) = (Vec::new(), EXAMINED);
        while let Some(digest) = walk.next() {
            if records.len() >= most || budget == 0 {
                self.walk = Some(walk);
                return (records, true);
            }
            budget -= 1;
            if let Some(record) = table.get(digest) {
                match self.selection.takes(namespace, record, None, now) {
                    Ok(()) => records.push((Digest(*record.digest()), record.set())),
                    Err(filtered) => {
                        let counter = &self.job.counters.filtered;
                        counter.fetch_add(u64::from(filtered), Ordering::Relaxed);
                    }
                }
            }
            walk.pass();
        }
        (records, false)
    }

    /// Notes the records of a partition before any of them is changed: a changed record may match
    /// again, and must not be changed twice.
    fn begin(&self, partition: &Partition) -> Walk {
        let mut walk = Walk::default();
        match (&self.selection.by_index, partition.master()) {
            (None, Some(table)) => gather(&mut walk, &self.selection, partition, table, None),
            (Some(by_index), _) => {
                if let Some(entries) = partition.entries(&by_index.index) {
                    let spans = by_index.range.spans.iter();
                    let met = spans.flat_map(|(first, last)| entries.between(*first, *last, None));
                    walk.note(met.map(|(_, digest)| *digest));
                }
            }
            (None, None) => {}
        }
        walk.sort();
        walk
    }

    /// Changes one record.
    fn change(&mut self, namespace: &Namespace, of: (Digest, u16), now: Moment) {
        let mut request = Request::of(self.header, &self.fields, &self.ops);
        (request.digest, request.has_digest) = (Some(of.0), true);
        let (set, filter) = (Some(of.1), self.selection.filter.clone());
        let target = Target { node: self.node, namespace, request: &request, set, now, filter };
        self.scratch.clear();
        let reply = Reply::row(&mut self.scratch, 0);
        if request.has_udf {
            let _ = self.context.function(&target, reply);
        } else {
            self.context.write(&target, reply);
        }
        let counters = &self.job.counters;
        let counter = match ResultCode(self.scratch[RESULT_AT]) {
            ResultCode::OK => &counters.succeeded,
            ResultCode::FILTERED_OUT => &counters.filtered,
            _ => &counters.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        counters.throttled.fetch_add(1, Ordering::Relaxed);
        self.handled += 1;
    }

    fn end(&self, end: End) -> NextTurn {
        self.job.end(end);
        NextTurn::Never
    }
}

impl Task for Change {
    fn step(&mut self) -> NextTurn {
        let state = self.context.state.clone();
        let namespace = &state.namespaces[self.namespace];
        let gone =
            self.selection.by_index.as_ref().is_some_and(|by_index| by_index.index.is_dropped());
        if self.job.is_aborted() || gone || !state.nodes[self.node].is_alive() {
            return self.end(End::Aborted);
        }
        let before = self.handled;
        let burst = usize::try_from(self.job.burst(before)).unwrap_or(usize::MAX);
        let now = state.clock.now();
        let started = Instant::now();
        let mut most = burst.min(CHANGES);
        loop {
            let (records, more) = self.gather(namespace, now, most);
            most -= records.len();
            for of in records {
                if self.job.is_aborted() {
                    return self.end(End::Aborted);
                }
                self.change(namespace, of, now);
            }
            if more {
                break;
            }
            self.walk = None;
            self.job.pass_partition();
            self.pid += 1;
            if usize::from(self.pid) == PARTITIONS {
                return self.end(End::Ok);
            }
            // A slice covers many partitions if they have few records, but not all.
            if most == 0 || started.elapsed().as_micros() > 500 {
                break;
            }
        }
        let pause = (self.handled > before).then(|| self.job.pause(self.handled)).flatten();
        pause.map_or(NextTurn::Soon, NextTurn::At)
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        self.job.end(End::Aborted);
    }
}
