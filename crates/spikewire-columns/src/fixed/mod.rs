//! Rows of fields with a fixed size, as in a structured array: values over the bytes of elements.
//!
//! | module | what it holds |
//! |---|---|
//! | `cell` | one value into the bytes of one element |
//! | `nested` | lists into sub-arrays of exactly their shape |

mod cell;
mod nested;

/// The kinds of a field's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// A signed integer.
    Int,
    /// An unsigned integer.
    UInt,
    /// A float of 4 or 8 bytes.
    Float,
    /// One byte, 0 or 1.
    Bool,
    /// Bytes, padded with NUL.
    Bytes,
    /// UCS-4 text, padded with NUL.
    Text,
    /// Bytes of exactly this size.
    Raw,
    /// A signed integer, of which the least one is taken for "not a time".
    Time,
}

/// One element of a field.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// What it is.
    pub kind: CellKind,
    /// Its size in bytes.
    pub size: usize,
    /// Whether its bytes are in the other order than the machine has.
    pub swapped: bool,
}

/// A field of a row.
#[derive(Debug)]
pub struct Field {
    /// The bin that goes there.
    pub name: String,
    /// Its type as messages show it.
    pub shown: String,
    /// Where it begins in a row.
    pub offset: usize,
    /// Where its flags are in a row of the mask: one per element.
    pub mask: usize,
    /// What each of its elements is.
    pub cell: Cell,
    /// Elements along each axis of a sub-array; empty for a single value.
    pub shape: Vec<usize>,
    /// Elements in all.
    pub count: usize,
}
