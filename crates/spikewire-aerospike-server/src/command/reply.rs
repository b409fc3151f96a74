//! Writes a reply frame at the end of a connection's output.

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::{self, HEADER_LEN, Header, field, info3, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::ReplyFields;

use crate::record::View;

/// Why a command was rejected, and the record metadata in its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// The code.
    pub code: ResultCode,
    /// The record's generation, 0 if no record was found.
    pub generation: u32,
    /// The record's void time, 0 if no record was found.
    pub void_time: u32,
}

impl From<ResultCode> for Rejection {
    fn from(code: ResultCode) -> Self {
        Self { code, generation: 0, void_time: 0 }
    }
}

impl Rejection {
    /// A rejection with the record's generation and void time, if there is a record.
    pub fn at(code: ResultCode, record: Option<View<'_>>) -> Self {
        record.map_or(code.into(), |record| Self {
            code,
            generation: u32::from(record.generation()),
            void_time: record.void_time(),
        })
    }
}

/// One reply. It ends with [`Reply::finish`] or a rejection.
#[derive(Debug)]
pub struct Reply<'a> {
    out: &'a mut Vec<u8>,
    /// Offset of its message header.
    start: usize,
    framed: bool,
    /// The batch row it answers.
    row: u32,
    ops: u16,
    /// What it says about a transaction.
    about: ReplyFields,
    /// What it says about a failure beyond the result code, encoded.
    details: Option<Vec<u8>>,
}

impl<'a> Reply<'a> {
    /// Starts a reply in a frame of its own at the end of `out`.
    pub fn begin(out: &'a mut Vec<u8>) -> Self {
        let start = out.len() + frame::HEADER_LEN;
        frame::begin(out, Kind::Message);
        out.extend_from_slice(&[0; HEADER_LEN]);
        Self {
            out,
            start,
            framed: true,
            row: 0,
            ops: 0,
            about: ReplyFields::default(),
            details: None,
        }
    }

    /// Starts the reply to a batch row at the end of `out`; others share its frame.
    pub fn row(out: &'a mut Vec<u8>, row: u32) -> Self {
        let start = out.len();
        out.extend_from_slice(&[0; HEADER_LEN]);
        Self {
            out,
            start,
            framed: false,
            row,
            ops: 0,
            about: ReplyFields::default(),
            details: None,
        }
    }

    /// Whether it answers a row of a batch.
    pub fn is_row(&self) -> bool {
        !self.framed
    }

    /// Removes a reply in a frame of its own, to be replaced by another one.
    pub fn withdraw(self) {
        self.out.truncate(self.start - frame::HEADER_LEN);
    }

    /// Sets what it says about a transaction, whether it succeeds or not.
    pub fn report(&mut self, about: ReplyFields) {
        self.about = about;
    }

    /// Sets what it says about a failure beyond the result code: the value of a field.
    pub fn explain(&mut self, details: Option<Vec<u8>>) {
        self.details = details;
    }

    /// Number of results so far.
    pub fn count(&self) -> u16 {
        self.ops
    }

    /// Appends a result.
    pub fn op(&mut self, code: u8, name: &[u8], particle: u8, value: &[u8]) {
        message::write_op(self.out, code, name, particle, value);
        self.ops += 1;
    }

    /// Appends encoded bins.
    pub fn bins(&mut self, count: u16, wire: &[u8]) {
        self.out.extend_from_slice(wire);
        self.ops += count;
    }

    /// Appends one encoded bin as the result of operation `code`.
    pub fn bin(&mut self, code: u8, wire: &[u8]) {
        let at = self.out.len();
        self.bins(1, wire);
        if code != op::READ {
            self.out[at + 4] = code;
        }
    }

    /// Rejects a reply that exceeds the size of a frame.
    pub fn check_length(&self) -> Result<(), ResultCode> {
        let len = self.out.len() - self.start;
        if len > frame::MAX_BODY { Err(ResultCode::RECORD_TOO_BIG) } else { Ok(()) }
    }

    /// Removes all results.
    pub fn clear(&mut self) {
        self.out.truncate(self.start + HEADER_LEN);
        self.ops = 0;
    }

    /// Removes the whole reply, as if it had not been started.
    pub fn discard(self) {
        let frame = if self.framed { frame::HEADER_LEN } else { 0 };
        self.out.truncate(self.start - frame);
    }

    /// Ends the reply with result 0.
    pub fn finish(self, generation: u16, void_time: u32) {
        let generation = u32::from(generation);
        self.close(&Header { generation, ttl: void_time, ..Header::default() });
    }

    /// Ends the reply with a rejection, without results.
    pub fn reject(mut self, rejection: &Rejection) {
        self.clear();
        self.close(&Header {
            result: rejection.code.0,
            generation: rejection.generation,
            ttl: rejection.void_time,
            ..Header::default()
        });
    }

    /// Ends a reply whose results describe a failure.
    pub fn fail(self, code: ResultCode, generation: u16, void_time: u32) {
        let generation = u32::from(generation);
        let header = Header { result: code.0, generation, ttl: void_time, ..Header::default() };
        self.close(&header);
    }

    /// Ends a reply of several messages with the last one; `code` is that of the whole reply.
    pub fn last(mut self, code: ResultCode) {
        self.clear();
        self.close(&Header { result: code.0, info3: info3::LAST, ..Header::default() });
    }

    fn close(self, header: &Header) {
        let mut header = Header { ops: self.ops, timeout: self.row, ..*header };
        if self.about != ReplyFields::default() || self.details.is_some() {
            let details = self.details.as_deref();
            header.fields = insert_fields(self.out, self.start + HEADER_LEN, &self.about, details);
        }
        self.out[self.start..self.start + HEADER_LEN].copy_from_slice(&header.to_bytes());
        if self.framed {
            frame::finish(self.out, self.start - frame::HEADER_LEN);
        }
    }
}

/// Inserts the fields before the results, which are there already; returns their number.
fn insert_fields(out: &mut Vec<u8>, at: usize, about: &ReplyFields, details: Option<&[u8]>) -> u16 {
    let results = out.split_off(at);
    let mut count = 0;
    if let Some(version) = &about.version {
        message::write_field(out, field::RECORD_VERSION, &version.0);
        count += 1;
    }
    if let Some(deadline) = about.deadline {
        message::write_field(out, field::DEADLINE, &deadline.to_le_bytes());
        count += 1;
    }
    if let Some(details) = details {
        message::write_field(out, field::ERROR_DETAILS, details);
        count += 1;
    }
    out.extend_from_slice(&results);
    count
}
