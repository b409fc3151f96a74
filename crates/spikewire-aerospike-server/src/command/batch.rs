//! Batches: many single-record commands in one request, whose reply consists of a few frames of
//! many messages.
//!
//! Rows are run in order, each as soon as it is parsed. An invalid row therefore does not undo the
//! rows before it; only replies that were not yet in a complete block are lost.
//!
//! A long batch is run in slices ([`super::stream`]): its rows wait while the client is slow to
//! read earlier replies.

use spikewire_aerospike_protocol::batch::{Position, Row, Rows, flag};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::{self, HEADER_LEN, Header, field, info1, info3, info4};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::reply::Reply;
use super::request::Request;
use super::stream::{SLICE, StreamedReply};
use super::{Context, Progress, Target, features};
use crate::record::clock::Moment;
use crate::turn::NextTurn;

/// Maximum body length of a frame with more than one reply.
pub const BLOCK: usize = 131_032;
/// Number of rows after which a batch ends its turn.
const ROWS: usize = 1000;
/// The older id of the field with the rows.
const BATCH_WITH_SET: u8 = 42;
/// Offset of the result code in a message header.
const RESULT_AT: usize = 5;

/// Whether a request is a batch.
pub fn is_batch(body: &[u8]) -> bool {
    body.len() >= HEADER_LEN && body[1] & info1::BATCH != 0
}

/// Settings for all rows.
struct Parent<'a> {
    /// Read modes for rows without their own.
    modes: u8,
    /// The filter for rows without their own.
    filter: Option<&'a [u8]>,
    /// How much errors of rows say that do not ask for anything themselves.
    details: u8,
}

/// A batch with remaining rows after its turn.
#[derive(Debug)]
pub struct Rest {
    node: usize,
    body: Vec<u8>,
    position: Position,
    block: Block,
    /// The open block, including its frame header.
    open: Vec<u8>,
    /// Whether the function of the next row takes long.
    needs_time: bool,
}

/// Where a batch ended its turn.
struct Pause {
    position: Position,
    /// Whether the function of the next row takes long.
    needs_time: bool,
}

/// What came of a row.
enum RowOutcome {
    Replied,
    /// It was not run: its function takes long.
    NeedsTime,
    /// There was none.
    End,
}

impl Context {
    /// Runs the rows of the batch in `body` and appends the replies and the end; returns the rest
    /// if the batch takes more than one turn.
    pub(super) fn batch(
        &mut self,
        node: usize,
        body: &[u8],
        now: Moment,
        out: &mut Vec<u8>,
    ) -> Option<Box<dyn StreamedReply>> {
        let Some((parent, rows)) = open(body) else {
            self.reject_with_last(Reply::begin(out), ResultCode::PARAMETER);
            return None;
        };
        let features = self.state.nodes[node].features;
        let filter = features::check_filter(features, parent.filter);
        let filter =
            filter.and_then(|()| parent.filter.map(|it| self.filters.read(it)).transpose());
        if let Err(code) = filter {
            self.reject_with_last(Reply::begin(out), code);
            return None;
        }
        let Some(mut rows) =
            rows.and_then(|rows| Rows::parse(rows).ok()).filter(|rows| rows.left() > 0)
        else {
            self.reject_with_last(Reply::begin(out), ResultCode::PARAMETER);
            return None;
        };
        let mut blocks = Blocks::new(out, Block::new(rows.flags));
        let Pause { position, needs_time } =
            self.rows(node, &parent, &mut rows, now, &mut blocks)?;
        let (block, open) = blocks.pause();
        let rest = Rest { node, body: body.to_vec(), position, block, open, needs_time };
        Some(Box::new(rest))
    }

    /// Continues a batch.
    fn resume_batch(&mut self, rest: &mut Rest, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        let Rest { node, body, position, block, open: start, needs_time } = rest;
        self.resumes = std::mem::take(needs_time);
        let Some((parent, Some(rows))) = open(body) else { return NextTurn::Never };
        let Ok(mut rows) = Rows::resume(rows, *position) else { return NextTurn::Never };
        let mut blocks = Blocks::resume(out, *block, start);
        let Some(pause) = self.rows(*node, &parent, &mut rows, now, &mut blocks) else {
            return NextTurn::Never;
        };
        (*block, *start) = blocks.pause();
        (*position, *needs_time) = (pause.position, pause.needs_time);
        NextTurn::Soon
    }

    /// Runs rows until the turn is over; returns where, unless the reply is complete. It ends after
    /// the last row, or one that cannot be parsed.
    fn rows(
        &mut self,
        node: usize,
        parent: &Parent<'_>,
        rows: &mut Rows<'_>,
        now: Moment,
        blocks: &mut Blocks<'_>,
    ) -> Option<Pause> {
        let first = blocks.start;
        for _ in 0..ROWS {
            let position = rows.position();
            if blocks.start - first >= SLICE {
                return Some(Pause { position, needs_time: false });
            }
            let outcome = match self.row(node, parent, rows, now, blocks) {
                Ok(RowOutcome::Replied) => continue,
                Ok(RowOutcome::NeedsTime) => return Some(Pause { position, needs_time: true }),
                Ok(RowOutcome::End) => Ok(()),
                Err(code) => Err(code),
            };
            let code = blocks.finish(outcome);
            if code != ResultCode::OK {
                self.counters.count_error(code);
            }
            Reply::begin(blocks.out).last(code);
            return None;
        }
        Some(Pause { position: rows.position(), needs_time: false })
    }

    /// Runs the next row.
    fn row(
        &mut self,
        node: usize,
        parent: &Parent<'_>,
        rows: &mut Rows<'_>,
        now: Moment,
        blocks: &mut Blocks<'_>,
    ) -> Result<RowOutcome, ResultCode> {
        let Some(row) = rows.next().map_err(|_| ResultCode::PARAMETER)? else {
            return Ok(RowOutcome::End);
        };
        let request = request(&row, parent).ok_or(ResultCode::PARAMETER)?;
        let state = self.state.clone();
        let namespace = state.namespace(request.namespace);
        let (index, namespace) = namespace.ok_or(ResultCode::PARAMETER)?;
        let set = self.find_set(index, namespace, request.set);
        let target = Target { node, namespace, request: &request, set, now, filter: None };
        let progress = blocks.add(|out| self.run_single(&target, Reply::row(out, row.index)));
        Ok(match progress {
            Progress::Replied => RowOutcome::Replied,
            Progress::NeedsTime => RowOutcome::NeedsTime,
        })
    }
}

impl StreamedReply for Rest {
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        context.resume_batch(self, now, out)
    }

    fn needs_time(&self) -> bool {
        self.needs_time
    }
}

/// The fields of a batch request: settings for all rows, and the rows if there are any. Anything
/// after the fields is ignored.
fn open(body: &[u8]) -> Option<(Parent<'_>, Option<&[u8]>)> {
    let header = Header::parse(body).ok()?;
    let (fields, _, _) = message::split_parts(&body[HEADER_LEN..], header.fields, 0).ok()?;
    let modes = header.info3 & (info3::SC_READ_TYPE | info3::SC_READ_RELAX);
    let mut parent = Parent { modes, filter: None, details: header.info4 & info4::ERROR_DETAILS };
    let mut rows = None;
    for field in message::fields_in(fields) {
        match field.id {
            field::BATCH | BATCH_WITH_SET => rows = rows.or(Some(field.data)),
            field::FILTER => parent.filter = Some(field.data),
            _ => {}
        }
    }
    Some((parent, rows))
}

/// Converts a row to a single-record request; `None` if it does not start with its namespace.
fn request<'a>(row: &Row<'a>, parent: &Parent<'a>) -> Option<Request<'a>> {
    if message::fields_in(row.fields).next()?.id != field::NAMESPACE {
        return None;
    }
    let mut request = Request::of(row.header, row.fields, row.ops);
    request.digest = Some(row.digest);
    request.filter = request.filter.or(parent.filter);
    if row.header.info2 == 0 && row.header.info3 == 0 {
        request.header.info3 = parent.modes;
    }
    if row.header.info4 & info4::ERROR_DETAILS == 0 {
        request.header.info4 |= parent.details;
    }
    Some(request)
}

/// The state of a batch's reply.
#[derive(Debug, Clone, Copy)]
struct Block {
    responds_all: bool,
    reports_error: bool,
    /// The first code that ends the reply.
    code: ResultCode,
    /// Whether the reply has ended; rows are run anyway.
    ended: bool,
}

impl Block {
    fn new(flags: u8) -> Self {
        Self {
            responds_all: flags & flag::RESPOND_ALL != 0,
            reports_error: flags & flag::REPORT_ERROR != 0,
            code: ResultCode::OK,
            ended: false,
        }
    }
}

/// Writes the replies of a batch into frames.
struct Blocks<'a> {
    out: &'a mut Vec<u8>,
    /// Where the frame of the open block starts; the end of the output if there is none.
    start: usize,
    block: Block,
}

impl<'a> Blocks<'a> {
    fn new(out: &'a mut Vec<u8>, block: Block) -> Self {
        let start = frame::begin(out, Kind::Message);
        Self { out, start, block }
    }

    /// Continues after [`Blocks::pause`].
    fn resume(out: &'a mut Vec<u8>, block: Block, open: &[u8]) -> Self {
        let start = out.len();
        out.extend_from_slice(open);
        Self { out, start, block }
    }

    /// Removes the open block from the output, since it may still be discarded.
    fn pause(self) -> (Block, Vec<u8>) {
        (self.block, self.out.split_off(self.start))
    }

    /// Adds the reply that `write` appends, if any.
    fn add(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Progress) -> Progress {
        let at = self.out.len();
        let progress = write(self.out);
        if progress == Progress::Replied {
            self.append(at);
        }
        progress
    }

    /// Takes over the reply that starts at `at`.
    fn append(&mut self, at: usize) {
        let code = ResultCode(self.out[at + RESULT_AT]);
        let first = self.start + frame::HEADER_LEN;
        if self.block.ended {
            self.out.truncate(at);
            return;
        }
        if at > first && self.out.len() - first > BLOCK {
            self.split(at);
        }
        if self.block.responds_all
            || self.block.ended
            || self.block.code != ResultCode::OK
            || goes_on(code)
        {
            return;
        }
        self.block.code = code;
        if !self.block.reports_error {
            self.out.truncate(self.start);
            self.block.ended = true;
        }
    }

    /// Ends the block at `at`; the reply there starts the next one.
    fn split(&mut self, at: usize) {
        self.close(at);
        let end = self.out.len();
        if self.block.code == ResultCode::OK {
            frame::begin(self.out, Kind::Message);
            self.out.copy_within(at..end, at + frame::HEADER_LEN);
        } else {
            self.out.truncate(at);
            self.block.ended = true;
        }
        self.start = at;
    }

    fn close(&mut self, end: usize) {
        let len = end - self.start - frame::HEADER_LEN;
        let header = frame::Header { kind: Kind::Message, len }.to_bytes();
        self.out[self.start..self.start + frame::HEADER_LEN].copy_from_slice(&header);
    }

    /// Closes the last block, unless parsing failed within it, and appends the result of the batch.
    fn finish(&mut self, outcome: Result<(), ResultCode>) -> ResultCode {
        if outcome.is_err() {
            self.out.truncate(self.start);
        } else if !self.block.ended {
            self.close(self.out.len());
        }
        outcome.err().unwrap_or(self.block.code)
    }
}

/// Whether a batch that does not respond to all rows continues after a row with this code.
fn goes_on(code: ResultCode) -> bool {
    matches!(code, ResultCode::OK | ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT)
}
