//! A batch request being put together, and its reply taken apart.

use spikewire_aerospike_protocol::batch::{flag, row_flag};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::key::{UserKey, digest};
use spikewire_aerospike_protocol::message::{
    self, Header, Message, field, info1, info2, info3, op,
};
use spikewire_aerospike_protocol::value::particle;

use crate::wire::{Reply, SET, Wire, composing};

/// What clients usually ask for.
pub const ALL: u8 = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;

/// A row without index and key.
#[derive(Clone, Default)]
pub struct Row {
    pub header: Header,
    pub flags: u8,
    fields: Vec<u8>,
    ops: Vec<u8>,
}

impl Row {
    pub fn bare() -> Self {
        Self { flags: row_flag::INFO | row_flag::TTL, ..Self::default() }
    }

    pub fn of(namespace: &str, set: &str) -> Self {
        Self::bare().field(field::NAMESPACE, namespace.as_bytes()).field(field::SET, set.as_bytes())
    }

    pub fn read() -> Self {
        Self::of("test", SET).info1(info1::READ)
    }

    pub fn get() -> Self {
        Self::read().info1(info1::GET_ALL)
    }

    pub fn head() -> Self {
        Self::read().info1(info1::NO_BINS)
    }

    pub fn write() -> Self {
        Self::of("test", SET).flags(row_flag::GENERATION).info2(info2::WRITE)
    }

    pub fn respond(self) -> Self {
        self.info2(info2::RESPOND_ALL_OPS)
    }

    pub fn put(value: i64) -> Self {
        Self::write().int(op::WRITE, "a", value)
    }

    pub fn delete() -> Self {
        Self::write().info2(info2::DELETE | info2::RESPOND_ALL_OPS)
    }

    pub fn flags(mut self, flags: u8) -> Self {
        self.flags |= flags;
        self
    }

    pub fn generation(mut self, generation: u16) -> Self {
        self.header.generation = generation.into();
        self.info2(info2::GENERATION)
    }

    fn append_to(&self, out: &mut Vec<u8>) {
        let Header { info1, info2, info3, info4, generation, ttl, fields, ops, .. } = self.header;
        out.extend_from_slice(&[self.flags, info1]);
        let mut part = |flag: u8, bytes: &[u8]| {
            if self.flags & flag != 0 {
                out.extend_from_slice(bytes);
            }
        };
        part(row_flag::INFO, &[info2, info3]);
        part(row_flag::INFO4, &[info4]);
        part(row_flag::GENERATION, &(generation as u16).to_be_bytes());
        part(row_flag::TTL, &ttl.to_be_bytes());
        out.extend_from_slice(&fields.to_be_bytes());
        out.extend_from_slice(&ops.to_be_bytes());
        out.extend_from_slice(&self.fields);
        out.extend_from_slice(&self.ops);
    }
}

composing!(Row);

/// A batch request. Rows are numbered as they are added.
pub struct Batch {
    pub header: Header,
    pub flags: u8,
    /// How many rows it says it has, more than those added.
    pub extra: i32,
    pub field: u8,
    before: Vec<u8>,
    rows: Vec<u8>,
    count: u32,
}

impl Batch {
    pub fn new(flags: u8) -> Self {
        let header = Header { info1: info1::BATCH, timeout: 1000, fields: 1, ..Header::default() };
        let (before, rows) = (Vec::new(), Vec::new());
        Self { header, flags, extra: 0, field: field::BATCH, before, rows, count: 0 }
    }

    /// Rows with these keys, all of the same kind.
    pub fn each<'a>(flags: u8, row: &Row, keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut batch = Self::new(flags);
        for key in keys {
            batch = if batch.count == 0 { batch.row(key, row) } else { batch.repeat(key) };
        }
        batch
    }

    /// Adds a field in front of the rows.
    pub fn parent(mut self, id: u8, data: &[u8]) -> Self {
        message::write_field(&mut self.before, id, data);
        self.header.fields += 1;
        self
    }

    pub fn row(self, key: &str, row: &Row) -> Self {
        self.row_in(SET, key, row)
    }

    /// A row whose digest is that of `set`.
    pub fn row_in(mut self, set: &str, key: &str, row: &Row) -> Self {
        self.start(set, key);
        row.append_to(&mut self.rows);
        self
    }

    pub fn repeat(mut self, key: &str) -> Self {
        self.start(SET, key);
        self.rows.push(row_flag::REPEAT);
        self
    }

    fn start(&mut self, set: &str, key: &str) {
        self.rows.extend_from_slice(&self.count.to_be_bytes());
        self.rows.extend_from_slice(&digest(set, &UserKey::Str(key)).0);
        self.count += 1;
    }

    /// Takes the last `count` bytes away.
    pub fn cut(mut self, count: usize) -> Self {
        self.rows.truncate(self.rows.len() - count);
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Message);
        out.extend_from_slice(&self.header.to_bytes());
        out.extend_from_slice(&self.before);
        let count = self.count.wrapping_add_signed(self.extra);
        let data = [&count.to_be_bytes()[..], &[self.flags], &self.rows].concat();
        message::write_field(&mut out, self.field, &data);
        frame::finish(&mut out, start);
        out
    }
}

/// The whole reply to a batch.
#[derive(Debug)]
pub struct Answers {
    /// Body length of every frame, the end's not among them.
    pub blocks: Vec<usize>,
    /// Index and answer, in the order they came.
    pub rows: Vec<(u32, Reply)>,
    /// The overall code.
    pub code: u8,
}

impl Answers {
    /// Their codes, in the order they came.
    pub fn codes(&self) -> Vec<u8> {
        self.rows.iter().map(|(_, reply)| reply.code()).collect()
    }

    pub fn indexes(&self) -> Vec<u32> {
        self.rows.iter().map(|(index, _)| *index).collect()
    }

    /// Result, generation and void time of each.
    pub fn heads(&self) -> Vec<(u8, u32, u32)> {
        self.rows.iter().map(|(_, reply)| reply.head()).collect()
    }
}

impl Wire {
    /// Sends a batch and reads up to the end of its reply.
    pub fn batch(&mut self, batch: &Batch) -> Answers {
        self.send(&batch.bytes());
        self.answers()
    }

    /// Reads up to the end of a batch's reply.
    pub fn answers(&mut self) -> Answers {
        let mut answers = Answers { blocks: Vec::new(), rows: Vec::new(), code: 0 };
        loop {
            let (kind, body) = self.frame().unwrap();
            assert_eq!(kind, Kind::Message);
            let mut rest = &body[..];
            while !rest.is_empty() {
                let (message, used) = Message::parse(rest).unwrap();
                let mut reply = Reply::parse(&rest[..used]);
                if message.header.info3 & info3::LAST != 0 {
                    assert_eq!((rest.len(), body.len()), (used, used), "the end has its own frame");
                    answers.code = reply.code();
                    let end = Header { info3: info3::LAST, ..Header::default() };
                    assert_eq!(reply.header, Header { result: reply.code(), ..end });
                    return answers;
                }
                let index = std::mem::take(&mut reply.header.timeout);
                answers.rows.push((index, reply));
                rest = &rest[used..];
            }
            assert!(!body.is_empty());
            answers.blocks.push(body.len());
        }
    }
}
