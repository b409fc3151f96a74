//! The records of a query.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::query::Row;
use spikewire_aerospike_protocol::value::{particle, read_int};

use crate::Result;
use crate::aerospike::key::Key;
use crate::aerospike::record::{Bin, Record};

/// A record found by a query. Derefs to [`Record`]; verbs accept it as a key:
/// `users.delete(&record)`.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRecord {
    /// The digest of its key.
    pub digest: [u8; 20],
    /// Its key, if stored with the record.
    pub key: Option<Key<'static>>,
    /// Its set; empty for records without a set.
    pub set: Arc<str>,
    /// Bins, generation and TTL.
    pub record: Record,
}

impl Deref for QueryRecord {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl DerefMut for QueryRecord {
    fn deref_mut(&mut self) -> &mut Record {
        &mut self.record
    }
}

impl<'a> From<&'a QueryRecord> for Key<'a> {
    fn from(record: &'a QueryRecord) -> Self {
        Key::Digest(record.digest)
    }
}

/// How to decode rows.
#[derive(Debug)]
pub(crate) struct RecordShape {
    /// Whether they have results of operations instead of bins.
    has_results: bool,
    /// The set of every record, or of the last one.
    set: Arc<str>,
}

impl RecordShape {
    pub fn new(set: &str, has_results: bool) -> Self {
        Self { has_results, set: set.into() }
    }

    /// Decodes a row.
    pub fn record(&mut self, row: &Row<'_>) -> Result<QueryRecord> {
        let bins = self.bins(row)?;
        if self.set.as_bytes() != row.set {
            let name = std::str::from_utf8(row.set);
            self.set = name.map_err(|_| Malformed::new("set name", "not valid UTF-8"))?.into();
        }
        Ok(QueryRecord {
            digest: row.point.digest.0,
            key: row.key.map(key).transpose()?,
            set: self.set.clone(),
            record: Record::of_parts(bins, row.generation, row.void_time),
        })
    }

    fn bins(&self, row: &Row<'_>) -> Result<Vec<Bin>> {
        let mut bins = Vec::with_capacity(usize::from(row.op_count));
        for op in row.ops() {
            // With one result per bin, missing bins are sent as null.
            if self.has_results || op.particle != particle::NULL {
                bins.push(Bin::decode(&op)?);
            }
        }
        Ok(bins)
    }
}

fn key(stored: &[u8]) -> std::result::Result<Key<'static>, Malformed> {
    let fail = |why| Malformed::new("user key", why);
    let (of, bytes) = stored.split_first().ok_or(fail("empty"))?;
    Ok(match *of {
        particle::INTEGER => Key::Int(read_int(bytes)?),
        particle::STRING => {
            let text = std::str::from_utf8(bytes).map_err(|_| fail("not valid UTF-8"))?;
            Key::Str(text.to_owned().into())
        }
        particle::BLOB => Key::Bytes(bytes.to_vec().into()),
        _ => return Err(fail("of a type that keys do not have")),
    })
}
