//! One value of a column, and how it is encoded. Does not need the interpreter.

use std::borrow::Cow;
use std::ops::Range;

use spikewire_aerospike_protocol::key::UserKey;
use spikewire_aerospike_protocol::value::{ElementEncoding, Encoding, ParticleEncoding, particle};
use spikewire_aerospike_protocol::{limits, msgpack, nesting};

use crate::error::ColumnError;

/// The value in one row of a column, borrowed from the column's memory.
pub enum Cell<'a> {
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer, or a time as the integer that represents it.
    Int(i64),
    /// A float.
    Float(f64),
    /// Text.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A range of rows of another column.
    List(&'a dyn Cells, Range<usize>),
    /// Columns of keys and of values, and the range of their rows.
    Map(&'a dyn Cells, &'a dyn Cells, Range<usize>),
    /// A row of several named columns.
    Struct(&'a [(String, Box<dyn Cells>)], usize),
}

/// A column, which returns the value of each of its rows.
pub trait Cells: Send + Sync {
    /// The value in a row.
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError>;
}

impl Cell<'_> {
    /// The value as the key of a record.
    pub fn key(&self) -> Result<UserKey<'_>, ColumnError> {
        match self {
            Self::Int(int) => Ok(UserKey::Int(*int)),
            Self::Text(text) => Ok(UserKey::Str(text)),
            Self::Bytes(bytes) => Ok(UserKey::Bytes(bytes)),
            Self::Null => Err(ColumnError::value("a key must not be null")),
            _ => Err(ColumnError::kind("a key must be an integer, text or bytes")),
        }
    }

    /// Appends the value as the particle of a bin. Returns the particle type.
    pub fn particle(&self, out: &mut Vec<u8>) -> Result<u8, ColumnError> {
        self.write::<ParticleEncoding>(out, limits::NESTING)
    }

    /// Appends the value as an element of a list or map.
    fn element(&self, out: &mut Vec<u8>, depth: usize) -> Result<(), ColumnError> {
        nesting::note_at(depth);
        if depth == 0 {
            return Err(ColumnError::value(format!(
                "nested deeper than {} levels",
                limits::NESTING
            )));
        }
        self.write::<ElementEncoding>(out, depth)
    }

    fn write<E: Encoding>(&self, out: &mut Vec<u8>, depth: usize) -> Result<E::Tag, ColumnError> {
        Ok(match self {
            Self::Null => E::nil(out),
            Self::Bool(flag) => E::boolean(out, *flag),
            Self::Int(int) => E::integer(out, *int),
            Self::Float(float) => E::float(out, *float),
            Self::Text(text) => E::bytes(out, particle::STRING, text.as_bytes()),
            Self::Bytes(bytes) => E::bytes(out, particle::BLOB, bytes),
            Self::List(items, rows) => {
                let tag = E::list(out, count(rows.len())?);
                for (at, row) in rows.clone().enumerate() {
                    let item = items.cell(row).and_then(|item| item.element(out, depth - 1));
                    item.map_err(|error| error.within(&format!("[{at}]")))?;
                }
                tag
            }
            Self::Map(keys, values, rows) => {
                let tag = E::map(out, count(rows.len())?);
                for row in rows.clone() {
                    let key = keys.cell(row)?;
                    if !matches!(key, Cell::Int(_) | Cell::Text(_) | Cell::Bytes(_)) {
                        return Err(ColumnError::kind(
                            "a map key must be an integer, text or bytes",
                        ));
                    }
                    key.element(out, depth - 1)?;
                    let value = values.cell(row).and_then(|value| value.element(out, depth - 1));
                    value.map_err(|error| error.within("a map's value"))?;
                }
                tag
            }
            Self::Struct(fields, row) => {
                let tag = E::map(out, count(fields.len())?);
                for (name, field) in *fields {
                    msgpack::bytes(out, particle::STRING, name.as_bytes());
                    let value = field.cell(*row).and_then(|value| value.element(out, depth - 1));
                    value.map_err(|error| error.within(&format!("[{name:?}]")))?;
                }
                tag
            }
        })
    }
}

fn count(len: usize) -> Result<u32, ColumnError> {
    u32::try_from(len).map_err(|_| ColumnError::value("more than 2^32 elements"))
}

/// An unsigned integer as a bin can store it.
pub fn unsigned(int: u64) -> Result<i64, ColumnError> {
    i64::try_from(int).map_err(|_| {
        ColumnError::overflow(format!("the integer {int} does not fit 64 bits signed"))
    })
}
