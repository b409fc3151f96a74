//! The rows of a result as one Arrow table.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use pyo3::prelude::*;
use spikewire_columns::RowError;
use spikewire_columns::cql::Table;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;
use std::sync::Arc;

use crate::bridge::errors::value_error;
use crate::columns::{column_error, refused};
use crate::cql::pages::Pages;

/// The rows as columns.
pub fn to_arrow(py: Python<'_>, rows: &Pages) -> PyResult<RecordBatch> {
    let Some(shape) = &rows.shape else {
        let options = RecordBatchOptions::new().with_row_count(Some(0));
        let empty = Arc::new(Schema::empty());
        return RecordBatch::try_new_with_options(empty, vec![], &options).map_err(refused);
    };
    py.detach(|| {
        let count = rows.all.iter().map(|page| page.count).sum();
        let mut table = Table::new(shape.columns.clone(), count);
        for page in &rows.all {
            let cells = Cells(Reader(&page.cells));
            table.append(cells, page.count).map_err(|error| row_error(&error))?;
        }
        table.finish().map_err(refused)
    })
}

/// A value that does not go into its column.
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
