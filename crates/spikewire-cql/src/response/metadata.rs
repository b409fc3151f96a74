//! Columns of results and bind markers of prepared statements.

use std::sync::Arc;

use crate::notation::{Reader, Result, TooLong, put_string};
use crate::types::Type;
use crate::version::Version;

/// Metadata flags.
pub mod flag {
    /// Keyspace and table are given once, for all columns.
    pub const GLOBAL: u32 = 0x01;
    /// There is another page: its paging state follows.
    pub const MORE_PAGES: u32 = 0x02;
    /// The columns are not described.
    pub const NO_METADATA: u32 = 0x04;
    /// The columns differ from those the client knows: the id of their metadata follows. Version 5.
    pub const CHANGED: u32 = 0x08;
}

/// A column of a result, or a marker of a prepared statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The keyspace of its table.
    pub keyspace: Arc<str>,
    /// Its table.
    pub table: Arc<str>,
    /// Its name. Not always a column's: `count`, `system.token(k)`, `[applied]`, `[limit]`.
    pub name: Arc<str>,
    /// The type of its values.
    pub ty: Type,
}

/// Columns in order. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// The columns.
    pub columns: Arc<[Column]>,
}

impl Metadata {
    /// Reads this many columns, with keyspace and table given once or per column.
    pub(super) fn read(count: usize, flags: u32, reader: &mut Reader<'_>) -> Result<Self> {
        let mut shared: Option<(Arc<str>, Arc<str>)> = None;
        if flags & flag::GLOBAL != 0 {
            shared = Some((reader.string()?.into(), reader.string()?.into()));
        }
        let columns: Result<Vec<_>> = (0..count)
            .map(|_| {
                if flags & flag::GLOBAL == 0 {
                    let (keyspace, table) = (reader.string()?, reader.string()?);
                    let is_last = |(a, b): &(Arc<str>, Arc<str>)| **a == *keyspace && **b == *table;
                    if !shared.as_ref().is_some_and(is_last) {
                        shared = Some((keyspace.into(), table.into()));
                    }
                }
                let (keyspace, table) = shared.clone().unwrap_or_default();
                let name = reader.string()?.into();
                Ok(Column { keyspace, table, name, ty: Type::read(reader)? })
            })
            .collect();
        Ok(Self { columns: columns?.into() })
    }

    /// [`flag::GLOBAL`] if all columns belong to one table.
    pub(super) fn flags(&self) -> u32 {
        let is_same = |pair: &[Column]| {
            pair[0].keyspace == pair[1].keyspace && pair[0].table == pair[1].table
        };
        let is_global = !self.columns.is_empty() && self.columns.windows(2).all(is_same);
        if is_global { flag::GLOBAL } else { 0 }
    }

    /// Appends the columns in the form given by [`Metadata::flags`].
    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        version: Version,
    ) -> std::result::Result<(), TooLong> {
        let is_global = self.flags() & flag::GLOBAL != 0;
        for (index, column) in self.columns.iter().enumerate() {
            if index == 0 || !is_global {
                put_string(out, "the name of a keyspace", &column.keyspace)?;
                put_string(out, "the name of a table", &column.table)?;
            }
            put_string(out, "the name of a column", &column.name)?;
            column.ty.write(out, version)?;
        }
        Ok(())
    }
}
