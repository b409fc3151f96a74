//! Collects the rows of a query into tables.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use spikewire_aerospike::Error;
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike::transport::stream::{Advance, Found};
use spikewire_aerospike_protocol::message::{Header, Walk};
use spikewire_columns::arrow::{BufferPool, TableBuilder};
use spikewire_columns::{ExtraColumns, RowError, WireValue};

use super::failure::{column_failure, row_failure};
use crate::aerospike::query::reading::RunningQuery;
use crate::environment::resources::Resource;
use crate::js::{Failure, Result};

/// A table with this many bytes of records is complete.
const ENOUGH: usize = 4 << 20;
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
    rows: usize,
    bytes: usize,
}

enum TableError {
    Value(RowError),
    Query(Error),
}

impl PartialTable {
    fn add(&mut self, record: &Found<'_>) -> std::result::Result<(), RowError> {
        let row = &record.row;
        let header = Header { generation: row.generation, ttl: row.void_time, ..Header::default() };
        let key = row.key.and_then(<[u8]>::split_first);
        let key = key.map(|(of, key)| WireValue::of_bin(*of, key)).transpose();
        let key = key.map_err(|error| RowError::Bad(self.rows, String::new(), error.into()))?;
        let walk = Walk::over(row.ops, row.op_count);
        self.table.row(&header, walk, key.as_ref(), self.rows)?;
        self.rows += 1;
        self.bytes += row.ops.len();
        Ok(())
    }

    /// Takes rows that have arrived and keeps reading, until the table is complete or the turn is
    /// over.
    fn gather(
        &mut self,
        stream: &mut Stream,
        rows: usize,
    ) -> std::result::Result<Advance, TableError> {
        let begun = self.bytes;
        loop {
            if self.rows >= rows || self.bytes >= ENOUGH {
                return Ok(Advance::Ready);
            }
            let count = stream.take((rows - self.rows).min(256), |record| self.add(&record));
            if count.map_err(TableError::Value)? > 0 {
                if self.bytes - begun >= TURN {
                    return Ok(Advance::Again);
                }
                continue;
            }
            if stream.is_over() {
                return Ok(if self.rows > 0 { Advance::Ready } else { Advance::Over });
            }
            if !stream.fill(Some(Duration::ZERO)).map_err(TableError::Query)? {
                return Ok(Advance::Wait);
            }
        }
    }
}

impl Tables {
    /// The tables of a query, with the columns of a schema or, without one, those of the records.
    pub fn new(
        query: Rc<RunningQuery>,
        schema: Option<SchemaRef>,
        extra: ExtraColumns,
        rows: usize,
    ) -> Result<Self> {
        if query.has_results() {
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
            None => PartialTable { table: self.builder()?, rows: 0, bytes: 0 },
        };
        let step = self.query.with_stream(|stream| open.gather(stream, self.rows))?;
        let failure = match step {
            Ok(Advance::Ready) => match open.table.finish(open.rows) {
                Ok(table) => {
                    self.query.end_batch();
                    return Ok(TableStep::Table(table));
                }
                Err(error) => Failure::of_range(error.to_string()),
            },
            Ok(Advance::Over) => return Ok(TableStep::Over),
            Ok(more) => {
                *self.open.borrow_mut() = Some(open);
                return Ok(if more == Advance::Wait { TableStep::Wait } else { TableStep::Again });
            }
            Err(TableError::Value(error)) => row_failure(error),
            Err(TableError::Query(error)) => error.into(),
        };
        // The rows gathered will be returned again by whatever reads next.
        self.query.rewind();
        Err(failure)
    }
}
