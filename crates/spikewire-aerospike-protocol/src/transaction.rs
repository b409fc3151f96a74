//! Transactions over several records: the fields that commands and replies carry, the monitor
//! record, and the rows that verify records and roll them.
//!
//! Everything is a batch [`Kind`], which a batch of one row sends as a single-record request.

use crate::Malformed;
use crate::batch::Kind;
use crate::frame;
use crate::key::{Digest, UserKey, digest};
use crate::message::{
    self, Header, Message, Op, field, fields_in, info1, info2, info3, info4, op, ops_in,
    write_field,
};
use crate::msgpack;
use crate::request::{self, TooLarge};
use crate::value::{ParticleType, particle};

/// The set of monitor records: one record for each transaction that writes.
pub const MONITOR_SET: &str = "<ERO~MRT";
/// The bin of a monitor with the transaction's id.
pub const ID_BIN: &str = "id";
/// The bin of a monitor with the digests of the records that the transaction writes.
pub const DIGESTS_BIN: &str = "keyds";
/// The bin of a monitor that is set once the transaction is to be rolled forward.
pub const FORWARD_BIN: &str = "fwd";
/// Maximum number of records that a transaction writes.
pub const RECORDS: usize = 4096;
/// The longest time a transaction may take, in seconds.
pub const LONGEST: u32 = 120;

/// Numbers of list operations: append one item, or many.
const APPEND: i64 = 1;
const APPEND_ITEMS: i64 = 2;
/// The list is ordered.
const ORDERED: i64 = 1;
/// Each item once, no error for one that is there, and the others are added nevertheless.
const ADD_EACH_ONCE: i64 = 0x0d;

/// The version of a record, which only servers interpret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version(pub [u8; 7]);

impl Version {
    /// A version from a number, of which 56 bits count.
    pub fn of(number: u64) -> Self {
        let [version @ .., _] = number.to_le_bytes();
        Self(version)
    }

    /// The number.
    pub fn number(self) -> u64 {
        let mut bytes = [0; 8];
        bytes[..7].copy_from_slice(&self.0);
        u64::from_le_bytes(bytes)
    }
}

/// What a reply says about a transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplyFields {
    /// The version of the record, unless the transaction has written it.
    pub version: Option<Version>,
    /// When the transaction expires, by the server's clock.
    pub deadline: Option<u32>,
}

impl ReplyFields {
    /// Reads them from a reply.
    pub fn of(message: &Message<'_>) -> Result<Self, Malformed> {
        let mut fields = Self::default();
        for field in message.fields() {
            match field.id {
                field::RECORD_VERSION => {
                    let size = |_| Malformed::new("record version", "not 7 bytes");
                    fields.version = Some(Version(field.data.try_into().map_err(size)?));
                }
                field::DEADLINE => fields.deadline = Some(deadline(field.data)?),
                _ => {}
            }
        }
        Ok(fields)
    }
}

/// Reads a deadline.
pub fn deadline(data: &[u8]) -> Result<u32, Malformed> {
    let size = |_| Malformed::new("deadline of a transaction", "not 4 bytes");
    data.try_into().map(u32::from_le_bytes).map_err(size)
}

/// Reads the id of a transaction, which is never 0.
pub fn id(data: &[u8]) -> Result<u64, Malformed> {
    let id = data.try_into().map(u64::from_le_bytes).unwrap_or_default();
    if id == 0 { Err(Malformed::new("id of a transaction", "not 8 bytes, or 0")) } else { Ok(id) }
}

/// What a command says about its transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CommandFields {
    /// The id of the transaction.
    pub id: u64,
    /// The version in which the record was read.
    pub version: Option<Version>,
    /// When the transaction expires, for a write.
    pub deadline: Option<u32>,
}

impl CommandFields {
    /// Appends them; all other fields but the address follow.
    pub fn write(&self, kind: &mut Kind) {
        kind.field(field::TRANSACTION, &self.id.to_le_bytes());
        if let Some(version) = &self.version {
            kind.field(field::RECORD_VERSION, &version.0);
        }
        if let Some(deadline) = self.deadline {
            kind.field(field::DEADLINE, &deadline.to_le_bytes());
        }
    }
}

/// A command of a transaction, from one without. Whatever deletes a record leaves a tombstone:
/// otherwise it could come undone, and strongly consistent namespaces refuse it.
pub fn command(kind: &Kind, about: &CommandFields) -> Result<Kind, TooLarge> {
    let (mut header, fields, ops) = kind.parts();
    let (address, rest) = fields.split_at(kind.address().len());
    // A record whose last bin is removed is deleted, too, and a function may delete its record.
    let may_delete = |step: Op<'_>| {
        step.code == op::DELETE || step.code == op::WRITE && step.particle == particle::NULL
    };
    let calls = || fields_in(rest).any(|it| it.id == field::UDF_FUNCTION);
    if header.info2 & info2::DELETE != 0 || ops_in(ops).any(may_delete) || calls() {
        header.info2 |= info2::DURABLE_DELETE;
    }
    let mut kind = Kind::new(&header, address);
    about.write(&mut kind);
    kind.encoded_fields(rest);
    kind.encoded_ops(header.ops, ops);
    kind.finish()?;
    Ok(kind)
}

/// Where the fields of a transaction belong in a request about one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The record.
    pub digest: Digest,
    /// How many bytes its namespace and set take.
    address: usize,
    fields: u16,
}

impl Place {
    /// In a request that is a whole frame.
    pub fn in_request(frame: &[u8]) -> Result<Self, Malformed> {
        let (request, _) = Message::parse(frame.get(frame::HEADER_LEN..).unwrap_or_default())?;
        let mut fields = request.fields();
        let address = fields.by_ref().take(2).map(|field| FIELD_HEAD + field.data.len()).sum();
        let digest = fields.next().filter(|field| field.id == field::DIGEST);
        let digest = digest.and_then(|field| field.data.try_into().ok()).map(Digest);
        let digest = digest.ok_or(Malformed::new("request", "no record"))?;
        Ok(Self { digest, address, fields: request.header.fields })
    }

    /// Namespace and set, encoded.
    pub fn address<'a>(&self, frame: &'a [u8]) -> &'a [u8] {
        &frame[FIELDS..FIELDS + self.address]
    }

    /// Makes a read part of a transaction: the fields follow the digest, before the user key.
    pub fn join_read(&self, frame: &mut Vec<u8>, about: &CommandFields) {
        let mut own = Vec::with_capacity(2 * FIELD_HEAD + 15);
        write_field(&mut own, field::TRANSACTION, &about.id.to_le_bytes());
        if let Some(version) = &about.version {
            write_field(&mut own, field::RECORD_VERSION, &version.0);
        }
        let at = FIELDS + self.address + FIELD_HEAD + self.digest.0.len();
        frame.splice(at..at, own);
        let count = self.fields + 1 + u16::from(about.version.is_some());
        let counted = frame::HEADER_LEN + message::FIELDS_AT;
        frame[counted..counted + 2].copy_from_slice(&count.to_be_bytes());
        frame::finish(frame, 0);
    }
}

/// Where the fields of a request begin.
const FIELDS: usize = frame::HEADER_LEN + message::HEADER_LEN;
/// The length and the id of a field.
const FIELD_HEAD: usize = 5;

/// The digest of the monitor of a transaction.
pub fn monitor(id: u64) -> Digest {
    digest(MONITOR_SET, &UserKey::Int(id as i64))
}

fn monitor_kind(namespace: &str, header: &Header) -> Kind {
    Kind::new(header, &request::address(namespace, MONITOR_SET))
}

fn op(kind: &mut Kind, code: u8, bin: &str, of: ParticleType, write: impl FnOnce(&mut Vec<u8>)) {
    let written = kind.op_with(code, bin.as_bytes(), |out| {
        write(out);
        Ok::<_, std::convert::Infallible>(of)
    });
    let Ok(()) = written;
}

/// Adds records to the monitor of a transaction. `create`: there is none yet; it lives for this
/// many seconds, 0 for the server's default.
pub fn add_records(
    namespace: &str,
    id: u64,
    create: bool,
    seconds: u32,
    digests: &[Digest],
) -> Kind {
    let header = Header { info2: info2::WRITE, ttl: seconds, ..Header::default() };
    let mut kind = monitor_kind(namespace, &header);
    if create {
        op(&mut kind, op::WRITE, ID_BIN, particle::INTEGER, |out| {
            out.extend_from_slice(&id.to_be_bytes());
        });
    }
    op(&mut kind, op::CDT_MODIFY, DIGESTS_BIN, particle::BLOB, |out| {
        msgpack::array(out, 4);
        if let [digest] = digests {
            msgpack::int(out, APPEND);
            msgpack::bytes(out, particle::BLOB, &digest.0);
        } else {
            msgpack::int(out, APPEND_ITEMS);
            msgpack::array(out, digests.len() as u32);
            digests.iter().for_each(|digest| msgpack::bytes(out, particle::BLOB, &digest.0));
        }
        msgpack::int(out, ORDERED);
        msgpack::int(out, ADD_EACH_ONCE);
    });
    kind
}

/// Marks a transaction to be rolled forward: from then on it is committed.
pub fn mark_forward(namespace: &str) -> Kind {
    let header = Header { info2: info2::WRITE, ..Header::default() };
    let mut kind = monitor_kind(namespace, &header);
    op(&mut kind, op::WRITE, FORWARD_BIN, particle::BOOL, |out| out.push(1));
    kind
}

/// Removes the monitor of a transaction that is over.
pub fn close(namespace: &str) -> Kind {
    let info2 = info2::WRITE | info2::DELETE | info2::DURABLE_DELETE;
    monitor_kind(namespace, &Header { info2, ..Header::default() })
}

/// Checks that a record still has the version in which it was read; `address` is its namespace and
/// set.
pub fn verify(address: &[u8], version: &Version) -> Kind {
    let header = Header {
        info1: info1::READ | info1::NO_BINS,
        info3: info3::SC_READ_TYPE,
        info4: info4::VERIFY_READ,
        ..Header::default()
    };
    let mut kind = Kind::of_transaction(&header, address);
    kind.field(field::RECORD_VERSION, &version.0);
    kind
}

/// Makes what a transaction wrote the record, or drops it; `address` is its namespace and set.
pub fn roll(address: &[u8], forward: bool, fields: &CommandFields) -> Kind {
    let info4 = if forward { info4::ROLL_FORWARD } else { info4::ROLL_BACK };
    let info2 = info2::WRITE | info2::DURABLE_DELETE;
    let mut kind = Kind::of_transaction(&Header { info2, info4, ..Header::default() }, address);
    CommandFields { deadline: None, ..*fields }.write(&mut kind);
    if let Some(deadline) = fields.deadline {
        kind.row_field(field::DEADLINE, &deadline.to_le_bytes());
    }
    kind
}
