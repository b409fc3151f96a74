//! Rows of fixed-size fields, as in a NumPy structured array.
//!
//! | module | contents |
//! |---|---|
//! | `cell` | writing a value into one element |
//! | `nested` | writing lists into sub-arrays of the same shape |

mod cell;
mod nested;

/// The kind of a field's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// A signed integer.
    Int,
    /// An unsigned integer.
    UInt,
    /// A 4-byte or 8-byte float.
    Float,
    /// One byte, 0 or 1.
    Bool,
    /// Bytes, padded with NUL.
    Bytes,
    /// UCS-4 text, padded with NUL.
    Text,
    /// Bytes of exactly this size.
    Raw,
    /// A signed integer whose minimum means "not a time".
    Time,
}

/// One element of a field.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// Its kind.
    pub kind: CellKind,
    /// Its size in bytes.
    pub size: usize,
    /// Whether its byte order differs from the machine's.
    pub swapped: bool,
}

/// A field of a row.
#[derive(Debug)]
pub struct Field {
    /// The bin's name.
    pub name: String,
    /// Its type, for messages.
    pub type_name: String,
    /// Its offset in a row.
    pub offset: usize,
    /// The offset of its flags in a row of the mask, which has one flag per element.
    pub mask: usize,
    /// Its elements.
    pub cell: Cell,
    /// Size of each axis of a sub-array; empty for a single value.
    pub shape: Vec<usize>,
    /// Total number of elements.
    pub count: usize,
}
