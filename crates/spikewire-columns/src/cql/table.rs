//! All columns of some rows.

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Schema};
use spikewire_cql::response::Column as Described;
use spikewire_cql::response::rows::Cells;
use std::sync::Arc;

use super::block::{self, Block};
use super::column::Column;
use super::finish::finish;
use super::sink::Columns;
use crate::error::RowError;

/// Columns to which rows are appended.
#[derive(Debug)]
pub struct Table {
    described: Arc<[Described]>,
    columns: Columns,
    /// The index of each column of the rows among all columns.
    tops: Vec<usize>,
    rows: usize,
}

impl Table {
    /// A table with these columns and capacity for this many rows.
    pub fn new(described: Arc<[Described]>, rows: usize) -> Self {
        let columns = Columns::default();
        let mut all = columns.all.borrow_mut();
        let tops: Vec<usize> =
            described.iter().map(|column| Column::add(&mut all, &column.ty, rows)).collect();
        drop(all);
        Self { described, columns, tops, rows: 0 }
    }

    /// Appends this many rows from the beginning of these cells.
    pub fn append(&mut self, mut cells: Cells<'_>, rows: usize) -> Result<(), RowError> {
        let bad = |row, column: usize, error| {
            RowError::Bad(row, self.described[column].name.to_string(), error)
        };
        let end = self.rows + rows;
        let mut block = Block::default();
        while self.rows < end {
            let (first, rows) = (self.rows, (end - self.rows).min(block::ROWS));
            block
                .take(&mut cells, self.described.len(), rows)
                .map_err(|(row, column, error)| bad(first + row, column, error.into()))?;
            for (at, (column, top)) in self.described.iter().zip(&self.tops).enumerate() {
                block
                    .append(at, &column.ty, &self.columns, *top)
                    .map_err(|(row, error)| bad(first + row, at, error))?;
            }
            self.rows += rows;
        }
        Ok(())
    }

    /// The columns as arrays, in one table.
    pub fn finish(self) -> Result<RecordBatch, ArrowError> {
        let Self { described, columns, tops, rows } = self;
        let mut all: Vec<Option<Column>> = columns.all.into_inner().into_iter().map(Some).collect();
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (column, at) in described.iter().zip(tops) {
            let finished = finish(&mut all, at, &column.name, true);
            let (field, array) = finished.map_err(|error| {
                ArrowError::InvalidArgumentError(format!("column {:?}: {error}", &*column.name))
            })?;
            fields.push(field);
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
    }
}
