//! Errors about values that do not fit a column, naming row and column.

use spikewire_columns::{ColumnError, ErrorClass, RowError};

use crate::js::Failure;

/// The failure for an error of a column.
pub fn column_failure(error: ColumnError) -> Failure {
    match error.class {
        ErrorClass::Type => Failure::of_type(error.message),
        ErrorClass::Value | ErrorClass::Overflow => Failure::of_range(error.message),
    }
}

/// The failure for a row.
pub fn row_failure(error: RowError) -> Failure {
    column_failure(error.in_table("table"))
}
