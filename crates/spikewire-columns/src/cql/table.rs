//! All columns of some rows together.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Schema};
use spikewire_cql::response::Column as Described;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::value::decode;
use std::sync::Arc;

use super::column::Column;
use super::finish::finish;
use super::sink::Columns;
use crate::error::{ColumnError, RowError};

/// Columns that rows are appended to.
#[derive(Debug)]
pub struct Table {
    described: Arc<[Described]>,
    columns: Columns,
    /// Where each column of the rows is among all.
    tops: Vec<usize>,
    rows: usize,
}

impl Table {
    /// For these columns, with room for so many rows.
    pub fn new(described: Arc<[Described]>, rows: usize) -> Self {
        let columns = Columns::default();
        let mut all = columns.all.borrow_mut();
        let tops: Vec<usize> =
            described.iter().map(|column| Column::add(&mut all, &column.ty, rows)).collect();
        // After the last column comes the first one of the next row.
        for (at, top) in tops.iter().enumerate() {
            all[*top].next = tops[(at + 1) % tops.len()];
        }
        drop(all);
        Self { described, columns, tops, rows: 0 }
    }

    /// Appends the rows that begin these cells.
    pub fn append(&mut self, mut cells: Cells<'_>, rows: usize) -> Result<(), RowError> {
        for row in self.rows..self.rows + rows {
            for column in &*self.described {
                let bad = |error| RowError::Bad(row, column.name.to_string(), error);
                let cell = cells.cell().map_err(|error| bad(ColumnError::from(error)))?;
                decode(&column.ty, cell, &self.columns).map_err(bad)?;
            }
        }
        self.rows += rows;
        Ok(())
    }

    /// The columns as arrays, in one table.
    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let Self { described, columns, tops, rows } = self;
        let mut all: Vec<Option<Column>> = columns.all.into_inner().into_iter().map(Some).collect();
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (column, at) in described.iter().zip(tops) {
            let made = finish(&mut all, at, &column.name, true);
            let (field, array) = made.map_err(|error| {
                ArrowError::InvalidArgumentError(format!("column {:?}: {error}", &*column.name))
            })?;
            fields.push(field);
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
    }
}
