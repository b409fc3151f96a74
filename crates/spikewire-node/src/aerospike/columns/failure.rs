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
    let (row, place, why) = match error {
        RowError::Bad(row, place, error) => (row, place, error),
        RowError::NoValue(row, place) => (row, place, ColumnError::value("there is no value")),
        RowError::Failed(row) | RowError::NoRecord(row) => {
            (row, String::new(), ColumnError::value("there is no record"))
        }
    };
    let column = if place.is_empty() { String::new() } else { format!(", {place:?}") };
    column_failure(why.within(&format!("row {row} of the table{column}")))
}
