//! Many records in one call: rows grouped by node, sent side by side, gathered in input order.
//!
//! A [`Batch`] is pure bookkeeping. Its driver sends the [`Part`]s of a round, hands back what
//! came of each, and asks whether another round is due: only rows without an answer go again,
//! routed anew.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use spikewire_protocol::batch::{self as wire, Writer, flag};
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::{Header, Message, info3};
use spikewire_protocol::request::Request;
use spikewire_protocol::result_code::ResultCode;

use super::{Aim, Attempts, Command, Router, Target, deadline};
use crate::clock::Tick;
use crate::cluster::{Node, Snapshot};
use crate::error::{Error, Kind, Result};
use crate::options::{Policy, ReplicaPolicy};
use crate::transport::{Collect, Outcome, buffer};

/// Rows in one request to one node. Servers before 8.1 refuse more than 5,000.
const MOST_ROWS: usize = 5_000;

/// What is done to rows of one kind.
#[derive(Debug)]
pub struct RowKind {
    /// Flags, fields and operations.
    pub row: wire::Kind,
    /// Where the records are.
    pub namespace: Arc<str>,
    /// Whether it writes.
    pub write: bool,
}

#[derive(Debug)]
struct Row {
    digest: Digest,
    kind: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    /// To be sent in the next round; the error is why the last one brought no answer.
    Pending(Option<Error>),
    /// In a part that is under way.
    Sent,
    /// Answered: where in which buffer.
    Answered(u32, Range<usize>),
    /// Failed for good.
    Failed(Error),
}

/// What came of one row.
#[derive(Debug)]
pub enum Answer<'a> {
    /// The server's message.
    Reply(&'a [u8]),
    /// No answer, or one that was refused by the engine.
    Failed(&'a Error),
}

/// A batch on its way.
#[derive(Debug)]
pub struct Batch {
    kinds: Vec<RowKind>,
    rows: Vec<Row>,
    policy: Policy,
    deadline: Tick,
    rounds: u32,
    step: u32,
    /// What servers sent, kept for the caller to decode.
    bodies: Vec<Vec<u8>>,
}

/// The rows that one node gets in one request; the ticket of that request's command.
#[derive(Debug)]
pub struct Part {
    rows: Vec<u32>,
    /// A single row went as a single command: its reply is one plain message.
    single: bool,
    body: Vec<u8>,
}

impl Collect for Part {
    fn collect(&mut self, messages: &[u8]) {
        self.body.extend_from_slice(messages);
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
        let row = |(digest, kind)| Row { digest, kind, state: State::Pending(None) };
        Self {
            kinds,
            rows: rows.map(row).collect(),
            policy,
            deadline: deadline(&policy, now),
            rounds: 0,
            step: 0,
            bodies: Vec::new(),
        }
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The commands of the next round, one or more for each node that holds pending rows.
    pub fn round<T>(
        &mut self,
        router: &Router,
        snapshot: &Snapshot,
        now: Tick,
        start: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Vec<Command<T>> {
        self.rounds += 1;
        let mut groups: FxHashMap<u32, (Arc<Node>, Vec<u32>)> = FxHashMap::default();
        for (index, row) in self.rows.iter_mut().enumerate() {
            if !matches!(row.state, State::Pending(_)) {
                continue;
            }
            let kind = &self.kinds[row.kind as usize];
            let partition = row.digest.partition();
            let target = Target::record(kind.namespace.clone(), partition, kind.write);
            match router.choose(snapshot, &target, self.policy.replica, self.step) {
                Ok(node) => {
                    row.state = State::Sent;
                    let group = groups.entry(node.slot).or_insert_with(|| (node, Vec::new()));
                    group.1.push(index as u32);
                }
                Err(error) if error.kind() == Kind::NoNamespace => row.state = State::Failed(error),
                Err(error) => row.state = State::Pending(Some(error)),
            }
        }
        let mut commands = Vec::with_capacity(groups.len());
        for (node, rows) in groups.into_values() {
            for rows in rows.chunks(MOST_ROWS) {
                commands.push(self.command(&node, rows, now, start, &mut ticket));
            }
        }
        commands
    }

    fn command<T>(
        &self,
        node: &Arc<Node>,
        rows: &[u32],
        now: Tick,
        start: Tick,
        ticket: &mut impl FnMut(Part) -> T,
    ) -> Command<T> {
        let timeout = u32::try_from(self.deadline.since(now).as_millis()).unwrap_or(0);
        let mut bytes = buffer::take();
        let single = rows.len() == 1;
        let mut write = false;
        if let [index] = rows {
            let row = &self.rows[*index as usize];
            let kind = &self.kinds[row.kind as usize];
            write = kind.write;
            encode_single(&mut bytes, row, &kind.row, timeout);
        } else {
            let flags = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;
            let mut batch = Writer::begin(&mut bytes, timeout, flags);
            for index in rows {
                let row = &self.rows[*index as usize];
                let kind = &self.kinds[row.kind as usize];
                write |= kind.write;
                batch.row(*index, &row.digest, kind.row.as_bytes(), kind.row.is_repeatable());
            }
            batch.finish();
        }
        let policy = Policy { max_retries: 0, ..self.policy };
        let target = Target { aim: Aim::Node(node.clone()), write };
        let part = Part { rows: rows.to_vec(), single, body: buffer::take() };
        let attempts = Attempts { made: self.rounds - 1, ..Attempts::default() };
        let command = Command::new(bytes, target, policy, now, ticket(part));
        let (deadline, stream, rows) = (self.deadline, !single, rows.len());
        Command { start, deadline, stream, rows, attempts, ..command }
    }

    /// Takes what came of a part.
    pub fn finish(&mut self, mut part: Part, outcome: Outcome<'_>) {
        let error = match outcome {
            Ok(reply) => {
                part.body.extend_from_slice(reply.body);
                (!part.single && reply.code() != ResultCode::OK).then(|| reply.error())
            }
            Err(error) => Some(error),
        };
        let buffer = self.bodies.len() as u32;
        let mut at = 0;
        while let Some(Ok((message, used))) =
            part.body.get(at..).filter(|rest| !rest.is_empty()).map(Message::parse)
        {
            let index = if part.single { part.rows[0] } else { message.header.timeout };
            let is_row = part.single || message.header.info3 & info3::LAST == 0;
            // Only rows of this part may be answered by it.
            if is_row
                && let Some(row) = self.rows.get_mut(index as usize)
                && matches!(row.state, State::Sent)
                && part.rows.binary_search(&index).is_ok()
            {
                row.state = State::Answered(buffer, at..at + used);
            }
            at += used;
        }
        for index in &part.rows {
            let row = &mut self.rows[*index as usize];
            if matches!(row.state, State::Sent) {
                row.state = State::Pending(Some(error.clone().unwrap_or_else(|| {
                    let message = "the server ended the batch without an answer for this row";
                    Error::new(Kind::Malformed, message).after(self.rounds, true)
                })));
            }
        }
        self.bodies.push(part.body);
    }

    /// Whether another round is due, and when. Afterwards every row is answered, pending for that
    /// round, or failed for good.
    pub fn again(&mut self, now: Tick) -> Option<Tick> {
        let mut pending = false;
        let last = self.rounds > self.policy.max_retries || self.deadline <= now;
        for row in &mut self.rows {
            let write = self.kinds[row.kind as usize].write;
            let (error, doubt) = match &row.state {
                State::Pending(Some(error)) => (error.clone(), write && error.in_doubt()),
                State::Answered(buffer, range) => {
                    let code = ResultCode(self.bodies[*buffer as usize][range.start + 5]);
                    if !code.is_retryable() {
                        continue;
                    }
                    (Error::server(code), write && code == ResultCode::TIMEOUT)
                }
                _ => continue,
            };
            let hopeless = match error.kind() {
                Kind::Server(code) => !code.is_retryable(),
                Kind::Closed | Kind::Timeout | Kind::Invalid | Kind::Malformed => true,
                _ => false,
            };
            if last || hopeless || doubt && !self.policy.retry_in_doubt {
                let error = error.after(self.rounds, doubt);
                row.state = State::Failed(error);
            } else {
                row.state = State::Pending(Some(error.after(self.rounds, doubt)));
                pending = true;
            }
        }
        if !pending {
            return None;
        }
        let rotates = self.policy.replica != ReplicaPolicy::Master;
        let at = if rotates && self.step == 0 { now } else { now.after(self.policy.sleep) };
        self.step += u32::from(rotates);
        Some(at)
    }

    /// Appends the rows of another batch, both being over. Only what came of them is kept.
    pub fn absorb(&mut self, other: Self) {
        let first = self.bodies.len() as u32;
        self.kinds = Vec::new();
        self.bodies.extend(other.bodies.into_iter().map(|mut body| {
            body.shrink_to_fit();
            body
        }));
        self.rows.extend(other.rows.into_iter().map(|mut row| {
            if let State::Answered(buffer, _) = &mut row.state {
                *buffer += first;
            }
            row
        }));
    }

    /// What came of row `index`, once the batch is over.
    pub fn answer(&self, index: usize) -> Result<Answer<'_>> {
        match &self.rows[index].state {
            State::Answered(buffer, range) => {
                Ok(Answer::Reply(&self.bodies[*buffer as usize][range.clone()]))
            }
            State::Failed(error) | State::Pending(Some(error)) => Ok(Answer::Failed(error)),
            State::Sent | State::Pending(None) => {
                Err(Error::new(Kind::Invalid, "the batch is not over"))
            }
        }
    }

    /// The result code of row `index`: the server's, or a negative one of this client.
    pub fn code(&self, index: usize) -> i32 {
        match self.answer(index) {
            Ok(Answer::Reply(message)) => i32::from(message[5]),
            Ok(Answer::Failed(error)) => error.kind().code(),
            Err(error) => error.kind().code(),
        }
    }
}

/// A batch of one goes as what it is: a command on one record.
fn encode_single(bytes: &mut Vec<u8>, row: &Row, kind: &wire::Kind, timeout: u32) {
    let (header, fields, ops) = kind.parts();
    let mut request = Request::begin(bytes, &Header { timeout, ..header });
    request.encoded_fields(header.fields, fields);
    request.digest(&row.digest);
    request.encoded_ops(header.ops, ops);
    request.finish();
}
