//! All columns of a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::batch::RowContents;
use spikewire_aerospike_protocol::message::{Header, Walk};
use spikewire_aerospike_protocol::msgpack::Reader;
use spikewire_aerospike_protocol::void_time;

use super::buffer_pool::BufferPool;
use super::column::{Column, Depth, Store};
use super::number::Numbers;
use super::schema;
use crate::error::ColumnError;
use crate::error::RowError;
use crate::extra::ExtraColumns;
use crate::wire_value::WireValue;

/// Columns being built.
#[derive(Debug)]
pub struct TableBuilder {
    all: Vec<Column>,
    schema: Option<SchemaRef>,
    /// Whether bins without a column get one, and columns may hold values of any types.
    loose: bool,
    key: Option<usize>,
    generation: Option<usize>,
    ttl: Option<usize>,
    now: u64,
    pool: Option<Arc<BufferPool>>,
}

impl TableBuilder {
    /// The columns of a schema, or those found in the rows. `loose` allows columns to become
    /// objects. `pool` provides and reuses their memory.
    pub fn new(
        schema: Option<SchemaRef>,
        extra: &ExtraColumns,
        loose: bool,
        pool: Option<&Arc<BufferPool>>,
    ) -> Result<Self, ColumnError> {
        let mut all: Vec<Column> = if let Some(schema) = &schema {
            schema.fields().iter().map(|it| schema::column(it)).collect::<Result<_, _>>()?
        } else {
            let named = extra.all().into_iter();
            named.filter_map(|(what, name)| Some(plain(what, name?, loose))).collect()
        };
        if let Some(pool) = pool {
            for Column { name, store, memory, .. } in &mut all {
                match store {
                    Store::Bytes(bytes) => bytes.data = pool.take(name),
                    _ => *memory = pool.take(name),
                }
            }
        }
        let pool = pool.cloned();
        let (key, generation, ttl, now) = (None, None, None, void_time::now());
        let mut columns = Self { all, schema, loose, key, generation, ttl, now, pool };
        for (what, name) in extra.all() {
            let Some(name) = name else { continue };
            let at = columns.all.iter().position(|column| column.name == *name);
            if at.is_none() {
                return Err(ColumnError::value(format!(
                    "{what}: the schema has no field {name:?}"
                )));
            }
            match what {
                "key" => columns.key = at,
                "generation" => columns.generation = at,
                _ => columns.ttl = at,
            }
        }
        Ok(columns)
    }

    /// Whether there is a column for user keys.
    pub fn wants_keys(&self) -> bool {
        self.key.is_some()
    }

    /// Adds a user key to the key column, if there is one: null if only the digest is known.
    pub fn push_key(&mut self, key: Option<&WireValue<'_>>, row: usize) -> Result<(), RowError> {
        let Some(at) = self.key else { return Ok(()) };
        self.put(at, key.unwrap_or(&WireValue::Nil), row)
    }

    /// Adds a complete row with its user key.
    pub fn row(
        &mut self,
        header: &Header,
        walk: Walk<'_>,
        key: Option<&WireValue<'_>>,
        row: usize,
    ) -> Result<(), RowError> {
        if let (Some(at), Some(key)) = (self.key, key) {
            self.put(at, key, row)?;
        }
        self.record(header, walk, row)?;
        self.end_row(row)
    }

    /// Adds the rows of a batch, to which keys have been added: nulls if there is no record, and
    /// for rows that failed if `lenient`.
    pub fn fill<'a>(
        &mut self,
        rows: impl Iterator<Item = RowContents<'a>>,
        lenient: bool,
    ) -> Result<(), RowError> {
        for (row, contents) in rows.enumerate() {
            match contents {
                RowContents::Record(header, walk) => self.record(&header, walk, row)?,
                RowContents::Failed if !lenient => return Err(RowError::Failed(row)),
                RowContents::NoRecord | RowContents::Failed | RowContents::Late => {}
            }
            self.end_row(row)?;
        }
        Ok(())
    }

    /// Ends a row; columns without a value get a null.
    fn end_row(&mut self, row: usize) -> Result<(), RowError> {
        for at in 0..self.all.len() {
            if self.all[at].len() <= row {
                self.put(at, &WireValue::Nil, row)?;
            }
        }
        Ok(())
    }

    /// Adds the contents of a record to a row.
    fn record(&mut self, header: &Header, mut walk: Walk<'_>, row: usize) -> Result<(), RowError> {
        if let Some(at) = self.generation {
            self.put(at, &WireValue::Int(header.generation.into()), row)?;
        }
        if let Some(at) = self.ttl
            && header.ttl != 0
            && let Some(left) = void_time::seconds_left(header.ttl, self.now)
        {
            self.put(at, &WireValue::Int(left.into()), row)?;
        }
        let broken = |error: Malformed| RowError::Bad(row, String::new(), error.into());
        let mut next = 0;
        while let Some(op) = walk.next().map_err(broken)? {
            // Bins usually come in the same order in each row.
            let at = match self.all.get(next) {
                Some(column) if column.name.as_bytes() == op.name => next,
                _ => match self.all.iter().position(|it| it.name.as_bytes() == op.name) {
                    Some(at) => at,
                    None if self.schema.is_some() => continue,
                    None => {
                        let name = String::from_utf8_lossy(op.name);
                        let mut column = Column::open(&name, row);
                        column.loose = self.loose;
                        if let Some(pool) = &self.pool {
                            column.memory = pool.take(&name);
                        }
                        self.all.push(column);
                        self.all.len() - 1
                    }
                },
            };
            if [self.key, self.generation, self.ttl].contains(&Some(at)) {
                if self.schema.is_some() {
                    continue;
                }
                let why = "the records have a bin of this name, too: name the column otherwise";
                return Err(RowError::Bad(row, self.all[at].name.clone(), ColumnError::value(why)));
            }
            next = at + 1;
            let column = &mut self.all[at];
            match WireValue::of_bin(op.particle, op.value) {
                Ok(WireValue::Nil) => {}
                Ok(item) => {
                    // If a bin has several results, the last one wins.
                    column.truncate(row);
                    self.put(at, &item, row)?;
                }
                Err(error) => return Err(RowError::Bad(row, column.name.clone(), error.into())),
            }
        }
        Ok(())
    }

    fn put(&mut self, at: usize, item: &WireValue<'_>, row: usize) -> Result<(), RowError> {
        let column = &mut self.all[at];
        let pushed = column.push(item, &mut Reader::new(&[]), Depth::new(row));
        pushed.map_err(|error| RowError::Bad(row, column.name.clone(), error))
    }

    /// The columns as they are.
    pub fn into_columns(self) -> Vec<Column> {
        self.all
    }

    /// The columns as Arrow arrays.
    pub fn finish(self, rows: usize) -> Result<RecordBatch, ArrowError> {
        let Self { all, schema, pool, .. } = self;
        let mut fields = Vec::with_capacity(all.len());
        let mut arrays = Vec::with_capacity(all.len());
        for column in all {
            let name = column.name.clone();
            let array = match &pool {
                Some(pool) => column.finish_with(|data| pool.lend(&name, data))?,
                None => column.finish()?,
            };
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        let schema = schema.unwrap_or_else(|| Schema::new(fields).into());
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, arrays, &options)
    }
}

/// The column for metadata that is not a bin, unless a schema defines it.
fn plain(what: &str, name: &str, loose: bool) -> Column {
    let (kind, numbers) = match what {
        "generation" => (DataType::UInt16, Numbers::U16(vec![])),
        "ttl" => (DataType::UInt32, Numbers::U32(vec![])),
        _ => {
            let mut column = Column::open(name, 0);
            column.loose = loose;
            return column;
        }
    };
    Column::new(name, Some(kind), true, Store::Numbers(numbers))
}
