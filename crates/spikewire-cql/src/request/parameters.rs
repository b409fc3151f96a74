//! The parameters of a statement besides its values.

use super::RequestError;
use super::values::{Values, WriteValues, put_values};
use crate::consistency::Consistency;
use crate::notation::{Malformed, Reader, Result as ReadResult, put_bytes, put_string};
use crate::version::Version;

/// Flags for the parts that follow.
mod bit {
    pub const VALUES: u32 = 0x01;
    pub const SKIP_METADATA: u32 = 0x02;
    pub const PAGE_SIZE: u32 = 0x04;
    pub const PAGING_STATE: u32 = 0x08;
    pub const SERIAL_CONSISTENCY: u32 = 0x10;
    pub const TIMESTAMP: u32 = 0x20;
    pub const NAMES: u32 = 0x40;
    pub const KEYSPACE: u32 = 0x80;
    pub const NOW_IN_SECONDS: u32 = 0x100;
}

/// The parameters of a statement or batch, besides values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parameters<'a> {
    /// How many replicas must respond.
    pub consistency: Consistency,
    /// Whether the reply may omit the metadata that PREPARE returned. Not for batches.
    pub skip_metadata: bool,
    /// Maximum number of rows per page; `None` disables paging. Not for batches.
    pub page_size: Option<i32>,
    /// Where the previous page ended. Not for batches.
    pub paging_state: Option<&'a [u8]>,
    /// The consistency level of the Paxos phase; `None` means SERIAL.
    pub serial_consistency: Option<Consistency>,
    /// The timestamp of writes, in microseconds since 1970; `None` for the coordinator's.
    pub timestamp: Option<i64>,
    /// The default keyspace for unqualified names. Version 5 only.
    pub keyspace: Option<&'a str>,
    /// The current time for TTLs, in seconds since 1970. Version 5 only.
    pub now_in_seconds: Option<u32>,
}

impl<'a> Parameters<'a> {
    /// Appends consistency, flags and parts, for QUERY and EXECUTE.
    pub(super) fn write<V: WriteValues>(
        &self,
        out: &mut Vec<u8>,
        version: Version,
        values: V,
    ) -> Result<(), V::Error> {
        self.check(version)?;
        let mut bits = self.bits();
        if values.count() > 0 {
            bits |= bit::VALUES;
            if values.named() {
                bits |= bit::NAMES;
            }
        }
        self.consistency.write(out);
        put_bits(out, version, bits);
        if values.count() > 0 {
            put_values(out, values)?;
        } else {
            // Writes nothing, but fails if there are values for a statement that takes none.
            values.write(out)?;
        }
        if let Some(size) = self.page_size {
            out.extend_from_slice(&size.to_be_bytes());
        }
        if let Some(state) = self.paging_state {
            put_bytes(out, "a paging state", state).map_err(RequestError::TooLong)?;
        }
        Ok(self.write_common(out)?)
    }

    /// Like [`Parameters::write`], for BATCH, which has fewer parts.
    pub(super) fn write_batch(
        &self,
        out: &mut Vec<u8>,
        version: Version,
    ) -> Result<(), RequestError> {
        self.check(version)?;
        let absent = [
            (self.skip_metadata, "skipping of metadata"),
            (self.page_size.is_some(), "page size"),
            (self.paging_state.is_some(), "paging state"),
        ];
        if let Some((_, what)) = absent.into_iter().find(|(is_set, _)| *is_set) {
            return Err(RequestError::NotInBatch(what));
        }
        self.consistency.write(out);
        put_bits(out, version, self.bits());
        self.write_common(out)
    }

    fn check(&self, version: Version) -> Result<(), RequestError> {
        if version == Version::V4 {
            if self.keyspace.is_some() {
                return Err(RequestError::NeedsV5("a keyspace for one request"));
            }
            if self.now_in_seconds.is_some() {
                return Err(RequestError::NeedsV5("now_in_seconds"));
            }
        }
        if let Some(size @ ..1) = self.page_size {
            return Err(RequestError::PageSize(size));
        }
        if let Some(level) = self.serial_consistency.filter(|level| !level.is_serial()) {
            return Err(RequestError::NotSerial(level));
        }
        if let Some(timestamp @ i64::MIN) = self.timestamp {
            return Err(RequestError::Timestamp(timestamp));
        }
        Ok(())
    }

    fn bits(&self) -> u32 {
        let parts = [
            (self.skip_metadata, bit::SKIP_METADATA),
            (self.page_size.is_some(), bit::PAGE_SIZE),
            (self.paging_state.is_some(), bit::PAGING_STATE),
            (self.serial_consistency.is_some(), bit::SERIAL_CONSISTENCY),
            (self.timestamp.is_some(), bit::TIMESTAMP),
            (self.keyspace.is_some(), bit::KEYSPACE),
            (self.now_in_seconds.is_some(), bit::NOW_IN_SECONDS),
        ];
        parts.into_iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum()
    }

    fn write_common(&self, out: &mut Vec<u8>) -> Result<(), RequestError> {
        if let Some(level) = self.serial_consistency {
            level.write(out);
        }
        if let Some(timestamp) = self.timestamp {
            out.extend_from_slice(&timestamp.to_be_bytes());
        }
        if let Some(keyspace) = self.keyspace {
            put_string(out, "the name of a keyspace", keyspace)?;
        }
        if let Some(seconds) = self.now_in_seconds {
            out.extend_from_slice(&seconds.to_be_bytes());
        }
        Ok(())
    }

    /// Reads what [`Parameters::write`] or [`Parameters::write_batch`] wrote.
    pub(super) fn read(
        version: Version,
        reader: &mut Reader<'a>,
    ) -> ReadResult<(Self, Values<'a>)> {
        let consistency = Consistency::read(reader)?;
        let bits = match version {
            Version::V4 => reader.byte()?.into(),
            Version::V5 => reader.int()? as u32,
        };
        let has = |bit| bits & bit != 0;
        let mut values = Values::NONE;
        if has(bit::VALUES) {
            let count = reader.short()?.into();
            values = Values::read(count, has(bit::NAMES), reader)?;
        }
        let parameters = Self {
            consistency,
            skip_metadata: has(bit::SKIP_METADATA),
            page_size: has(bit::PAGE_SIZE).then(|| reader.int()).transpose()?,
            paging_state: has(bit::PAGING_STATE).then(|| reader.bytes()).transpose()?.flatten(),
            serial_consistency: has(bit::SERIAL_CONSISTENCY)
                .then(|| Consistency::read(reader))
                .transpose()?,
            timestamp: has(bit::TIMESTAMP).then(|| reader.long()).transpose()?,
            keyspace: has(bit::KEYSPACE).then(|| reader.string()).transpose()?,
            now_in_seconds: has(bit::NOW_IN_SECONDS)
                .then(|| reader.int().map(|seconds| seconds as u32))
                .transpose()?,
        };
        if version == Version::V4 && has(bit::KEYSPACE | bit::NOW_IN_SECONDS) {
            return Err(Malformed::new("a keyspace for one request, in version 4"));
        }
        Ok((parameters, values))
    }
}

fn put_bits(out: &mut Vec<u8>, version: Version, bits: u32) {
    match version {
        Version::V4 => out.push(bits as u8),
        Version::V5 => out.extend_from_slice(&bits.to_be_bytes()),
    }
}
