//! What may be wrong with a value, and in which row and column.

use std::fmt;

use spikewire_aerospike_protocol::Malformed;

/// What kind of error it is, for languages that tell these apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The value is of another type than the column.
    Type,
    /// The type is right, the value is not.
    Value,
    /// A number is beyond the column's bounds.
    Overflow,
}

/// A value that does not go where it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnError {
    /// What kind of error it is.
    pub class: ErrorClass,
    /// What is wrong, with the culprit in it.
    pub message: String,
}

impl ColumnError {
    /// The value is of another type than the column.
    pub fn kind(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Type, message: message.into() }
    }

    /// The type is right, the value is not.
    pub fn value(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Value, message: message.into() }
    }

    /// A number beyond the column's bounds.
    pub fn overflow(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Overflow, message: message.into() }
    }

    /// Says where inside a value it is.
    #[must_use]
    pub fn within(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ColumnError {}

impl From<Malformed> for ColumnError {
    fn from(error: Malformed) -> Self {
        Self::value(error.to_string())
    }
}

impl From<spikewire_cql::notation::Malformed> for ColumnError {
    fn from(error: spikewire_cql::notation::Malformed) -> Self {
        Self::value(error.to_string())
    }
}

/// Why columns were not made, by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowError {
    /// The row failed; its error is the batch's to tell.
    Failed(usize),
    /// There is no such record, and that was not to be masked.
    NoRecord(usize),
    /// A column got no value, and that was not to be masked.
    NoValue(usize, String),
    /// A value that does not go into its column.
    Bad(usize, String, ColumnError),
}

impl RowError {
    /// The row it is about.
    pub fn row(&self) -> usize {
        let (Self::Failed(row) | Self::NoRecord(row) | Self::NoValue(row, _) | Self::Bad(row, ..)) =
            self;
        *row
    }
}
