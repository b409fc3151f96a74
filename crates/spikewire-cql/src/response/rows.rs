//! Rows of a result.

use super::metadata::{Metadata, flag};
use crate::notation::{Malformed, Reader, Result, TooLong, put_bytes, put_count, put_short_bytes};
use crate::version::Version;

/// Minimum size of a cell: its length field.
const CELL: usize = 4;

/// Rows of a result: a page, or all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows<'a> {
    /// Where the next page begins; `None` on the last one.
    pub paging_state: Option<&'a [u8]>,
    /// The id of the metadata, if it differs from the one that the client sent. Version 5.
    pub metadata_id: Option<&'a [u8]>,
    /// The columns; `None` if the client asked to skip them.
    pub metadata: Option<Metadata>,
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub count: usize,
    /// All cells, row by row.
    pub cells: Cells<'a>,
}

impl<'a> Rows<'a> {
    /// Reads the part of a RESULT after its kind. Checks that there are enough bytes for all
    /// announced cells, at least for their length fields.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self> {
        let flags = reader.int()? as u32;
        let columns = reader.count()?;
        let has = |bit| flags & bit != 0;
        let paging_state = has(flag::MORE_PAGES).then(|| reader.bytes()).transpose()?.flatten();
        let metadata_id = has(flag::CHANGED).then(|| reader.short_bytes()).transpose()?;
        let metadata = (!has(flag::NO_METADATA))
            .then(|| Metadata::read(columns, flags, reader))
            .transpose()?;
        let count = reader.count()?;
        let cells = Cells(*reader);
        let least = count.checked_mul(columns.max(1)).and_then(|cells| cells.checked_mul(CELL));
        let have = reader.rest().len();
        if least.is_none_or(|least| least > have) {
            return Err(Malformed(format!("{count} rows of {columns} columns in {have} bytes")));
        }
        Ok(Self { paging_state, metadata_id, metadata, columns, count, cells })
    }

    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        version: Version,
    ) -> std::result::Result<(), TooLong> {
        let mut flags = self.metadata.as_ref().map_or(flag::NO_METADATA, Metadata::flags);
        if self.paging_state.is_some() {
            flags |= flag::MORE_PAGES;
        }
        if self.metadata_id.is_some() {
            flags |= flag::CHANGED;
        }
        out.extend_from_slice(&flags.to_be_bytes());
        put_count(out, "columns", self.columns)?;
        if let Some(state) = self.paging_state {
            put_bytes(out, "a paging state", state)?;
        }
        if let Some(id) = self.metadata_id {
            put_short_bytes(out, "the id of result metadata", id)?;
        }
        if let Some(metadata) = &self.metadata {
            metadata.write(out, version)?;
        }
        put_count(out, "rows", self.count)?;
        out.extend_from_slice(self.cells.0.rest());
        Ok(())
    }
}

/// Cells, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a>(pub Reader<'a>);

impl PartialEq for Cells<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.rest() == other.0.rest()
    }
}

impl<'a> Cells<'a> {
    /// The next cell; `None` is null.
    #[inline]
    pub fn cell(&mut self) -> Result<Option<&'a [u8]>> {
        self.0.bytes()
    }

    /// Skips this many cells.
    pub fn skip(&mut self, cells: usize) -> Result<()> {
        (0..cells).try_for_each(|_| self.cell().map(drop))
    }
}
