//! Batches: rows are grouped by node, sent concurrently, and their results returned in input order.
//!
//! A [`Batch`] does no I/O. Its driver sends the [`Part`]s of a round, passes back their outcomes,
//! and asks whether another round is due: only rows without a reply are sent again, routed anew.
//!
//! | module | what it holds |
//! |---|---|
//! | here | rows, and the outcome of each |
//! | [`BatchBuilder`] | keys and what is done to their records become rows |
//! | [`RowCommand`] | what is done to the records of rows, for every client |
//! | [`ResultFlags`] | which operations of a row have results |
//! | `deadline` | rows that are late, and rows of slow nodes that are sent to others |
//! | `transactional` | rows as part of a transaction |
//! | `near` | rows that the near cache answers or has to know of |
//! | `send` | a round: rows to nodes to requests |
//! | `settle` | replies to rows, and which rows go again |

mod builder;
mod deadline;
mod near;
mod result_flags;
mod row_command;
mod send;
mod settle;
mod transactional;

pub use builder::BatchBuilder;
pub use deadline::{LATE, Withdrawal, deadline_of};
use near::NearRows;
pub use result_flags::ResultFlags;
pub use row_command::RowCommand;

use std::ops::Range;
use std::sync::Arc;

use spikewire_aerospike_protocol::Malformed;
pub use spikewire_aerospike_protocol::batch::RowContents;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{HEADER_LEN, Header, Walk, info3, split_parts};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::deadline::Schedule;
pub use self::transactional::{RowRecord, RowReport};
pub use super::row_kind::RowKind;
use super::{Judgement, deadline, judge_row};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::model::Policy;
use crate::model::{Error, Kind, Result};
use crate::transport::{Outcome, ResponseHandler, buffer};
use spikewire_transport::Priority;
use spikewire_transport::metrics::MetricsFlags;

#[derive(Debug)]
struct Row {
    digest: Digest,
    kind: u32,
    /// Whether a write may have been applied.
    doubt: bool,
    state: RowState,
}

impl Row {
    /// Whether it waits for a node to hold its partition.
    fn is_unplaced(&self) -> bool {
        matches!(&self.state, RowState::Pending(Some(error)) if error.kind() == Kind::NoNode)
    }
}

#[derive(Debug)]
enum RowState {
    /// To be sent in the next round; the error is the reason that the last one brought no reply.
    Pending(Option<Error>),
    /// In the part with this number, in flight.
    Sent(u32),
    /// Replied: body and range within it.
    Answered(u32, Range<usize>),
    /// Failed permanently.
    Failed(Error),
    /// Without a reply by the batch's deadline.
    Late,
}

/// The outcome of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOutcome<'a> {
    /// A record: its message.
    Record(&'a [u8]),
    /// The record does not exist, or the filter excluded it.
    Absent,
    /// An error: see [`Batch::error`].
    Failed,
    /// No reply came by the deadline of the batch.
    Late,
}

/// Receives records as they arrive, so that the batch need not store them.
pub trait RecordSink: Send + Sync + std::fmt::Debug {
    /// Receives records. A record may be delivered again after a retry.
    fn take(&self, records: Records<'_>);
}

/// Records that have arrived, for a [`RecordSink`].
#[derive(Debug)]
pub struct Records<'a> {
    messages: &'a [u8],
    rows: &'a [u32],
    single: bool,
    /// Stores the outcomes of the rows, without the records.
    outcomes: &'a mut Vec<u8>,
}

impl Records<'_> {
    /// Calls `take` for each record found, with its row, its header, and its bins yet to be parsed.
    /// `take` returns the length of the whole message.
    pub fn each(
        self,
        mut take: impl FnMut(usize, &Header, Walk<'_>) -> std::result::Result<usize, Malformed>,
    ) {
        let Self { mut messages, rows, single, outcomes } = self;
        while !messages.is_empty() {
            let Ok((header, walk)) = Walk::begin(messages) else { break };
            let index = if single { rows[0] } else { header.timeout.wrapping_sub(1) };
            let is_row = single || header.info3 & info3::LAST == 0;
            let is_ours = is_row && rows.binary_search(&index).is_ok();
            let parsed = if is_ours && ResultCode(header.result) == ResultCode::OK {
                take(index as usize, &header, walk)
            } else {
                walk.finish()
            };
            let Ok(used) = parsed else { break };
            // What a reply says about a transaction stays.
            let fields = match header.fields {
                0 => &[][..],
                count => match split_parts(&messages[HEADER_LEN..], count, 0) {
                    Ok((fields, _, _)) => fields,
                    Err(_) => break,
                },
            };
            outcomes.extend_from_slice(&Header { ops: 0, ..header }.to_bytes());
            outcomes.extend_from_slice(fields);
            messages = &messages[used..];
        }
    }
}

/// The reply to one row.
#[derive(Debug)]
pub enum Answer<'a> {
    /// The server's message.
    Reply(&'a [u8]),
    /// No reply, or one that the engine rejected.
    Failed(&'a Error),
    /// No reply by the deadline of the batch.
    Late,
}

/// A batch in progress.
#[derive(Debug)]
pub struct Batch {
    kinds: Vec<RowKind>,
    rows: Vec<Row>,
    policy: Policy,
    deadline: Tick,
    rounds: u32,
    /// How many rounds cost no retry: the first one in which rows left a silent node.
    free_rounds: u32,
    step: u32,
    /// Parts made so far.
    parts: u32,
    /// Replies, kept for the caller to decode.
    bodies: Vec<Body>,
    /// Receives the records instead.
    sink: Option<Arc<dyn RecordSink>>,
    /// When the last reply of this round was delivered, while stages are timed.
    answered: Option<Tick>,
    /// Whether a part of this round ended without a reply.
    unanswered: bool,
    /// The code of the first row at which a node's replies ended.
    end: Option<ResultCode>,
    /// For a batch with a deadline of its own. Boxed because rarely used.
    schedule: Option<Box<Schedule>>,
    /// What the near cache has to do with it.
    near: Option<Box<NearRows>>,
}

/// The reply of one node.
#[derive(Debug)]
struct Body {
    bytes: Vec<u8>,
    node: Arc<Node>,
    attempts: u32,
}

/// The rows sent to one node in one request. Serves as the ticket of that command.
#[derive(Debug)]
pub struct Part {
    number: u32,
    /// Attempt number for its rows.
    round: u32,
    node: Arc<Node>,
    rows: Vec<u32>,
    /// A single row sent as a single-record command: its reply is one plain message.
    single: bool,
    body: Vec<u8>,
    sink: Option<Arc<dyn RecordSink>>,
    /// Why rows have no reply.
    error: Option<Error>,
    /// When its reply was delivered, while stages are timed.
    answered: Option<Tick>,
    /// Whether its rows are in another part, too, whose node is slow.
    is_hedge: bool,
    /// Set when nothing waits for it any more.
    withdrawal: Option<Withdrawal>,
}

impl Part {
    /// Whether it has this row, which awaits a reply from another node.
    fn repeats(&self, row: u32, state: &RowState) -> bool {
        matches!(state, RowState::Sent(_)) && self.rows.binary_search(&row).is_ok()
    }

    /// Whether its rows left a node that did not answer.
    fn left_silent_node(&self) -> bool {
        let is_lost = self.error.as_ref().is_some_and(|error| error.kind() == Kind::Connection);
        is_lost && self.node.health.is_unproven()
    }

    /// Stores its outcome. [`Batch::settle`] evaluates it for the rows, possibly on another thread.
    pub fn close(&mut self, outcome: Outcome<'_>) {
        self.error = match outcome {
            Ok(reply) => {
                self.collect(reply.body);
                (!self.single && reply.code() != ResultCode::OK).then(|| {
                    let doubt = settle::hides_writes(reply.code());
                    reply.error().after(self.round, doubt)
                })
            }
            Err(error) => Some(error),
        };
    }
}

impl ResponseHandler for Part {
    fn answered_at(&mut self, at: Tick) {
        self.answered = Some(at);
    }

    fn is_withdrawn(&self) -> bool {
        self.withdrawal.as_ref().is_some_and(Withdrawal::is_over)
    }

    fn collect(&mut self, messages: &[u8]) {
        // The caller has its columns by now.
        if self.is_withdrawn() {
            return;
        }
        let Self { sink, rows, single, body, .. } = self;
        match sink {
            Some(sink) => sink.take(Records { messages, rows, single: *single, outcomes: body }),
            None => body.extend_from_slice(messages),
        }
    }
}

impl Batch {
    /// A batch that starts now: every row is a digest and the number of its kind.
    pub fn new(
        kinds: Vec<RowKind>,
        rows: impl Iterator<Item = (Digest, u32)>,
        policy: Policy,
        now: Tick,
    ) -> Self {
        let row =
            |(digest, kind)| Row { digest, kind, doubt: false, state: RowState::Pending(None) };
        Self::of_rows(kinds, rows.map(row).collect(), policy, now)
    }

    fn of_rows(kinds: Vec<RowKind>, rows: Vec<Row>, mut policy: Policy, now: Tick) -> Self {
        if kinds.iter().any(|kind| kind.write) {
            policy.priority = policy.priority.or(Priority::Background);
        }
        Self {
            kinds,
            rows,
            policy,
            deadline: deadline(&policy, now),
            rounds: 0,
            free_rounds: 0,
            step: 0,
            parts: 0,
            bodies: Vec::new(),
            sink: None,
            answered: None,
            unanswered: false,
            end: None,
            schedule: None,
            near: None,
        }
    }

    /// Passes records to a sink as they arrive; the outcome of a row is then a message without
    /// bins.
    pub fn set_sink(&mut self, sink: Arc<dyn RecordSink>) {
        self.sink = Some(sink);
    }

    /// Whether it has a sink.
    pub fn has_sink(&self) -> bool {
        self.sink.is_some()
    }

    /// When the last of its replies was delivered, while stages are timed; `None` if it did not end
    /// with a reply.
    pub fn answered(&self) -> Option<Tick> {
        self.answered.filter(|_| !self.unanswered)
    }

    /// The code of the first row at which a node's replies ended: see
    /// [`CommandFlags::ends_at_failure`](spikewire_transport::CommandFlags::ends_at_failure).
    pub fn end(&self) -> Option<ResultCode> {
        self.end
    }

    /// Sets what is recorded of its commands, if decided before they are sent.
    pub fn keep(&mut self, metrics_flags: MetricsFlags) {
        self.policy.metrics_flags = metrics_flags;
    }

    /// Its deadline.
    pub fn deadline(&self) -> Tick {
        self.deadline
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends the rows of another batch. Both must be complete; only outcomes are kept.
    pub fn absorb(&mut self, mut other: Self) {
        let first = self.bodies.len() as u32;
        self.kinds = Vec::new();
        self.bodies.extend(std::mem::take(&mut other.bodies).into_iter().map(|mut body| {
            body.bytes.shrink_to_fit();
            body
        }));
        self.rows.extend(std::mem::take(&mut other.rows).into_iter().map(|mut row| {
            if let RowState::Answered(body, _) = &mut row.state {
                *body += first;
            }
            row
        }));
    }

    /// The reply to row `index`, once the batch is complete.
    pub fn answer(&self, index: usize) -> Result<Answer<'_>> {
        match &self.rows[index].state {
            RowState::Answered(body, range) => Ok(Answer::Reply(self.message(*body, range))),
            RowState::Failed(error) | RowState::Pending(Some(error)) => Ok(Answer::Failed(error)),
            RowState::Late => Ok(Answer::Late),
            RowState::Sent(_) | RowState::Pending(None) => {
                Err(Error::new(Kind::Invalid, "the batch is not over"))
            }
        }
    }

    fn message(&self, body: u32, range: &Range<usize>) -> &[u8] {
        &self.bodies[body as usize].bytes[range.clone()]
    }

    /// The result code of row `index`: the server's, or a negative one of this client.
    pub fn code(&self, index: usize) -> i32 {
        match self.answer(index) {
            Ok(Answer::Reply(message)) => i32::from(Header::result_of(message).0),
            Ok(Answer::Failed(error)) => error.kind().code(),
            Ok(Answer::Late) => LATE,
            Err(error) => error.kind().code(),
        }
    }

    /// The outcome of row `index`, once the batch is complete. A missing or filtered record is
    /// never a failure.
    #[inline]
    pub fn outcome(&self, index: usize) -> RowOutcome<'_> {
        let message = match self.answer(index) {
            Ok(Answer::Reply(message)) => message,
            Ok(Answer::Late) => return RowOutcome::Late,
            _ => return RowOutcome::Failed,
        };
        match judge_row(Header::result_of(message)) {
            Judgement::Present => RowOutcome::Record(message),
            Judgement::Absent => RowOutcome::Absent,
            Judgement::Failed => RowOutcome::Failed,
        }
    }

    /// The contents of row `index`, once the batch is complete.
    #[inline]
    pub fn contents(&self, index: usize) -> RowContents<'_> {
        match self.outcome(index) {
            RowOutcome::Record(message) => match Walk::begin(message) {
                Ok((header, walk)) => RowContents::Record(header, walk),
                Err(_) => RowContents::Failed,
            },
            RowOutcome::Absent => RowContents::NoRecord,
            RowOutcome::Failed => RowContents::Failed,
            RowOutcome::Late => RowContents::Late,
        }
    }

    /// The contents of every row: see [`Self::contents`].
    pub fn all_contents(&self) -> impl Iterator<Item = RowContents<'_>> {
        (0..self.len()).map(|index| self.contents(index))
    }

    /// The message with the record of row `index`, if there is one, or the error of the row; that
    /// of a late row says so.
    pub fn record(&self, index: usize) -> Result<Option<&[u8]>> {
        match self.outcome(index) {
            RowOutcome::Record(message) => Ok(Some(message)),
            RowOutcome::Absent => Ok(None),
            RowOutcome::Failed | RowOutcome::Late => Err(self.failure(index)),
        }
    }

    /// The result code of every row: see [`Self::code`].
    pub fn codes(&self) -> impl Iterator<Item = i32> {
        (0..self.len()).map(|index| self.code(index))
    }

    /// How many rows have a record.
    pub fn record_count(&self) -> usize {
        self.codes().filter(|code| *code == 0).count()
    }

    /// The rows that failed. Missing records and late rows are not failures.
    pub fn failures(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|index| self.is_failure(*index))
    }

    /// The rows that did not succeed and may have been written nevertheless.
    pub fn doubts(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|index| self.is_in_doubt(*index))
    }

    /// The error of row `index`, which failed.
    pub fn failure(&self, index: usize) -> Error {
        self.error(index).unwrap_or_else(|| self.unreadable(index, "the row has no answer"))
    }

    /// Whether row `index` failed.
    pub fn is_failure(&self, index: usize) -> bool {
        matches!(self.outcome(index), RowOutcome::Failed)
    }

    /// The error of row `index`: what happened, on which node, after how many attempts, and whether
    /// it may nevertheless have been applied. `None` if the row succeeded.
    pub fn error(&self, index: usize) -> Option<Error> {
        let row = &self.rows[index];
        match &row.state {
            RowState::Answered(body, range) => {
                let message = self.message(*body, range);
                let code = Header::result_of(message);
                let body = &self.bodies[*body as usize];
                let error = || Error::replied(message).on(body.node.to_string());
                (code != ResultCode::OK).then(|| error().after(body.attempts, row.doubt))
            }
            _ => match self.answer(index) {
                Ok(Answer::Failed(error)) => Some(error.clone()),
                Ok(Answer::Late) => Some(self.late_error()),
                Ok(Answer::Reply(_)) => None,
                Err(error) => Some(error),
            },
        }
    }

    /// The error for an unreadable reply to row `index`.
    pub fn unreadable(&self, index: usize, why: &str) -> Error {
        let row = &self.rows[index];
        let error = Error::new(Kind::Malformed, why);
        match &row.state {
            RowState::Answered(body, _) => {
                let body = &self.bodies[*body as usize];
                error.on(body.node.to_string()).after(body.attempts, row.doubt)
            }
            _ => error,
        }
    }

    /// Whether row `index` may have been written although it did not succeed.
    pub fn is_in_doubt(&self, index: usize) -> bool {
        self.rows[index].doubt && self.code(index) != 0
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.bodies.drain(..).for_each(|body| buffer::give(body.bytes));
    }
}
