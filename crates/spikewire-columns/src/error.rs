//! Errors in a value, with row and column.

use std::fmt;

use spikewire_aerospike_protocol::Malformed;

/// The class of an error, for languages that distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The value has another type than the column.
    Type,
    /// The type is right, but not the value.
    Value,
    /// A number is out of the column's range.
    Overflow,
}

/// A value that does not fit where it should go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnError {
    /// Its class.
    pub class: ErrorClass,
    /// What is wrong, including the value.
    pub message: String,
}

impl ColumnError {
    /// The value has another type than the column.
    pub fn kind(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Type, message: message.into() }
    }

    /// The type is right, but not the value.
    pub fn value(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Value, message: message.into() }
    }

    /// A number is out of the column's range.
    pub fn overflow(message: impl Into<String>) -> Self {
        Self { class: ErrorClass::Overflow, message: message.into() }
    }

    /// Adds the place within a value.
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

/// Why columns could not be built, with the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowError {
    /// The row failed; its error is in the batch.
    Failed(usize),
    /// There is no such record, and there is no mask for that.
    NoRecord(usize),
    /// A column has no value, and there is no mask for that.
    NoValue(usize, String),
    /// A value does not fit its column.
    Bad(usize, String, ColumnError),
}

impl RowError {
    /// The error in the words of one of its column, for a row of a "table" or "batch".
    pub fn in_table(self, table: &str) -> ColumnError {
        let (row, column, error) = match self {
            Self::Failed(row) | Self::NoRecord(row) => {
                (row, String::new(), ColumnError::value("there is no record"))
            }
            Self::NoValue(row, column) => (row, column, ColumnError::value("there is no value")),
            Self::Bad(row, column, error) => (row, column, error),
        };
        let column = if column.is_empty() { column } else { format!(", {column:?}") };
        error.within(&format!("row {row} of the {table}{column}"))
    }

    /// The row it is about.
    pub fn row(&self) -> usize {
        let (Self::Failed(row) | Self::NoRecord(row) | Self::NoValue(row, _) | Self::Bad(row, ..)) =
            self;
        *row
    }
}
