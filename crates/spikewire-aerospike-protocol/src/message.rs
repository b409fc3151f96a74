//! The binary message: a 22-byte header, then fields, then operations.
//!
//! A reply frame may hold several messages back to back (batch, query); a request holds one.

use crate::Malformed;
use crate::result_code::ResultCode;

/// Bytes in a message header.
pub const HEADER_LEN: usize = 22;
/// Offset of the result code in it.
const RESULT_AT: usize = 5;
/// Offset of a request's timeout in it.
pub const TIMEOUT_AT: usize = 14;
/// Offset of the number of fields, in two bytes.
pub const FIELDS_AT: usize = 18;

/// Flags of the first info byte.
pub mod info1 {
    /// The command reads.
    pub const READ: u8 = 0x01;
    /// Return all bins.
    pub const GET_ALL: u8 = 0x02;
    /// A query that expects few records.
    pub const SHORT_QUERY: u8 = 0x04;
    /// A batch parent.
    pub const BATCH: u8 = 0x08;
    /// Metadata only.
    pub const NO_BINS: u8 = 0x20;
    /// AP namespaces: consult all replicas when there are duplicates.
    pub const READ_MODE_AP_ALL: u8 = 0x40;
    /// Ask for compressed replies.
    pub const COMPRESS_RESPONSE: u8 = 0x80;
}

/// Flags of the second info byte.
pub mod info2 {
    /// The command writes.
    pub const WRITE: u8 = 0x01;
    /// Delete the record (needs `WRITE` too).
    pub const DELETE: u8 = 0x02;
    /// Proceed only if the record's generation equals the header's.
    pub const GENERATION: u8 = 0x04;
    /// Proceed only if the header's generation is greater than the record's.
    pub const GENERATION_GT: u8 = 0x08;
    /// Leave a tombstone (Enterprise).
    pub const DURABLE_DELETE: u8 = 0x10;
    /// Fail with 5 if the record exists.
    pub const CREATE_ONLY: u8 = 0x20;
    /// One result operation per request operation.
    pub const RESPOND_ALL_OPS: u8 = 0x80;
}

/// Flags of the third info byte.
pub mod info3 {
    /// The final message of a multi-message reply.
    pub const LAST: u8 = 0x01;
    /// Reply once the master has committed, without waiting for the replicas.
    pub const COMMIT_MASTER: u8 = 0x02;
    /// Reply: partition finished; request: partition-done markers are understood.
    pub const PARTITION_DONE: u8 = 0x04;
    /// Fail with 2 if the record is missing; merge bins.
    pub const UPDATE_ONLY: u8 = 0x08;
    /// Discard existing bins.
    pub const CREATE_OR_REPLACE: u8 = 0x10;
    /// Fail with 2 if the record is missing; discard existing bins.
    pub const REPLACE_ONLY: u8 = 0x20;
    /// Strong-consistency read mode, low bit.
    pub const SC_READ_TYPE: u8 = 0x40;
    /// Strong-consistency read mode, high bit.
    pub const SC_READ_RELAX: u8 = 0x80;
}

/// Flags of the fourth info byte, most of them about transactions.
pub mod info4 {
    /// A read that only compares the record's version with the one sent.
    pub const VERIFY_READ: u8 = 0x01;
    /// The transaction's version of the record becomes the record.
    pub const ROLL_FORWARD: u8 = 0x02;
    /// The transaction's version of the record is dropped.
    pub const ROLL_BACK: u8 = 0x04;
    /// A write that must be the transaction's first one of the record.
    pub const LOCKING_ONLY: u8 = 0x10;
    /// Two bits: how much an error reply should say, see [`crate::error_details::DetailLevel`].
    pub const ERROR_DETAILS: u8 = 0x60;
}

/// Field ids.
pub mod field {
    /// Namespace name.
    pub const NAMESPACE: u8 = 0;
    /// Set name.
    pub const SET: u8 = 1;
    /// User key: particle type, then the bytes that were hashed.
    pub const KEY: u8 = 2;
    /// Version of a record, 7 bytes that only a server interprets (Enterprise).
    pub const RECORD_VERSION: u8 = 3;
    /// 20-byte digest.
    pub const DIGEST: u8 = 4;
    /// Transaction id, u64 little-endian (Enterprise).
    pub const TRANSACTION: u8 = 5;
    /// When the transaction expires by the server's clock, u32 little-endian (Enterprise).
    pub const DEADLINE: u8 = 6;
    /// Query or job id.
    pub const TASK_ID: u8 = 7;
    /// Socket timeout of a query, ms.
    pub const SOCKET_TIMEOUT: u8 = 9;
    /// Records per second.
    pub const RECORDS_PER_SECOND: u8 = 10;
    /// Partition ids, u16 little-endian each.
    pub const PARTITIONS: u8 = 11;
    /// Digests to resume after.
    pub const DIGESTS: u8 = 12;
    /// Most records to return.
    pub const MAX_RECORDS: u8 = 13;
    /// Index values to resume after, u64 little-endian each; in a record returned by a query: its
    /// own.
    pub const INDEX_VALUES: u8 = 15;
    /// Name of the index to use.
    pub const INDEX_NAME: u8 = 21;
    /// Index range of a query.
    pub const INDEX_RANGE: u8 = 22;
    /// Path to the nested list or map that is indexed.
    pub const INDEX_CONTEXT: u8 = 23;
    /// Expression that is indexed.
    pub const INDEX_EXPRESSION: u8 = 24;
    /// Which part of a list or map is indexed.
    pub const INDEX_TYPE: u8 = 26;
    /// User-defined function: module.
    pub const UDF_PACKAGE: u8 = 30;
    /// User-defined function: name.
    pub const UDF_FUNCTION: u8 = 31;
    /// User-defined function: list of arguments.
    pub const UDF_ARGUMENTS: u8 = 32;
    /// User-defined function over many records: 1 aggregation, 2 background job.
    pub const UDF_OP: u8 = 33;
    /// Names of bins to return (an older form of read operations).
    pub const BINS: u8 = 40;
    /// Batch rows.
    pub const BATCH: u8 = 41;
    /// Filter expression.
    pub const FILTER: u8 = 43;
    /// Filter of a query as text, and flags; see [`crate::query::text`].
    pub const TEXT_FILTER: u8 = 44;
    /// In an error reply: what the server says beyond the result code.
    pub const ERROR_DETAILS: u8 = 45;
}

/// Operation codes.
pub mod op {
    /// Read a bin; empty name with `GET_ALL`: all bins.
    pub const READ: u8 = 1;
    /// Write a bin; a null particle removes it.
    pub const WRITE: u8 = 2;
    /// List or map read.
    pub const CDT_READ: u8 = 3;
    /// List or map modify.
    pub const CDT_MODIFY: u8 = 4;
    /// Add a number.
    pub const ADD: u8 = 5;
    /// Expression read.
    pub const EXP_READ: u8 = 7;
    /// Expression write.
    pub const EXP_MODIFY: u8 = 8;
    /// Append text or bytes.
    pub const APPEND: u8 = 9;
    /// Prepend text or bytes.
    pub const PREPEND: u8 = 10;
    /// Refresh the expiry.
    pub const TOUCH: u8 = 11;
    /// Bit read.
    pub const BITS_READ: u8 = 12;
    /// Bit modify.
    pub const BITS_MODIFY: u8 = 13;
    /// Delete the record.
    pub const DELETE: u8 = 14;
    /// `HyperLogLog` read.
    pub const HLL_READ: u8 = 15;
    /// `HyperLogLog` modify.
    pub const HLL_MODIFY: u8 = 16;
    /// String read.
    pub const STRING_READ: u8 = 17;
    /// String modify.
    pub const STRING_MODIFY: u8 = 18;
    /// Read a bin as text.
    pub const TO_STRING: u8 = 19;

    /// Whether an operation only reads.
    #[inline]
    pub const fn reads(code: u8) -> bool {
        matches!(code, READ | CDT_READ | EXP_READ | BITS_READ | HLL_READ | STRING_READ | TO_STRING)
    }
}

/// A message header, for requests and replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Header {
    /// See [`info1`].
    pub info1: u8,
    /// See [`info2`].
    pub info2: u8,
    /// See [`info3`].
    pub info3: u8,
    /// See [`info4`].
    pub info4: u8,
    /// Reply: result code.
    pub result: u8,
    /// Request: expected generation; reply: the record's.
    pub generation: u32,
    /// Request: expiration; reply: void time (seconds since 2010, 0 = never).
    pub ttl: u32,
    /// Request: server-side timeout in ms; batch reply: row index.
    pub timeout: u32,
    /// Fields that follow.
    pub fields: u16,
    /// Operations after the fields.
    pub ops: u16,
}

impl Header {
    /// Reads a header from the start of a message body.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let head = body
            .first_chunk::<HEADER_LEN>()
            .ok_or(Malformed::new("message header", Malformed::CUT))?;
        let word =
            |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        Ok(Self {
            info1: head[1],
            info2: head[2],
            info3: head[3],
            info4: head[4],
            result: head[RESULT_AT],
            generation: word(6),
            ttl: word(10),
            timeout: word(TIMEOUT_AT),
            fields: half(18),
            ops: half(20),
        })
    }

    /// The result code of a reply message, without parsing its header.
    ///
    /// # Panics
    ///
    /// If the message is shorter than a header.
    #[inline]
    pub fn result_of(message: &[u8]) -> ResultCode {
        ResultCode(message[RESULT_AT])
    }

    /// The 22 bytes of this header.
    #[inline]
    pub fn to_bytes(&self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[0] = HEADER_LEN as u8;
        bytes[1] = self.info1;
        bytes[2] = self.info2;
        bytes[3] = self.info3;
        bytes[4] = self.info4;
        bytes[RESULT_AT] = self.result;
        bytes[6..10].copy_from_slice(&self.generation.to_be_bytes());
        bytes[10..14].copy_from_slice(&self.ttl.to_be_bytes());
        bytes[TIMEOUT_AT..TIMEOUT_AT + 4].copy_from_slice(&self.timeout.to_be_bytes());
        bytes[18..20].copy_from_slice(&self.fields.to_be_bytes());
        bytes[20..22].copy_from_slice(&self.ops.to_be_bytes());
        bytes
    }
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// See [`field`].
    pub id: u8,
    /// Its data.
    pub data: &'a [u8],
}

/// One operation of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op<'a> {
    /// See [`op`].
    pub code: u8,
    /// Particle type of the value.
    pub particle: u8,
    /// Bin name.
    pub name: &'a [u8],
    /// The value's particle bytes.
    pub value: &'a [u8],
}

/// A message whose fields and operations have been checked to fit its body.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The header.
    pub header: Header,
    fields: &'a [u8],
    ops: &'a [u8],
}

impl<'a> Message<'a> {
    /// Reads one message from the start of `bytes` and returns the number of bytes it took.
    pub fn parse(bytes: &'a [u8]) -> Result<(Self, usize), Malformed> {
        let header = Header::parse(bytes)?;
        let (fields, ops, used) = split_parts(&bytes[HEADER_LEN..], header.fields, header.ops)?;
        Ok((Self { header, fields, ops }, HEADER_LEN + used))
    }

    /// Reads a message that [`Message::parse`] has accepted and that takes up all of `bytes`; its
    /// operations are not checked again.
    pub fn again(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (header, walk) = Walk::begin(bytes)?;
        Ok(Self { header, fields: &bytes[HEADER_LEN..walk.at], ops: &bytes[walk.at..] })
    }

    /// Its fields, in wire order.
    pub fn fields(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        fields_in(self.fields)
    }

    /// The data of the first field with this id.
    pub fn field(&self, id: u8) -> Option<&'a [u8]> {
        self.fields().find(|field| field.id == id).map(|field| field.data)
    }

    /// Its operations, in wire order.
    pub fn ops(&self) -> impl Iterator<Item = Op<'a>> + use<'a> {
        ops_in(self.ops)
    }
}

/// A message whose operations are checked while they are read, for readers that need a single pass.
#[derive(Debug, Clone)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u16,
}

impl<'a> Walk<'a> {
    /// Reads the header of the message at the start of `bytes` and skips its fields.
    pub fn begin(bytes: &'a [u8]) -> Result<(Header, Self), Malformed> {
        let header = Header::parse(bytes)?;
        let mut at = HEADER_LEN;
        for _ in 0..header.fields {
            at += read_field(&bytes[at..])?.1;
        }
        Ok((header, Self { bytes, at, left: header.ops }))
    }

    /// Iterates over `count` operations without a message.
    pub fn over(ops: &'a [u8], count: u16) -> Self {
        Self { bytes: ops, at: 0, left: count }
    }

    /// The next operation; `None` after the last one.
    #[allow(clippy::should_implement_trait)] // fallible
    #[inline]
    pub fn next(&mut self) -> Result<Option<Op<'a>>, Malformed> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let (op, used) = read_op(&self.bytes[self.at..])?;
        self.at += used;
        Ok(Some(op))
    }

    /// Skips the remaining operations and returns the length of the message.
    pub fn finish(mut self) -> Result<usize, Malformed> {
        while self.next()?.is_some() {}
        Ok(self.at)
    }
}

/// Checks `fields` fields and `ops` operations at the start of `bytes`. Returns the bytes of each
/// and their total length.
pub fn split_parts(
    bytes: &[u8],
    fields: u16,
    ops: u16,
) -> Result<(&[u8], &[u8], usize), Malformed> {
    let mut at = 0;
    for _ in 0..fields {
        at += read_field(&bytes[at..])?.1;
    }
    let fields_end = at;
    for _ in 0..ops {
        at += read_op(&bytes[at..])?.1;
    }
    Ok((&bytes[..fields_end], &bytes[fields_end..at], at))
}

/// The fields in bytes checked by [`split_parts`].
pub fn fields_in(bytes: &[u8]) -> impl Iterator<Item = Field<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (field, used) = read_field(rest).ok()?;
        rest = &rest[used..];
        Some(field)
    })
}

/// The operations in bytes checked by [`split_parts`].
pub fn ops_in(bytes: &[u8]) -> impl Iterator<Item = Op<'_>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (op, used) = read_op(rest).ok()?;
        rest = &rest[used..];
        Some(op)
    })
}

/// Appends a field.
#[inline]
pub fn write_field(out: &mut Vec<u8>, id: u8, data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32 + 1).to_be_bytes());
    out.push(id);
    out.extend_from_slice(data);
}

/// Appends an operation with an encoded value. The caller guarantees that the name has at most 255
/// bytes.
pub fn write_op(out: &mut Vec<u8>, code: u8, name: &[u8], particle: u8, value: &[u8]) {
    debug_assert!(u8::try_from(name.len()).is_ok(), "operation name too long");
    out.extend_from_slice(&((4 + name.len() + value.len()) as u32).to_be_bytes());
    out.extend_from_slice(&[code, particle, 0, name.len() as u8]);
    out.extend_from_slice(name);
    out.extend_from_slice(value);
}

/// Starts an operation whose value is encoded in place; [`finish_op`] completes it. The name has at
/// most 255 bytes.
pub fn begin_op(out: &mut Vec<u8>, code: u8, name: &[u8]) -> usize {
    debug_assert!(u8::try_from(name.len()).is_ok(), "operation name too long");
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, code, 0, 0, name.len() as u8]);
    out.extend_from_slice(name);
    start
}

/// Fills in length and particle type of the operation that [`begin_op`] opened at `start`.
pub fn finish_op(out: &mut [u8], start: usize, particle: u8) {
    let len = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&len.to_be_bytes());
    out[start + 5] = particle;
}

pub(crate) fn read_field(bytes: &[u8]) -> Result<(Field<'_>, usize), Malformed> {
    let short = Malformed::new("field", Malformed::CUT);
    let head = bytes.first_chunk::<5>().ok_or(short.clone())?;
    let len = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if len == 0 {
        return Err(Malformed::new("field", "length 0"));
    }
    let data = bytes.get(5..4 + len).ok_or(short)?;
    Ok((Field { id: head[4], data }, 4 + len))
}

#[inline]
fn read_op(bytes: &[u8]) -> Result<(Op<'_>, usize), Malformed> {
    let short = Malformed::new("operation", Malformed::CUT);
    let head = bytes.first_chunk::<8>().ok_or(short.clone())?;
    let len = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    // Bit 0 of the flags announces an 8-byte last-update time between name and value.
    let stamp = if head[6] & 1 == 0 { 0 } else { 8 };
    let name_end = 8 + head[7] as usize;
    if len < 4 || 4 + len < name_end + stamp {
        return Err(Malformed::new("operation", "name longer than the operation"));
    }
    let end = 4 + len;
    let body = bytes.get(..end).ok_or(short)?;
    let op = Op {
        code: head[4],
        particle: head[5],
        name: &body[8..name_end],
        value: &body[name_end + stamp..],
    };
    Ok((op, end))
}
