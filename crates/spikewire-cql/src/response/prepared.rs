//! A prepared statement.

use super::metadata::{Metadata, flag};
use crate::dialect::Dialect;
use crate::notation::{Malformed, Reader, Result, TooLong, put_count, put_short_bytes};

/// A prepared statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared<'a> {
    /// The id by which it is executed.
    pub id: &'a [u8],
    /// The id of its result metadata, for EXECUTE; empty if the dialect has none.
    pub metadata_id: &'a [u8],
    /// Flags of its markers. Servers other than Cassandra define some.
    pub flags: u32,
    /// Its markers.
    pub markers: Metadata,
    /// Which marker supplies each column of the partition key, in key order; empty if not all of
    /// them are markers.
    pub partition_key: Vec<u16>,
    /// The columns of its rows; `None` if there are none, or if they are not known in advance: rows
    /// of conditional statements describe themselves.
    pub result: Option<Metadata>,
}

impl<'a> Prepared<'a> {
    /// Reads the part of a RESULT after its kind.
    pub fn read(dialect: Dialect, reader: &mut Reader<'a>) -> Result<Self> {
        let id = reader.short_bytes()?;
        let metadata_id = if dialect.metadata_ids { reader.short_bytes()? } else { &[] };
        let flags = reader.int()? as u32;
        let count = reader.count()?;
        let key = reader.count()?;
        let marker = |_| match reader.short()? {
            marker if usize::from(marker) < count => Ok(marker),
            marker => Err(Malformed(format!("a key by marker {marker} of {count}"))),
        };
        let partition_key = (0..key).map(marker).collect::<Result<_>>()?;
        let markers = Metadata::read(count, flags, reader)?;
        let result_flags = reader.int()? as u32;
        let count = reader.count()?;
        if result_flags & flag::MORE_PAGES != 0 {
            reader.bytes()?;
        }
        let result = (result_flags & flag::NO_METADATA == 0)
            .then(|| Metadata::read(count, result_flags, reader))
            .transpose()?;
        Ok(Self { id, metadata_id, flags, markers, partition_key, result })
    }

    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        dialect: Dialect,
    ) -> std::result::Result<(), TooLong> {
        put_short_bytes(out, "the id of a prepared statement", self.id)?;
        if dialect.metadata_ids {
            put_short_bytes(out, "the id of result metadata", self.metadata_id)?;
        }
        let flags = self.flags & !flag::GLOBAL | self.markers.flags();
        out.extend_from_slice(&flags.to_be_bytes());
        put_count(out, "markers", self.markers.columns.len())?;
        put_count(out, "columns of a partition key", self.partition_key.len())?;
        self.partition_key.iter().for_each(|marker| out.extend_from_slice(&marker.to_be_bytes()));
        self.markers.write(out, dialect.version)?;
        let flags = self.result.as_ref().map_or(flag::NO_METADATA, Metadata::flags);
        out.extend_from_slice(&flags.to_be_bytes());
        put_count(out, "columns", self.result.as_ref().map_or(0, |result| result.columns.len()))?;
        self.result.as_ref().map_or(Ok(()), |result| result.write(out, dialect.version))
    }
}
