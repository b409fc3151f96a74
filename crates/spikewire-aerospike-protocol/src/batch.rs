//! Batch rows: many records in one request. Encoding and decoding.
//!
//! Field 41 holds `count u32`, `flags u8`, then the rows. A row is `index u32`, `digest`, then its
//! *kind*: what to do with the record. A row of the same kind as the row before it says so in one
//! byte, so a batch of a single kind costs 25 bytes per record.

use crate::Malformed;
use crate::error_details::DetailLevel;
use crate::features::{self, DeepPlace};
use crate::frame;
use crate::key::Digest;
use crate::message::{self, Header, Walk, field, info1};
use crate::request::{Request, TooLarge, check};

/// Batch flags.
pub mod flag {
    /// The server may run rows that are in memory on the thread that received them.
    pub const INLINE: u8 = 0x01;
    /// The same of rows on devices.
    pub const INLINE_ON_DEVICES: u8 = 0x02;
    /// Continue after a row has failed.
    pub const RESPOND_ALL: u8 = 0x04;
    /// Report the row that ended the batch.
    pub const REPORT_ERROR: u8 = 0x08;
}

/// Row flags.
pub mod row_flag {
    /// Same kind as the previous row.
    pub const REPEAT: u8 = 0x01;
    /// The second and third info bytes follow the first.
    pub const INFO: u8 = 0x02;
    /// An expected generation follows.
    pub const GENERATION: u8 = 0x04;
    /// An expiration or read-touch percentage follows.
    pub const TTL: u8 = 0x08;
    /// A fourth info byte follows.
    pub const INFO4: u8 = 0x10;
}

/// What a batch has for a row, for readers that go over its bins.
#[derive(Debug)]
pub enum RowContents<'a> {
    /// A record: its header, and its bins yet to be parsed.
    Record(Header, Walk<'a>),
    /// The record does not exist, or the filter excluded it.
    NoRecord,
    /// An error, or a record that cannot be read.
    Failed,
    /// No reply came in time. Such a row has no values, whatever is done about failed ones.
    Late,
}

/// Bytes of a row without its kind: index and digest.
pub const ROW_LEN: usize = 24;
/// Overhead of a batch of one row: header, field header, index and digest. The same row sent as a
/// single-record command is smaller.
const AROUND_A_ROW: usize = message::HEADER_LEN + 10 + ROW_LEN;

/// Initial capacity that suffices for most kinds in addition to their address: flags, counts and a
/// few small operations.
const USUAL_LEN: usize = 96;

/// What to do with a record: the part of a row that can be shared by rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kind {
    bytes: Vec<u8>,
    counts_at: usize,
    ops_at: usize,
    fields: u16,
    ops: usize,
    /// A kind that contains a user key cannot be repeated.
    keyed: bool,
    /// Bytes of its last field, if only rows have that field: see [`Kind::row_field`].
    row_field: usize,
}

impl Kind {
    /// Starts a kind with this header's flags, generation and TTL; `address` is the namespace and
    /// set as [`crate::request::address`] encodes them.
    pub fn new(header: &Header, address: &[u8]) -> Self {
        let mut kind = Self::default();
        kind.restart(header, address);
        kind
    }

    /// Like [`Kind::new`], but reuses the buffer.
    pub fn restart(&mut self, header: &Header, address: &[u8]) {
        let mut flags = row_flag::INFO | row_flag::TTL;
        if header.info2 != 0 {
            flags |= row_flag::GENERATION;
        }
        if header.info4 != 0 {
            flags |= row_flag::INFO4;
        }
        self.open(header, flags, address);
    }

    /// Starts a kind about a transaction, which has a fourth info byte instead of generation and
    /// TTL.
    pub fn of_transaction(header: &Header, address: &[u8]) -> Self {
        let mut kind = Self::default();
        kind.open(header, row_flag::INFO | row_flag::INFO4, address);
        kind
    }

    fn open(&mut self, header: &Header, flags: u8, address: &[u8]) {
        self.bytes.clear();
        self.bytes.reserve(address.len() + USUAL_LEN);
        self.bytes.extend_from_slice(&[flags, header.info1, header.info2, header.info3]);
        if flags & row_flag::INFO4 != 0 {
            self.bytes.push(header.info4);
        }
        if flags & row_flag::GENERATION != 0 {
            self.bytes.extend_from_slice(&(header.generation as u16).to_be_bytes());
        }
        if flags & row_flag::TTL != 0 {
            self.bytes.extend_from_slice(&header.ttl.to_be_bytes());
        }
        self.counts_at = self.bytes.len();
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(address);
        self.ops_at = self.bytes.len();
        (self.fields, self.ops, self.keyed, self.row_field) = (2, 0, false, 0);
    }

    /// Where one of its values is nested too deep for newer servers.
    pub fn deep_place(&self) -> Option<DeepPlace<'_>> {
        let (fields, ops) =
            self.bytes[self.counts_at + 4..].split_at(self.ops_at - self.counts_at - 4);
        let mut fields = message::fields_in(fields);
        let arguments = fields.find(|field| field.id == field::UDF_ARGUMENTS);
        features::deep_place(arguments.map(|field| field.data), message::ops_in(ops))
    }

    /// Appends a field; all fields go before the operations.
    pub fn field(&mut self, id: u8, data: &[u8]) {
        message::write_field(&mut self.bytes, id, data);
        self.ops_at = self.bytes.len();
        self.fields += 1;
        self.keyed |= id == field::KEY;
    }

    /// Appends its last field, which the equivalent single-record request does not have.
    pub fn row_field(&mut self, id: u8, data: &[u8]) {
        self.field(id, data);
        self.row_field = data.len() + 5;
    }

    /// Appends fields that were encoded earlier.
    pub fn encoded_fields(&mut self, bytes: &[u8]) {
        message::fields_in(bytes).for_each(|field| self.field(field.id, field.data));
    }

    /// Appends operations that were encoded earlier.
    pub fn encoded_ops(&mut self, count: u16, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ops += usize::from(count);
    }

    /// Appends an operation without a value.
    pub fn op(&mut self, code: u8, name: &[u8]) {
        message::write_op(&mut self.bytes, code, name, 0, &[]);
        self.ops += 1;
    }

    /// Appends an operation whose value `write` encodes in place, returning its particle type.
    pub fn op_with<E>(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<u8, E>,
    ) -> Result<(), E> {
        let start = message::begin_op(&mut self.bytes, code, name);
        match write(&mut self.bytes) {
            Ok(particle) => {
                message::finish_op(&mut self.bytes, start, particle);
                self.ops += 1;
                Ok(())
            }
            Err(error) => {
                self.bytes.truncate(start);
                Err(error)
            }
        }
    }

    /// Number of operations so far.
    pub fn ops(&self) -> usize {
        self.ops
    }

    /// Fills in the counts and completes the kind. Fails if it exceeds what a server accepts, even
    /// as the only row.
    #[inline]
    pub fn finish(&mut self) -> Result<(), TooLarge> {
        check(self.ops, AROUND_A_ROW + self.bytes.len())?;
        let at = self.counts_at;
        self.bytes[at..at + 2].copy_from_slice(&self.fields.to_be_bytes());
        self.bytes[at + 2..at + 4].copy_from_slice(&(self.ops as u16).to_be_bytes());
        Ok(())
    }

    /// The parts of the equivalent single-record request: header with counts, fields, operations.
    pub fn parts(&self) -> (Header, &[u8], &[u8]) {
        let bytes = &self.bytes;
        let flags = bytes[0];
        let mut header = Header {
            info1: bytes[1],
            info2: bytes[2],
            info3: bytes[3],
            fields: self.fields - u16::from(self.row_field > 0),
            ops: self.ops as u16,
            ..Header::default()
        };
        let mut at = 4;
        if flags & row_flag::INFO4 != 0 {
            header.info4 = bytes[at];
            at += 1;
        }
        if flags & row_flag::GENERATION != 0 {
            header.generation = u32::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
            at += 2;
        }
        if flags & row_flag::TTL != 0 {
            let ttl = &bytes[at..at + 4];
            header.ttl = u32::from_be_bytes([ttl[0], ttl[1], ttl[2], ttl[3]]);
        }
        let fields = &bytes[self.counts_at + 4..self.ops_at - self.row_field];
        (header, fields, &bytes[self.ops_at..])
    }

    /// The kind of a row that does what the request in `body` does to one record, and that record.
    pub fn of_request(body: &[u8]) -> Result<(Self, Digest), Malformed> {
        let (header, fields, ops) = parts_of(body)?;
        let (address, rest) = fields.split_at(address_len(fields));
        let mut kind = Self::new(&header, address);
        let mut record = None;
        for field in message::fields_in(rest) {
            match field.id {
                field::DIGEST => record = field.data.try_into().ok().map(Digest),
                id => kind.field(id, field.data),
            }
        }
        kind.encoded_ops(header.ops, ops);
        let record = record.ok_or(Malformed::new("request", "no record"))?;
        Ok((kind, record))
    }

    /// Its namespace and set, encoded.
    pub fn address(&self) -> &[u8] {
        let (_, fields, _) = self.parts();
        &fields[..address_len(fields)]
    }

    /// Encodes the equivalent single-record request. The digest follows the address.
    pub fn request(
        &self,
        out: &mut Vec<u8>,
        digest: &Digest,
        timeout: u32,
    ) -> Result<(), TooLarge> {
        let (header, fields, ops) = self.parts();
        let (address, rest) = fields.split_at(address_len(fields));
        let mut request = Request::begin(out, &Header { timeout, ..header });
        request.encoded_fields(2, address);
        request.digest(digest);
        request.encoded_fields(header.fields - 2, rest);
        request.encoded_ops(usize::from(header.ops), ops);
        request.finish()
    }

    /// Writes the complete kind as encoded in a row whose error reply is to say this much, in the
    /// form with a fourth info byte. A kind that has this byte already is written as it is.
    pub fn ask(&self, level: DetailLevel, out: &mut Vec<u8>) {
        out.clear();
        match *self.bytes {
            [flags, info1, info2, info3, ref rest @ ..] if flags & row_flag::INFO4 == 0 => {
                let flags = flags | row_flag::INFO4;
                out.extend_from_slice(&[flags, info1, info2, info3, level.flags()]);
                out.extend_from_slice(rest);
            }
            _ => out.extend_from_slice(&self.bytes),
        }
    }

    /// The complete kind as encoded in a row.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the next row may refer to it with the repeat flag.
    pub fn is_repeatable(&self) -> bool {
        !self.keyed
    }
}

/// Length of the namespace and the set, which are the first two fields.
fn address_len(fields: &[u8]) -> usize {
    message::split_parts(fields, 2, 0).map_or(fields.len(), |(_, _, len)| len)
}

/// The header of a request, its fields and its operations.
fn parts_of(body: &[u8]) -> Result<(Header, &[u8], &[u8]), Malformed> {
    let header = Header::parse(body)?;
    let rest = &body[message::HEADER_LEN..];
    let (fields, ops, _) = message::split_parts(rest, header.fields, header.ops)?;
    Ok((header, fields, ops))
}

/// A batch request being written into a caller's buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    field_at: usize,
    rows: u32,
    /// Position of the kind that was last written in full, if it may be repeated.
    latest: Option<std::ops::Range<usize>>,
}

impl<'a> Writer<'a> {
    /// Starts a batch. `timeout` is the server's, in ms; `flags` are [`flag`]s.
    pub fn begin(out: &'a mut Vec<u8>, timeout: u32, flags: u8) -> Self {
        let start = frame::begin(out, frame::Kind::Message);
        let header = Header { info1: info1::BATCH, timeout, fields: 1, ..Header::default() };
        out.extend_from_slice(&header.to_bytes());
        let field_at = out.len();
        out.extend_from_slice(&[0, 0, 0, 0, field::BATCH, 0, 0, 0, 0, flags]);
        Self { out, start, field_at, rows: 0, latest: None }
    }

    /// Appends a row, whose reply will carry `index`.
    pub fn row(&mut self, index: u32, digest: &Digest, kind: &[u8], repeatable: bool) {
        self.out.extend_from_slice(&index.to_be_bytes());
        self.out.extend_from_slice(&digest.0);
        self.rows += 1;
        if self.latest.as_ref().is_some_and(|latest| self.out[latest.clone()] == *kind) {
            self.out.push(row_flag::REPEAT);
            return;
        }
        let start = self.out.len();
        self.out.extend_from_slice(kind);
        self.latest = repeatable.then_some(start..self.out.len());
    }

    /// Bytes written so far, including the frame header.
    pub fn len(&self) -> usize {
        self.out.len() - self.start
    }

    /// Whether no row has been written yet.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Fills in lengths and counts and completes the request. A request larger than a server
    /// accepts is rejected and removed from the buffer.
    pub fn finish(self) -> Result<(), TooLarge> {
        if let Err(error) = check(0, self.len() - frame::HEADER_LEN) {
            self.out.truncate(self.start);
            return Err(error);
        }
        let len = (self.out.len() - self.field_at - 4) as u32;
        let at = self.field_at;
        self.out[at..at + 4].copy_from_slice(&len.to_be_bytes());
        self.out[at + 5..at + 9].copy_from_slice(&self.rows.to_be_bytes());
        frame::finish(self.out, self.start);
        Ok(())
    }
}

/// One row as the server reads it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// Echoed in the reply.
    pub index: u32,
    /// The record.
    pub digest: Digest,
    /// Flags, generation, TTL and counts, as in a single-record request.
    pub header: Header,
    /// Its fields, encoded; the namespace must be the first.
    pub fields: &'a [u8],
    /// Its operations, encoded.
    pub ops: &'a [u8],
}

/// Reads the rows of field 41.
#[derive(Debug)]
pub struct Rows<'a> {
    data: &'a [u8],
    at: usize,
    left: u32,
    /// Batch flags.
    pub flags: u8,
    latest: Option<Row<'a>>,
    /// Position of the flags of the last row that may be repeated.
    latest_at: usize,
}

/// A position within the rows of a field, from which another reader of the same bytes can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    at: usize,
    left: u32,
    latest_at: Option<usize>,
}

impl<'a> Rows<'a> {
    /// Reads count and flags.
    pub fn parse(data: &'a [u8]) -> Result<Self, Malformed> {
        let head = data.first_chunk::<5>().ok_or(Malformed::new("batch", "no row count"))?;
        let left = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
        Ok(Self { data, at: 5, left, flags: head[4], latest: None, latest_at: 0 })
    }

    /// Continues at the position of another reader of the same bytes.
    pub fn resume(data: &'a [u8], position: Position) -> Result<Self, Malformed> {
        let mut rows = Self::parse(data)?;
        if let Some(at) = position.latest_at {
            rows.at = at;
            let [flags] = rows.take()?;
            rows.kind(0, Digest([0; 20]), flags, at)?;
        }
        (rows.at, rows.left) = (position.at, position.left);
        Ok(rows)
    }

    /// The current position.
    pub fn position(&self) -> Position {
        let latest_at = self.latest.map(|_| self.latest_at);
        Position { at: self.at, left: self.left, latest_at }
    }

    /// Where in the field the next row begins, with its index and digest.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Number of rows not read yet.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// The next row; `None` after the last one. After an error nothing more can be read.
    #[allow(clippy::should_implement_trait)] // fallible
    pub fn next(&mut self) -> Result<Option<Row<'a>>, Malformed> {
        if self.left == 0 {
            return Ok(None);
        }
        let index = u32::from_be_bytes(self.take()?);
        let digest = Digest(self.take()?);
        let flags_at = self.at;
        let [flags] = self.take()?;
        let row = if flags & row_flag::REPEAT != 0 {
            let latest = self.latest.ok_or(Malformed::new("batch row", "nothing to repeat"))?;
            Row { index, digest, ..latest }
        } else {
            self.kind(index, digest, flags, flags_at)?
        };
        self.left -= 1;
        Ok(Some(row))
    }

    fn kind(
        &mut self,
        index: u32,
        digest: Digest,
        flags: u8,
        flags_at: usize,
    ) -> Result<Row<'a>, Malformed> {
        let mut header = Header::default();
        [header.info1] = self.take()?;
        if flags & row_flag::INFO != 0 {
            [header.info2, header.info3] = self.take()?;
        }
        if flags & row_flag::INFO4 != 0 {
            [header.info4] = self.take()?;
        }
        if flags & row_flag::GENERATION != 0 {
            header.generation = u32::from(u16::from_be_bytes(self.take()?));
        }
        if flags & row_flag::TTL != 0 {
            header.ttl = u32::from_be_bytes(self.take()?);
        }
        // Old clients send a field count of 0 although the namespace is present.
        header.fields = u16::from_be_bytes(self.take()?).max(1);
        header.ops = u16::from_be_bytes(self.take()?);
        let rest = self.data.get(self.at..).unwrap_or_default();
        let (fields, ops, used) = message::split_parts(rest, header.fields, header.ops)?;
        let row = Row { index, digest, header, fields, ops };
        let keyed = message::fields_in(fields).any(|field| field.id == field::KEY);
        self.latest = (!keyed).then_some(row);
        self.latest_at = flags_at;
        self.at += used;
        Ok(row)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let rest = self.data.get(self.at..).unwrap_or_default();
        let head = rest.first_chunk().ok_or(Malformed::new("batch row", "cut short"))?;
        self.at += N;
        Ok(*head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{UserKey, digest};
    use crate::message::Message;
    use crate::request::address;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
    }

    fn get_all() -> Kind {
        let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
        let mut kind = Kind::new(&header, &address("test", "demo"));
        kind.finish().unwrap();
        kind
    }

    #[test]
    fn a_batch_of_two_gets_has_the_bytes_that_servers_accept() {
        let mut out = Vec::new();
        let kind = get_all();
        let flags = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;
        let mut batch = Writer::begin(&mut out, 1000, flags);
        for (index, key) in ["k1", "k2"].into_iter().enumerate() {
            let digest = digest("demo", &UserKey::Str(key));
            batch.row(index as u32, &digest, kind.as_bytes(), kind.is_repeatable());
        }
        batch.finish().unwrap();
        let expected = hex("02030000 0000006f 16080000 00000000 00000000 0000 000003e8 0001 0000
             00000055 29 00000002 0d
             00000000 b747f5854d0b33259928d0cfab7fad81d6abfbf6 0a03 0000 00000000 0002 0000
             00000005 00 74657374 00000005 01 64656d6f
             00000001 a933ee0e8f82c106697150d15e504f08b2b2e01d 01");
        assert_eq!(out, expected);
        let (message, _) = Message::parse(&out[8..]).unwrap();
        let mut rows = Rows::parse(message.field(field::BATCH).unwrap()).unwrap();
        assert_eq!((rows.left(), rows.flags), (2, flags));
        let first = rows.next().unwrap().unwrap();
        let second = rows.next().unwrap().unwrap();
        assert_eq!(rows.next(), Ok(None));
        assert_eq!((first.index, second.index), (0, 1));
        assert_eq!((first.header, first.fields), (second.header, second.fields));
        assert_eq!(first.header.info1, info1::READ | info1::GET_ALL);
    }

    #[test]
    fn a_row_with_a_key_is_not_repeated() {
        let mut kind = get_all();
        kind.restart(&Header { info2: 1, ..Header::default() }, &address("test", "demo"));
        kind.field(field::KEY, b"\x03k1");
        kind.finish().unwrap();
        let mut out = Vec::new();
        let mut batch = Writer::begin(&mut out, 0, 0);
        let digest = Digest([7; 20]);
        batch.row(0, &digest, kind.as_bytes(), kind.is_repeatable());
        batch.row(1, &digest, kind.as_bytes(), kind.is_repeatable());
        batch.finish().unwrap();
        let (message, _) = Message::parse(&out[8..]).unwrap();
        let mut rows = Rows::parse(message.field(field::BATCH).unwrap()).unwrap();
        assert!(rows.next().unwrap().is_some_and(|row| row.header.generation == 0));
        assert!(rows.next().unwrap().is_some());
    }

    #[test]
    fn a_reader_resumes_from_any_row() {
        let mut out = Vec::new();
        let mut batch = Writer::begin(&mut out, 0, 0);
        let (plain, mut keyed) = (get_all(), get_all());
        keyed.restart(&Header { info2: 1, ..Header::default() }, &address("test", "demo"));
        keyed.field(field::KEY, b"\x03k1");
        keyed.finish().unwrap();
        for at in 0..9 {
            let kind = if at == 4 { &keyed } else { &plain };
            batch.row(at, &Digest([at as u8; 20]), kind.as_bytes(), kind.is_repeatable());
        }
        batch.finish().unwrap();
        let (message, _) = Message::parse(&out[8..]).unwrap();
        let data = message.field(field::BATCH).unwrap();
        let all = |mut rows: Rows<'_>| {
            let mut parsed = Vec::new();
            while let Some(row) = rows.next().unwrap() {
                parsed.push((row.index, row.digest, row.header, row.fields.len()));
            }
            parsed
        };
        let whole = all(Rows::parse(data).unwrap());
        assert_eq!(whole.len(), 9);
        let mut rows = Rows::parse(data).unwrap();
        for at in 0..=9 {
            assert_eq!(all(Rows::resume(data, rows.position()).unwrap()), whole[at..]);
            assert_eq!(rows.next().unwrap().is_some(), at < 9);
        }
        assert!(Rows::resume(&data[..40], rows.position()).is_err());
    }

    #[test]
    fn a_row_kind_splits_into_header_fields_and_operations() {
        let header = Header { info2: 1, info3: 8, generation: 7, ttl: 60, ..Header::default() };
        let mut kind = Kind::new(&header, &address("test", "demo"));
        kind.op(message::op::TOUCH, b"");
        kind.finish().unwrap();
        let (parts, fields, ops) = kind.parts();
        assert_eq!(parts, Header { fields: 2, ops: 1, ..header });
        assert_eq!(fields, address("test", "demo"));
        assert_eq!(message::ops_in(ops).map(|op| op.code).collect::<Vec<_>>(), [11]);
    }

    /// The row of a write in a transaction, as other clients send it.
    #[test]
    fn a_row_has_a_fourth_info_byte_only_if_it_is_not_zero() {
        let header = Header { info2: 1, info4: message::info4::LOCKING_ONLY, ..Header::default() };
        let mut kind = Kind::new(&header, &address("test", "demo"));
        kind.finish().unwrap();
        assert_eq!(kind.as_bytes()[..11], hex("1e 00 01 00 10 0000 00000000"));
        let (parts, ..) = kind.parts();
        assert_eq!(parts, Header { fields: 2, ..header });
        let mut out = Vec::new();
        let mut batch = Writer::begin(&mut out, 0, 0);
        batch.row(1, &Digest([7; 20]), kind.as_bytes(), kind.is_repeatable());
        batch.finish().unwrap();
        let (message, _) = Message::parse(&out[8..]).unwrap();
        let mut rows = Rows::parse(message.field(field::BATCH).unwrap()).unwrap();
        assert_eq!(rows.next().unwrap().unwrap().header, parts);
    }

    #[test]
    fn broken_rows_are_rejected() {
        assert!(Rows::parse(&[0, 0, 0, 1]).is_err());
        let mut repeat_first = vec![0, 0, 0, 1, 0];
        repeat_first.extend_from_slice(&[0; 24]);
        repeat_first.push(row_flag::REPEAT);
        assert!(Rows::parse(&repeat_first).unwrap().next().is_err());
        assert!(Rows::parse(&repeat_first[..20]).unwrap().next().is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn a_row_beyond_the_server_limits_is_rejected() {
        let mut kind = get_all();
        (0..65_537).for_each(|_| kind.op(message::op::READ, b"a"));
        assert_eq!((kind.ops(), kind.finish()), (65_537, Err(TooLarge::Operations(65_537))));
        let mut kind = get_all();
        let value: Result<(), ()> = kind.op_with(message::op::WRITE, b"b", |out| {
            out.resize(out.len() + frame::MAX_BODY, 0);
            Ok(4)
        });
        value.unwrap();
        assert!(matches!(kind.finish(), Err(TooLarge::Bytes(_))));
    }

    /// A kind of the largest allowed size also fits as the only row of a batch.
    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn the_largest_row_is_sent_alone() {
        let mut kind = get_all();
        let room = frame::MAX_BODY - AROUND_A_ROW - kind.as_bytes().len() - 9;
        let value: Result<(), ()> = kind.op_with(message::op::WRITE, b"b", |out| {
            out.resize(out.len() + room, 0);
            Ok(4)
        });
        value.unwrap();
        kind.finish().unwrap();
        let mut out = Vec::new();
        let mut batch = Writer::begin(&mut out, 0, 0);
        batch.row(0, &Digest([7; 20]), kind.as_bytes(), true);
        assert_eq!(batch.finish(), Ok(()));
        assert_eq!(out.len(), frame::HEADER_LEN + frame::MAX_BODY);
        let mut batch = Writer::begin(&mut out, 0, 0);
        batch.row(0, &Digest([7; 20]), kind.as_bytes(), true);
        batch.row(1, &Digest([7; 20]), kind.as_bytes(), true);
        assert!(batch.finish().is_err());
    }
}
