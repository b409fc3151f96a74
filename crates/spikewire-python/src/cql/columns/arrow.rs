//! The rows of a result as one Arrow table.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use pyo3::prelude::*;
use spikewire_columns::RowError;
use spikewire_columns::cql::Table;
use std::sync::Arc;

use crate::bridge::errors::value_error;
use crate::columns::{arrow_error, column_error};
use crate::cql::pages::Pages;

/// The rows as columns.
pub fn to_arrow(py: Python<'_>, rows: &Pages) -> PyResult<RecordBatch> {
    let Some(shape) = rows.one_shape()? else {
        let options = RecordBatchOptions::new().with_row_count(Some(0));
        let empty = Arc::new(Schema::empty());
        return RecordBatch::try_new_with_options(empty, vec![], &options).map_err(arrow_error);
    };
    let pages = rows.cells(py);
    py.detach(|| {
        let count = pages.iter().map(|(_, count)| count).sum();
        let mut table = Table::new(shape.columns.clone(), count);
        for (cells, count) in pages {
            table.append(cells, count).map_err(|error| row_error(&error))?;
        }
        table.finish().map_err(arrow_error)
    })
}

/// The exception for a value that does not fit its column.
pub fn row_error(error: &RowError) -> PyErr {
    match error {
        RowError::Bad(row, column, error) => {
            column_error(error.clone().within(&format!("row {row}, column {column:?}")))
        }
        RowError::NoValue(row, column) => {
            value_error(format!("row {row}, column {column:?}: there is no value"))
        }
        RowError::Failed(row) | RowError::NoRecord(row) => {
            value_error(format!("row {row}: there is none"))
        }
    }
}
