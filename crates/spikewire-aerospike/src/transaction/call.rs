//! A command of a transaction. Before the first write of a record, the monitor has to know it; a
//! command that fails there was not sent.

use std::sync::Arc;

use spikewire_aerospike_protocol::batch as wire;
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::{RECORDS, add_records, monitor};

use super::state::{Address, Transaction};
use super::{Step, Steps};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Prepared;
use crate::command::batch::{Batch, RowKind};
use crate::model::{Error, Kind, Policy, ReplicaPolicy, Result};

/// A command of a transaction, on one record or on many.
#[derive(Debug)]
pub struct TransactionCall {
    transaction: Arc<Transaction>,
    /// The rows of the command, until the monitor knows what they write.
    waiting: Option<Batch>,
    /// The records that the monitor does not know yet.
    unknown: Vec<Digest>,
    /// Whether the monitor is being created.
    creates: bool,
    /// What the rows write, while they have no outcome.
    sent: Vec<(Digest, Address)>,
    is_over: bool,
}

impl Transaction {
    /// Begins a command on one record.
    pub fn enter_one(
        self: &Arc<Self>,
        cluster: &Cluster,
        command: &Prepared,
    ) -> Result<(TransactionCall, Batch)> {
        let rows = Batch::of_request(command, Tick::now())?;
        self.enter(cluster, rows)
    }

    /// Begins a command. Returns the rows to be sent first.
    pub fn enter(
        self: &Arc<Self>,
        cluster: &Cluster,
        mut rows: Batch,
    ) -> Result<(TransactionCall, Batch)> {
        let mut known = self.known();
        // Not one row is to be sent, nor the namespace to be its own, if another one is refused.
        let own = known.namespace.clone();
        let mut last: Option<&Arc<str>> = None;
        for record in rows.records() {
            if last.is_some_and(|last| Arc::ptr_eq(last, record.namespace)) {
                continue;
            }
            last = Some(record.namespace);
            if let Err(error) = known.admit(cluster, record.namespace) {
                known.namespace = own;
                return Err(error);
            }
        }
        let new = |record: &crate::command::batch::RowRecord<'_>| {
            record.write && !known.writes.contains_key(&record.digest)
        };
        let mut unknown: Vec<_> = rows.records().filter(new).map(|record| record.digest).collect();
        unknown.sort_unstable_by_key(|digest| digest.0);
        unknown.dedup();
        if known.writes.len() + unknown.len() > RECORDS {
            known.namespace = own;
            return Err(Error::server(ResultCode::TRANSACTION_TOO_MANY_WRITES));
        }
        let mut call = TransactionCall {
            transaction: self.clone(),
            waiting: None,
            unknown,
            creates: known.deadline == 0,
            sent: Vec::new(),
            is_over: false,
        };
        known.in_flight += 1;
        drop(known);
        if call.unknown.is_empty() {
            call.send(&mut rows)?;
            return Ok((call, rows));
        }
        let policy = *rows.policy();
        call.waiting = Some(rows);
        let first = call.ask_monitor(policy);
        Ok((call, first))
    }
}

impl TransactionCall {
    /// The transaction.
    pub fn transaction(&self) -> &Arc<Transaction> {
        &self.transaction
    }

    /// Tells the monitor of the records that are about to be written.
    fn ask_monitor(&self, mut policy: Policy) -> Batch {
        // Repeated, it changes nothing.
        policy.flags.set_in_doubt(true);
        let (id, options) = (self.transaction.id, &self.transaction.options);
        let namespace = self.transaction.namespace().unwrap_or_default();
        let seconds = options.timeout.as_secs() as u32;
        let row = add_records(&namespace, id, self.creates, seconds, &self.unknown);
        one_row(id, namespace, row, policy)
    }

    /// The rows are about to be sent.
    fn send(&mut self, rows: &mut Batch) -> Result<()> {
        let known = self.transaction.known();
        rows.join(|digest, write| known.about(self.transaction.id, digest, write))?;
        drop(known);
        let writes = rows.records().filter(|record| record.write);
        self.sent = writes.map(|record| (record.digest, record.address.into())).collect();
        Ok(())
    }

    /// What the monitor says.
    fn monitored(&mut self, monitor: &Batch, mut rows: Batch) -> Step<Batch> {
        let report = monitor.reports().next();
        let code = report.and_then(|report| report.code);
        let deadline =
            report.and_then(|report| report.reported).and_then(|reported| reported.deadline);
        let error = match (code, deadline) {
            (Some(ResultCode::OK), Some(deadline)) if deadline != 0 => {
                self.transaction.known().deadline = deadline;
                match self.send(&mut rows) {
                    Ok(()) => return Step::Send(rows),
                    Err(error) => error,
                }
            }
            // Another thread, or an attempt whose reply was lost, has created it.
            (Some(ResultCode::TRANSACTION_MONITOR_EXISTS), _) if self.creates => {
                self.creates = false;
                let policy = *rows.policy();
                self.waiting = Some(rows);
                return Step::Send(self.ask_monitor(policy));
            }
            (Some(ResultCode::OK), _) => {
                Error::new(Kind::Malformed, "the server does not say when the transaction expires")
            }
            // The record itself was not written.
            _ => {
                let error = monitor.failure(0);
                let attempts = error.attempts();
                error.after(attempts, false)
            }
        };
        rows.fail(&error);
        self.end();
        Step::Done(rows)
    }

    /// Notes what became of the rows.
    fn note(&mut self, rows: &Batch) {
        let mut known = self.transaction.known();
        for (record, report) in rows.records().zip(rows.reports()) {
            let Some(reported) = report.reported else {
                known.is_unreadable = true;
                known.write_in_doubt |= record.write;
                continue;
            };
            let address = || -> Address { record.address.into() };
            match reported.version {
                Some(version) if !known.writes.contains_key(&record.digest) => {
                    known.reads.insert(record.digest, (address(), version));
                }
                None if record.write && report.code == Some(ResultCode::OK) => {
                    known.write(record.digest, address());
                }
                Some(_) | None => {}
            }
            // An attempt whose reply was lost may hold the lock.
            if record.write && report.doubt && report.code != Some(ResultCode::OK) {
                known.write_in_doubt = true;
                known.write(record.digest, address());
            }
        }
        drop(known);
        self.sent = Vec::new();
        self.end();
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.transaction.known().in_flight -= 1;
        }
    }
}

impl Steps for TransactionCall {
    type Output = Batch;

    fn next(&mut self, done: Batch) -> Step<Batch> {
        if let Some(rows) = self.waiting.take() {
            return self.monitored(&done, rows);
        }
        self.note(&done);
        Step::Done(done)
    }
}

/// Nobody will learn what became of its rows.
impl Drop for TransactionCall {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let sent = std::mem::take(&mut self.sent);
        let mut known = self.transaction.known();
        known.write_in_doubt |= !sent.is_empty();
        sent.into_iter().for_each(|(digest, address)| known.write(digest, address));
        drop(known);
        self.end();
    }
}

/// A request to the monitor of a transaction.
pub(super) fn one_row(id: u64, namespace: Arc<str>, mut row: wire::Kind, policy: Policy) -> Batch {
    // Its counts are filled in; it cannot be too large.
    let _ = row.finish();
    let replica = ReplicaPolicy::Master;
    let policy = Policy { replica, ..policy };
    let needs = Features::NONE;
    let kind = RowKind { row, namespace, write: true, replica, needs };
    Batch::new(vec![kind], [(monitor(id), 0)].into_iter(), policy, Tick::now())
}
