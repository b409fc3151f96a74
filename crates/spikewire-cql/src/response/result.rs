//! RESULT: the result of a statement.

use super::prepared::Prepared;
use super::rows::Rows;
use super::schema::SchemaChange;
use crate::dialect::Dialect;
use crate::notation::{Malformed, Reader, Result, TooLong, put_string};

mod kind {
    pub const VOID: i32 = 1;
    pub const ROWS: i32 = 2;
    pub const SET_KEYSPACE: i32 = 3;
    pub const PREPARED: i32 = 4;
    pub const SCHEMA_CHANGE: i32 = 5;
}

/// The result of a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryResult<'a> {
    /// The statement was executed.
    Void,
    /// Rows.
    Rows(Rows<'a>),
    /// The connection's keyspace was changed.
    SetKeyspace(&'a str),
    /// The statement was prepared.
    Prepared(Prepared<'a>),
    /// The schema was changed.
    SchemaChange(SchemaChange),
}

impl<'a> QueryResult<'a> {
    /// Reads the part of a RESULT after its prefix.
    pub fn read(dialect: Dialect, reader: &mut Reader<'a>) -> Result<Self> {
        Ok(match reader.int()? {
            kind::VOID => Self::Void,
            kind::ROWS => Self::Rows(Rows::read(reader)?),
            kind::SET_KEYSPACE => Self::SetKeyspace(reader.string()?),
            kind::PREPARED => Self::Prepared(Prepared::read(dialect, reader)?),
            kind::SCHEMA_CHANGE => Self::SchemaChange(SchemaChange::read(reader)?),
            kind => return Err(Malformed(format!("a result of the kind {kind}"))),
        })
    }

    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        dialect: Dialect,
    ) -> std::result::Result<(), TooLong> {
        let mut begin = |kind: i32| out.extend_from_slice(&kind.to_be_bytes());
        match self {
            Self::Void => {
                begin(kind::VOID);
                Ok(())
            }
            Self::Rows(rows) => {
                begin(kind::ROWS);
                rows.write(out, dialect.version)
            }
            Self::SetKeyspace(keyspace) => {
                begin(kind::SET_KEYSPACE);
                put_string(out, "the name of a keyspace", keyspace)
            }
            Self::Prepared(prepared) => {
                begin(kind::PREPARED);
                prepared.write(out, dialect)
            }
            Self::SchemaChange(change) => {
                begin(kind::SCHEMA_CHANGE);
                change.write(out)
            }
        }
    }
}
