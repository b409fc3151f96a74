//! Commit and abort. A commit verifies what was read, marks the monitor, which is the moment from
//! which the transaction counts as committed, then rolls forward what was written and removes the
//! monitor. Whatever of the last two remains undone, the server does when the transaction expires.

use std::fmt;
use std::sync::Arc;

use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{field, fields_in};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::{self as wire, CommandFields};

use super::call::one_row;
use super::state::{Address, Known, Transaction, TransactionState};
use super::{Step, Steps};
use crate::clock::Tick;
use crate::command::batch::{Batch, RowKind};
use crate::model::{Error, Kind, ReplicaPolicy, Result};

/// A part of the end of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndingPart {
    /// Checking that what was read is unchanged.
    Verify,
    /// Marking the transaction as committed.
    Mark,
    /// Making what it wrote the records, or dropping it.
    Roll,
    /// Removing the monitor.
    Close,
}

impl EndingPart {
    /// The part of this name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Verify, Self::Mark, Self::Roll, Self::Close];
        all.into_iter().find(|part| part.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Mark => "mark",
            Self::Roll => "roll",
            Self::Close => "close",
        }
    }
}

/// How a commit or an abort ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStatus {
    /// All is done.
    Done,
    /// It had been done before.
    Already,
    /// Some records could not be rolled now: the server does it when the transaction expires.
    RollAbandoned,
    /// The monitor could not be removed: it goes when the transaction expires.
    CloseAbandoned,
}

impl EndStatus {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Already => "already",
            Self::RollAbandoned => "roll_abandoned",
            Self::CloseAbandoned => "close_abandoned",
        }
    }
}

/// Why one record stands in the way of a commit.
#[derive(Debug, Clone)]
pub struct RecordError {
    /// The record.
    pub digest: Digest,
    /// Its namespace and set, encoded.
    pub address: Address,
    /// What happened.
    pub error: Error,
}

impl RecordError {
    /// The names of its namespace and set; an empty one for records without a set.
    pub fn names(&self) -> (&str, &str) {
        let name = |id| {
            let field = fields_in(&self.address).find(|field| field.id == id);
            let data = field.map(|field| field.data).unwrap_or_default();
            std::str::from_utf8(data).unwrap_or_default()
        };
        (name(field::NAMESPACE), name(field::SET))
    }
}

/// A commit that failed.
#[derive(Debug, Clone)]
pub struct CommitError {
    /// At which part: verify or mark; `None` if it cannot be committed in its state.
    pub part: Option<EndingPart>,
    /// What happened. In doubt if the transaction may be committed nevertheless.
    pub error: Error,
    /// The records that were not verified.
    pub records: Vec<RecordError>,
}

impl fmt::Display for CommitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(out)
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// It cannot be committed in its state.
impl From<Error> for CommitError {
    fn from(error: Error) -> Self {
        Self { part: None, error, records: Vec::new() }
    }
}

/// A commit or an abort on its way.
#[derive(Debug)]
pub struct Ending {
    transaction: Arc<Transaction>,
    /// The part that is being done; `None` once it is over.
    part: Option<EndingPart>,
    forward: bool,
    failure: Option<CommitError>,
    status: EndStatus,
}

/// What comes of a commit or an abort.
pub type EndOutcome = std::result::Result<EndStatus, Box<CommitError>>;

impl Transaction {
    /// Begins to commit. Fails, with nothing done, if it cannot be committed in its state.
    pub fn commit(self: &Arc<Self>) -> Result<(Ending, Step<EndOutcome>)> {
        let mut known = self.known();
        check_idle(&known)?;
        if known.in_flight + known.reading > 0 {
            return Err(rejection("commands of the transaction are still running"));
        }
        let state = known.state;
        match state {
            TransactionState::Aborted => {
                return Err(rejection("the transaction is aborted already"));
            }
            TransactionState::Committed => return Ok(self.over()),
            _ => known.is_ending = true,
        }
        let (verifies, unreadable) = (!known.reads.is_empty(), known.is_unreadable);
        drop(known);
        let mut ending = self.ending(Some(EndingPart::Verify), true);
        let first = if state == TransactionState::Open && unreadable {
            let message = "a reply about a record that was read could not be understood";
            ending.not_verified(Error::new(Kind::Malformed, message), Vec::new())
        } else if state == TransactionState::Open && verifies {
            ending.verify()
        } else {
            ending.verified()
        };
        Ok((ending, first))
    }

    /// Begins to abort. Fails, with nothing done, if it cannot be aborted in its state.
    pub fn abort(self: &Arc<Self>) -> Result<(Ending, Step<EndOutcome>)> {
        let mut known = self.known();
        check_idle(&known)?;
        match known.state {
            TransactionState::Committed => {
                return Err(rejection("the transaction is committed already"));
            }
            TransactionState::InDoubt => {
                return Err(rejection(
                    "the transaction may be committed: commit it again to find out",
                ));
            }
            TransactionState::Aborted => return Ok(self.over()),
            TransactionState::Open | TransactionState::Verified => {}
        }
        (known.state, known.is_ending) = (TransactionState::Aborted, true);
        // They may lock records later; then the server unlocks them.
        known.write_in_doubt |= known.in_flight > 0;
        drop(known);
        let mut ending = self.ending(Some(EndingPart::Roll), false);
        let first = ending.roll();
        Ok((ending, first))
    }

    /// Begins the end of a block of code: commits the transaction if the block has `succeeded` and
    /// left it open, and otherwise aborts it unless it is over or in doubt.
    pub fn end_block(self: &Arc<Self>, succeeded: bool) -> Result<(Ending, Step<EndOutcome>)> {
        match (self.state(), succeeded) {
            (TransactionState::Open, true) => self.commit(),
            (TransactionState::Open | TransactionState::Verified, false) => self.abort(),
            _ => Ok(self.over()),
        }
    }

    fn ending(self: &Arc<Self>, part: Option<EndingPart>, forward: bool) -> Ending {
        let transaction = self.clone();
        Ending { transaction, part, forward, failure: None, status: EndStatus::Done }
    }

    /// The end of one that is over.
    fn over(self: &Arc<Self>) -> (Ending, Step<EndOutcome>) {
        (self.ending(None, false), Step::Done(Ok(EndStatus::Already)))
    }
}

fn rejection(why: &str) -> Error {
    Error::new(Kind::Transaction, why)
}

fn check_idle(known: &Known) -> Result<()> {
    if known.is_ending {
        return Err(rejection("the transaction is being committed or aborted by another call"));
    }
    Ok(())
}

impl Ending {
    /// The transaction.
    pub fn transaction(&self) -> &Arc<Transaction> {
        &self.transaction
    }

    fn batch(&self, rows: Vec<(Digest, RowKind)>) -> Batch {
        let (digests, kinds): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let rows = digests.into_iter().zip(0..);
        Batch::new(kinds, rows, self.transaction.options.policy, Tick::now())
    }

    fn verify(&mut self) -> Step<EndOutcome> {
        self.part = Some(EndingPart::Verify);
        let known = self.transaction.known();
        let namespace = known.namespace.clone().unwrap_or_default();
        let row = |(digest, (address, version)): (&Digest, &(Address, wire::Version))| {
            let row = wire::verify(address, version);
            (*digest, kind(row, &namespace, false))
        };
        let rows = known.reads.iter().map(row).collect();
        drop(known);
        Step::Send(self.batch(rows))
    }

    fn verify_done(&mut self, rows: &Batch) -> Step<EndOutcome> {
        let record = |(index, record): (usize, crate::command::batch::RowRecord<'_>)| {
            let error = rows.error(index)?;
            Some(RecordError { digest: record.digest, address: record.address.into(), error })
        };
        let records: Vec<_> = rows.records().enumerate().filter_map(record).collect();
        let Some(first) = records.first() else { return self.verified() };
        let error = match first.error.kind() {
            Kind::Server(ResultCode::TRANSACTION_VERSION | ResultCode::TRANSACTION_BLOCKED) => {
                let message = format!(
                    "the transaction is aborted: {} of the records that it read changed",
                    records.len()
                );
                Error::new(first.error.kind(), message)
            }
            kind => {
                let message = format!(
                    "the transaction is aborted: {} of the records that it read could not be \
                     verified: {}",
                    records.len(),
                    first.error
                );
                Error::new(kind, message)
            }
        };
        let error = first.error.node().map_or(error.clone(), |node| error.on(node));
        self.not_verified(error, records)
    }

    fn not_verified(&mut self, error: Error, records: Vec<RecordError>) -> Step<EndOutcome> {
        self.failure = Some(CommitError { part: Some(EndingPart::Verify), error, records });
        self.forward = false;
        self.transaction.known().state = TransactionState::Aborted;
        self.roll()
    }

    fn verified(&mut self) -> Step<EndOutcome> {
        let mut known = self.transaction.known();
        let has_monitor = known.deadline != 0;
        known.state = match known.state {
            TransactionState::InDoubt => TransactionState::InDoubt,
            _ if has_monitor => TransactionState::Verified,
            _ => TransactionState::Committed,
        };
        let namespace = known.namespace.clone().unwrap_or_default();
        drop(known);
        if !has_monitor {
            return self.finish();
        }
        self.part = Some(EndingPart::Mark);
        let (id, policy) = (self.transaction.id, self.transaction.options.policy);
        Step::Send(one_row(id, namespace.clone(), wire::mark_forward(&namespace), policy))
    }

    fn mark_done(&mut self, rows: &Batch) -> Step<EndOutcome> {
        let Some(report) = rows.reports().next() else { return self.finish() };
        let mut known = self.transaction.known();
        // If an earlier attempt or commit has marked it, it may have expired since, forward.
        let was_in_doubt = report.doubt || known.state == TransactionState::InDoubt;
        let in_doubt = match report.code {
            Some(ResultCode::OK | ResultCode::TRANSACTION_COMMITTED) => {
                known.state = TransactionState::Committed;
                drop(known);
                return self.roll();
            }
            Some(ResultCode::TRANSACTION_ABORTED) => {
                known.state = TransactionState::Aborted;
                known.clear();
                false
            }
            Some(_) | None => was_in_doubt,
        };
        if in_doubt {
            known.state = TransactionState::InDoubt;
        }
        drop(known);
        let error = rows.failure(0);
        let attempts = error.attempts();
        let note = if in_doubt {
            "; the transaction may be committed: commit it again to find out"
        } else {
            "; the transaction is not committed"
        };
        let error = error.after(attempts, in_doubt).with_note(note);
        self.failure =
            Some(CommitError { part: Some(EndingPart::Mark), error, records: Vec::new() });
        self.finish()
    }

    /// Rolls what was written, in the direction of the transaction.
    fn roll(&mut self) -> Step<EndOutcome> {
        self.part = Some(EndingPart::Roll);
        let known = self.transaction.known();
        if known.writes.is_empty() {
            drop(known);
            return self.close();
        }
        let namespace = known.namespace.clone().unwrap_or_default();
        let deadline = (known.deadline != 0).then_some(known.deadline);
        let about = CommandFields { id: self.transaction.id, version: None, deadline };
        let row = |(digest, address): (&Digest, &Address)| {
            (*digest, kind(wire::roll(address, self.forward, &about), &namespace, true))
        };
        let rows = known.writes.iter().map(row).collect();
        drop(known);
        Step::Send(self.batch(rows))
    }

    fn roll_done(&mut self, rows: &Batch) -> Step<EndOutcome> {
        if rows.reports().all(|report| report.code == Some(ResultCode::OK)) {
            return self.close();
        }
        // The monitor stays: the server needs it for what remains.
        self.status = EndStatus::RollAbandoned;
        self.finish()
    }

    fn close(&mut self) -> Step<EndOutcome> {
        self.part = Some(EndingPart::Close);
        let known = self.transaction.known();
        let keeps = known.write_in_doubt || known.deadline == 0;
        let namespace = known.namespace.clone().unwrap_or_default();
        drop(known);
        if keeps {
            return self.finish();
        }
        let (id, policy) = (self.transaction.id, self.transaction.options.policy);
        Step::Send(one_row(id, namespace.clone(), wire::close(&namespace), policy))
    }

    fn close_done(&mut self, rows: &Batch) -> Step<EndOutcome> {
        let code = rows.reports().next().and_then(|report| report.code);
        if !matches!(code, Some(ResultCode::OK | ResultCode::NOT_FOUND)) {
            self.status = EndStatus::CloseAbandoned;
        }
        self.finish()
    }

    fn finish(&mut self) -> Step<EndOutcome> {
        self.part = None;
        let mut known = self.transaction.known();
        known.is_ending = false;
        if matches!(known.state, TransactionState::Committed | TransactionState::Aborted) {
            known.clear();
        }
        drop(known);
        Step::Done(match self.failure.take() {
            Some(failure) => Err(Box::new(failure)),
            None => Ok(self.status),
        })
    }
}

fn kind(
    mut row: spikewire_aerospike_protocol::batch::Kind,
    namespace: &Arc<str>,
    write: bool,
) -> RowKind {
    // Its counts are filled in; it cannot be too large.
    let _ = row.finish();
    let (replica, needs) = (ReplicaPolicy::Master, Features::NONE);
    RowKind { row, namespace: namespace.clone(), write, replica, needs }
}

impl Steps for Ending {
    type Output = EndOutcome;

    fn next(&mut self, done: Batch) -> Step<EndOutcome> {
        match self.part {
            Some(EndingPart::Verify) => self.verify_done(&done),
            Some(EndingPart::Mark) => self.mark_done(&done),
            Some(EndingPart::Roll) => self.roll_done(&done),
            Some(EndingPart::Close) | None => self.close_done(&done),
        }
    }
}

/// Nobody will learn how it ends.
impl Drop for Ending {
    fn drop(&mut self) {
        let Some(part) = self.part else { return };
        let mut known = self.transaction.known();
        known.is_ending = false;
        if part == EndingPart::Mark {
            known.state = TransactionState::InDoubt;
        }
    }
}
