//! Collects the rows of a query into tables.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use spikewire_aerospike::transport::stream::{Advance, ReadError, TableDemand, TableSize};
use spikewire_columns::arrow::{BufferPool, TableBuilder};
use spikewire_columns::{ExtraColumns, stored_row};

use crate::aerospike::query::reading::RunningQuery;
use crate::environment::resources::Resource;
use crate::js::{Failure, Result};
use crate::tables::failure::{column_failure, row_failure};

/// After this many bytes, the event loop gets its turn.
const TURN: usize = 256 << 10;

/// The tables of a query.
pub struct Tables {
    query: Rc<RunningQuery>,
    schema: Option<SchemaRef>,
    extra: ExtraColumns,
    rows: usize,
    open: RefCell<Option<PartialTable>>,
    /// Buffers to be reused.
    shelf: Arc<BufferPool>,
}

impl Resource for Tables {}

/// The result of an attempt to complete a table.
pub enum TableStep {
    Table(RecordBatch),
    /// More data must arrive first.
    Wait,
    /// Other tasks should run first.
    Again,
    Over,
}

/// A table under construction.
struct PartialTable {
    table: TableBuilder,
    size: TableSize,
}

impl Tables {
    /// The tables of a query, with the columns of a schema or, without one, those of the records.
    pub fn new(
        query: Rc<RunningQuery>,
        schema: Option<SchemaRef>,
        extra: ExtraColumns,
        rows: usize,
    ) -> Result<Self> {
        if query.has_results {
            return Err(Failure::of_range(
                "results of operations do not go into columns: iterate over the query instead",
            ));
        }
        let (open, shelf) = (RefCell::default(), Arc::default());
        let tables = Self { query, schema, extra, rows, open, shelf };
        // Validates the schema now rather than with the first record.
        tables.builder()?;
        Ok(tables)
    }

    fn builder(&self) -> Result<TableBuilder> {
        let (schema, shelf) = (self.schema.clone(), Some(&self.shelf));
        TableBuilder::new(schema, &self.extra, false, shelf).map_err(column_failure)
    }

    /// Works on the next table.
    pub fn advance(&self) -> Result<TableStep> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => PartialTable { table: self.builder()?, size: TableSize::default() },
        };
        let demand = TableDemand { rows: self.rows, room: self.rows, turn: TURN, wait: false };
        let step = self.query.with_stream(|stream| {
            open.size.collect(stream, demand, |number, row| {
                let (header, walk, key) = stored_row(row, number)?;
                open.table.row(&header, walk, key.as_ref(), number)
            })
        })?;
        let failure = match step {
            Ok(Some(Advance::Ready)) => match open.table.finish(open.size.rows) {
                Ok(table) => {
                    self.query.end_batch();
                    return Ok(TableStep::Table(table));
                }
                Err(error) => Failure::of_range(error.to_string()),
            },
            Ok(Some(Advance::Over)) => return Ok(TableStep::Over),
            Ok(more) => {
                *self.open.borrow_mut() = Some(open);
                return Ok(if more == Some(Advance::Wait) {
                    TableStep::Wait
                } else {
                    TableStep::Again
                });
            }
            Err(ReadError::Row(error)) => row_failure(error),
            Err(ReadError::Query(error)) => error.into(),
        };
        // The rows gathered will be returned again by whatever reads next.
        self.query.rewind();
        Err(failure)
    }
}
