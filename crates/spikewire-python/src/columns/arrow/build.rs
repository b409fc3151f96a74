//! All columns of a batch together.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;

use spikewire_engine::command::batch::Batch as Rows;
use spikewire_protocol::Malformed;
use spikewire_protocol::message::{Header, Walk};
use spikewire_protocol::msgpack::Reader;
use spikewire_protocol::void_time;

use super::super::item::Item;
use super::super::rows::{Extra, Found, Stop, look, with_key};
use super::super::trouble::Trouble;
use super::column::{Column, Place, Store};
use super::number::Numbers;
use super::schema;
use super::shelf::Shelf;
use crate::errors::value_error;
use crate::key::Key;

/// Columns being built.
#[derive(Debug)]
pub struct Columns {
    all: Vec<Column>,
    schema: Option<SchemaRef>,
    /// Whether bins that have no column yet get one, and may then hold any types.
    loose: bool,
    key: Option<usize>,
    generation: Option<usize>,
    ttl: Option<usize>,
    now: u64,
    shelf: Option<Arc<Shelf>>,
}

impl Columns {
    /// The columns of a schema, or those that the rows will have. `loose`: columns may become
    /// objects. `shelf`: where their memory is from, and comes back to.
    pub fn new(
        schema: Option<&Bound<'_, PyAny>>,
        extra: &Extra,
        loose: bool,
        shelf: Option<&Arc<Shelf>>,
    ) -> PyResult<Self> {
        let schema = schema.map(schema::schema).transpose()?;
        let mut all: Vec<Column> = if let Some(schema) = &schema {
            schema.fields().iter().map(|it| schema::column(it)).collect::<Result<_, _>>()?
        } else {
            let named = extra.all().into_iter();
            named.filter_map(|(what, name)| Some(plain(what, name?, loose))).collect()
        };
        if let Some(shelf) = shelf {
            for Column { name, store, spare, .. } in &mut all {
                match store {
                    Store::Bytes(bytes) => bytes.data = shelf.take(name),
                    _ => *spare = shelf.take(name),
                }
            }
        }
        let shelf = shelf.cloned();
        let (key, generation, ttl, now) = (None, None, None, void_time::now());
        let mut columns = Self { all, schema, loose, key, generation, ttl, now, shelf };
        for (what, name) in extra.all() {
            let Some(name) = name else { continue };
            let at = columns.all.iter().position(|column| column.name == *name);
            if at.is_none() {
                return Err(value_error(format!("{what}: the schema has no field {name:?}")));
            }
            match what {
                "key" => columns.key = at,
                "generation" => columns.generation = at,
                _ => columns.ttl = at,
            }
        }
        Ok(columns)
    }

    /// Fills the column of user keys.
    pub fn keys(&mut self, py: Python<'_>, keys: &[Key]) -> PyResult<Result<(), Stop>> {
        let Some(at) = self.key else { return Ok(Ok(())) };
        for (row, key) in keys.iter().enumerate() {
            let put =
                with_key(key.user.bind(py), |item| self.put(at, &item.unwrap_or(Item::Nil), row))?;
            if put.is_err() {
                return Ok(put);
            }
        }
        Ok(Ok(()))
    }

    /// Fills the other columns.
    pub fn rows(&mut self, rows: &Rows, lenient: bool) -> Result<(), Stop> {
        for row in 0..rows.len() {
            match look(rows, row) {
                Found::Record(header, walk) => self.record(&header, walk, row)?,
                Found::Failed if !lenient => return Err(Stop::Failed(row)),
                Found::NoRecord | Found::Failed => {}
            }
            self.level(row)?;
        }
        Ok(())
    }

    /// Adds a row with its user key.
    pub fn row(
        &mut self,
        header: &Header,
        walk: Walk<'_>,
        key: Option<&Item<'_>>,
        row: usize,
    ) -> Result<(), Stop> {
        if let (Some(at), Some(key)) = (self.key, key) {
            self.put(at, key, row)?;
        }
        self.record(header, walk, row)?;
        self.level(row)
    }

    /// What has no value in this row is null.
    fn level(&mut self, row: usize) -> Result<(), Stop> {
        for at in 0..self.all.len() {
            if self.all[at].len() <= row {
                self.put(at, &Item::Nil, row)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, header: &Header, mut walk: Walk<'_>, row: usize) -> Result<(), Stop> {
        if let Some(at) = self.generation {
            self.put(at, &Item::Int(header.generation.into()), row)?;
        }
        if let Some(at) = self.ttl
            && header.ttl != 0
            && let Some(left) = void_time::seconds_left(header.ttl, self.now)
        {
            self.put(at, &Item::Int(left.into()), row)?;
        }
        let broken = |error: Malformed| Stop::Bad(row, String::new(), error.into());
        let mut next = 0;
        while let Some(op) = walk.next().map_err(broken)? {
            // Bins mostly come in the same order, row after row.
            let at = match self.all.get(next) {
                Some(column) if column.name.as_bytes() == op.name => next,
                _ => match self.all.iter().position(|it| it.name.as_bytes() == op.name) {
                    Some(at) => at,
                    None if self.schema.is_some() => continue,
                    None => {
                        let name = String::from_utf8_lossy(op.name);
                        let mut column = Column::open(&name, row);
                        column.loose = self.loose;
                        if let Some(shelf) = &self.shelf {
                            column.spare = shelf.take(&name);
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
                return Err(Stop::Bad(row, self.all[at].name.clone(), Trouble::value(why)));
            }
            next = at + 1;
            let column = &mut self.all[at];
            match Item::of_bin(op.particle, op.value) {
                Ok(Item::Nil) => {}
                Ok(item) => {
                    // Of several answers for one bin the last one counts.
                    column.truncate(row);
                    self.put(at, &item, row)?;
                }
                Err(error) => return Err(Stop::Bad(row, column.name.clone(), error.into())),
            }
        }
        Ok(())
    }

    fn put(&mut self, at: usize, item: &Item<'_>, row: usize) -> Result<(), Stop> {
        let column = &mut self.all[at];
        let pushed = column.push(item, &mut Reader::new(&[]), Place::new(row));
        pushed.map_err(|trouble| Stop::Bad(row, column.name.clone(), trouble))
    }

    /// The columns as they are.
    pub fn into_columns(self) -> Vec<Column> {
        self.all
    }

    /// The columns as Arrow arrays.
    pub fn finish(self, rows: usize) -> Result<RecordBatch, ArrowError> {
        let Self { all, schema, shelf, .. } = self;
        let mut fields = Vec::with_capacity(all.len());
        let mut arrays = Vec::with_capacity(all.len());
        for column in all {
            let name = column.name.clone();
            let array = match &shelf {
                Some(shelf) => column.finish_with(|data| shelf.lend(&name, data))?,
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

/// The column of something that is no bin, where no schema has it.
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
