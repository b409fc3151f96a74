//! Reads that can be cached: what they ask for identifies the entry.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use quick_cache::Equivalent;
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{HEADER_LEN, Header, Message, Walk, field, info1, op};

const DIGEST_LEN: usize = 20;
/// Bytes of a field before its data: length and id.
const FIELD_HEADER: usize = 5;

/// A read of one record, in parts of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadRequest<'a> {
    /// All bins, those of the operations, or none.
    pub info1: u8,
    /// Namespace and set, encoded.
    pub fields: &'a [u8],
    /// The record.
    pub digest: &'a [u8],
    /// Reads of bins, encoded.
    pub ops: &'a [u8],
    /// How many.
    pub count: u16,
}

impl<'a> ReadRequest<'a> {
    /// The read in a frame with a request for one record, if it can be cached: no filter, no
    /// operations other than reads, nothing about consistency or TTL.
    pub fn of_frame(frame: &'a [u8]) -> Option<Self> {
        let message = frame.get(frame::HEADER_LEN..)?;
        let header = Header::parse(message).ok()?;
        let body = &message[HEADER_LEN..];
        let digest_at = digest_at(body)?;
        let (fields, rest) = body.split_at(digest_at);
        let (digest, ops) = rest.split_at_checked(FIELD_HEADER + DIGEST_LEN)?;
        // Namespace, set and digest.
        let header = Header { fields: header.fields.checked_sub(1)?, ..header };
        Self::of_parts(&header, fields, &digest[FIELD_HEADER..], ops)
    }

    /// The same for a row of a batch: what is done to its record, and the record.
    pub fn of_parts(
        header: &Header,
        fields: &'a [u8],
        digest: &'a [u8],
        ops: &'a [u8],
    ) -> Option<Self> {
        let Header { info1, info2, info3, info4, ttl, fields: number, ops: count, .. } = *header;
        let plain = (info2, info3, info4, ttl, number) == (0, 0, 0, 0, 2);
        let is_read = match info1 {
            ALL | NONE => count == 0,
            NAMED => count > 0,
            _ => false,
        };
        (plain && is_read).then_some(Self { info1, fields, digest, ops, count })
    }

    /// Whether its operations are reads of whole bins.
    pub fn only_reads_bins(&self) -> bool {
        let mut walk = Walk::over(self.ops, self.count);
        loop {
            match walk.next() {
                Ok(Some(step)) if step.code == op::READ && !step.name.is_empty() => {}
                Ok(None) => return true,
                _ => return false,
            }
        }
    }
}

const ALL: u8 = info1::READ | info1::GET_ALL;
const NAMED: u8 = info1::READ;
const NONE: u8 = info1::READ | info1::NO_BINS;

/// The record of a request for one record: the field after namespace and set.
pub(crate) fn digest_of(frame: &[u8]) -> Option<&[u8]> {
    let body = frame.get(frame::HEADER_LEN + HEADER_LEN..)?;
    let at = digest_at(body)? + FIELD_HEADER;
    body.get(at..at + DIGEST_LEN)
}

/// Where the field with the digest starts, after those of the namespace and the set.
fn digest_at(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    for _ in 0..2 {
        let len = body.get(at..at + 4)?.first_chunk::<4>()?;
        at += 4 + u32::from_be_bytes(*len) as usize;
    }
    (body.get(at + 4) == Some(&field::DIGEST)).then_some(at)
}

/// The key of an entry.
#[derive(Debug)]
pub(crate) struct CacheKey {
    info1: u8,
    count: u16,
    /// Digest, fields, operations.
    bytes: Box<[u8]>,
    ops_at: usize,
}

impl CacheKey {
    /// The key for the reply to this read.
    pub fn of(read: &ReadRequest<'_>) -> Self {
        let ReadRequest { info1, fields, digest, ops, count } = *read;
        let bytes = [digest, fields, ops].concat().into_boxed_slice();
        Self { info1, count, bytes, ops_at: digest.len() + fields.len() }
    }

    /// The read that it is the key of.
    pub fn read(&self) -> ReadRequest<'_> {
        let (address, ops) = self.bytes.split_at(self.ops_at);
        let (digest, fields) = address.split_at(DIGEST_LEN);
        ReadRequest { info1: self.info1, fields, digest, ops, count: self.count }
    }

    /// The record.
    pub fn digest(&self) -> &[u8] {
        &self.bytes[..DIGEST_LEN]
    }

    /// The record's digest as an array.
    pub fn whole_digest(&self) -> [u8; DIGEST_LEN] {
        self.bytes.first_chunk().copied().unwrap_or_default()
    }

    /// Whether the read returns no bins.
    pub fn is_bare(&self) -> bool {
        self.info1 == NONE
    }

    /// Bytes it takes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Namespace and set.
    pub fn place(&self) -> (String, String) {
        let mut fields = Header { fields: 2, ..Header::default() }.to_bytes().to_vec();
        fields.extend_from_slice(self.read().fields);
        let Ok((message, _)) = Message::parse(&fields) else { return Default::default() };
        let text = |id| String::from_utf8_lossy(message.field(id).unwrap_or_default()).into_owned();
        (text(field::NAMESPACE), text(field::SET))
    }
}

impl Hash for ReadRequest<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The digest is one already; different namespaces rarely have the same.
        state.write_u8(self.info1);
        state.write(&self.digest[..8]);
        state.write(self.ops);
    }
}

impl Hash for CacheKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.read().hash(state);
    }
}

impl PartialEq for CacheKey {
    fn eq(&self, other: &Self) -> bool {
        (self.info1, self.ops_at, &self.bytes) == (other.info1, other.ops_at, &other.bytes)
    }
}

impl Eq for CacheKey {}

impl Equivalent<Arc<CacheKey>> for ReadRequest<'_> {
    fn equivalent(&self, key: &Arc<CacheKey>) -> bool {
        let other = key.read();
        self.info1 == other.info1
            && self.digest == other.digest
            && self.fields == other.fields
            && self.ops == other.ops
    }
}
