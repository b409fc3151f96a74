//! Records of a query as columns, collected from the wire detached from the interpreter, a batch at
//! a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_aerospike::Kind;
use spikewire_aerospike::query::spec::{BATCH_ROWS, DEFAULT_BATCH_ROWS};
use spikewire_aerospike::transport::stream::{Advance, ReadError, TableDemand, TableSize};
use spikewire_aerospike_protocol::query::Row;
use spikewire_columns::arrow::{BufferPool, TableBuilder};
use spikewire_columns::{ExtraColumns, RowError, stored_row};

use super::reading::Reading;
use crate::aerospike::arguments::count;
use crate::aerospike::columns::{self, ArrowTable, QueryArray};
use crate::columns::column_error;
use crate::errors::value_error;

/// The initial capacity of the first array, in rows.
const FIRST: usize = 1024;
/// The number of bytes after which an event loop gets to run other tasks.
const TURN: usize = 1 << 20;
/// The same, while commands on single records arrive.
const SHORT_TURN: usize = 64 << 10;

/// The kind of batches that the caller wants.
pub enum BatchFormat {
    Arrow { schema: Option<Py<PyAny>>, extra: ExtraColumns },
    Numpy { dtype: Py<PyAny>, extra: ExtraColumns, strict: bool },
}

/// The batches of a query.
pub struct Batches {
    reading: Arc<Reading>,
    format: BatchFormat,
    rows: usize,
    open: Mutex<Option<Open>>,
    /// For Arrow tables: buffers for reuse.
    shelf: Arc<BufferPool>,
    /// For arrays: the initial capacity of the next one. Capacity for the maximum number of rows
    /// would be large, and mostly unused.
    room: AtomicUsize,
}

/// A batch in progress.
struct Open {
    columns: BatchColumns,
    size: TableSize,
}

enum BatchColumns {
    Arrow(Box<TableBuilder>),
    Numpy(Box<QueryArray>),
}

impl BatchColumns {
    #[inline]
    fn add(&mut self, number: usize, row: &Row<'_>) -> Result<(), RowError> {
        let (header, walk, key) = stored_row(row, number)?;
        match self {
            Self::Arrow(columns) => columns.row(&header, walk, key.as_ref(), number),
            Self::Numpy(strip) => strip.row(&header, walk, key.as_ref(), number),
        }
    }

    /// The number of rows that fit.
    fn room(&self) -> usize {
        match self {
            Self::Arrow(_) => usize::MAX,
            Self::Numpy(strip) => strip.room(),
        }
    }

    /// Makes room for more rows, of at most `rows`.
    fn grow(&mut self, py: Python<'_>, rows: usize) -> PyResult<()> {
        match self {
            Self::Arrow(_) => Ok(()),
            Self::Numpy(strip) => strip.grow(py, (2 * strip.room()).clamp(1, rows)),
        }
    }
}

impl Batches {
    pub fn new(
        reading: Arc<Reading>,
        format: BatchFormat,
        rows: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if reading.has_operations() {
            return Err(value_error(
                "results of operations do not go into columns: iterate over the query instead",
            ));
        }
        let (least, most) = BATCH_ROWS;
        let rows = rows.map(|rows| count("rows", rows, least, most)).transpose()?;
        let rows = rows.unwrap_or(DEFAULT_BATCH_ROWS) as usize;
        let (open, shelf, room) = (Mutex::default(), Arc::default(), FIRST.min(rows).into());
        Ok(Self { reading, format, rows, open, shelf, room })
    }

    /// Batches as Arrow tables.
    pub fn arrow(
        reading: &Arc<Reading>,
        rows: Option<&Bound<'_, PyAny>>,
        schema: Option<Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        generation: Option<&Bound<'_, PyAny>>,
        ttl: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let extra = columns::extra_columns(key, generation, ttl)?;
        // Checked now rather than with the first record.
        columns::table_builder(schema.as_ref(), &extra, false, None)?;
        let format = BatchFormat::Arrow { schema: schema.map(Bound::unbind), extra };
        Self::new(reading.clone(), format, rows)
    }

    /// Batches as NumPy arrays.
    pub fn numpy(
        reading: &Arc<Reading>,
        dtype: &Bound<'_, PyAny>,
        rows: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        generation: Option<&Bound<'_, PyAny>>,
        ttl: Option<&Bound<'_, PyAny>>,
        missing: &str,
    ) -> PyResult<Self> {
        let (extra, strict) = (columns::extra_columns(key, generation, ttl)?, missing == "raise");
        QueryArray::new(dtype, &extra, strict, 0)?;
        let format = BatchFormat::Numpy { dtype: dtype.clone().unbind(), extra, strict };
        Self::new(reading.clone(), format, rows)
    }

    fn open(&self, py: Python<'_>) -> PyResult<Open> {
        let columns = match &self.format {
            BatchFormat::Arrow { schema, extra } => {
                let schema = schema.as_ref().map(|schema| schema.bind(py));
                BatchColumns::Arrow(Box::new(columns::table_builder(
                    schema,
                    extra,
                    false,
                    Some(&self.shelf),
                )?))
            }
            BatchFormat::Numpy { dtype, extra, strict } => {
                let room = self.room.load(Relaxed);
                BatchColumns::Numpy(Box::new(QueryArray::new(
                    dtype.bind(py),
                    extra,
                    *strict,
                    room,
                )?))
            }
        };
        Ok(Open { columns, size: TableSize::default() })
    }

    /// Works on the next batch. `wait`: until it is complete, detached from the interpreter.
    pub fn advance(&self, py: Python<'_>, wait: bool) -> PyResult<Advance> {
        let open = self.open.lock().take();
        let mut open = match open {
            Some(open) => open,
            None => self.open(py)?,
        };
        loop {
            // A thread collects records detached from the interpreter. Only event loops must be
            // brief.
            let turn = if !wait && self.reading.is_crowded() { SHORT_TURN } else { TURN };
            let step = self.reading.with_stream(py, |stream| {
                let Open { columns, size } = &mut open;
                let (rows, room) = (self.rows, columns.room());
                let demand = TableDemand { rows, room, turn, wait };
                py.detach(|| size.collect(stream, demand, |number, row| columns.add(number, row)))
            })?;
            match step {
                Ok(None) => {
                    open.columns.grow(py, self.rows).inspect_err(|_| self.reading.rewind())?;
                }
                Ok(Some(Advance::Again)) if wait => py.check_signals().inspect_err(|_| {
                    self.reading.rewind();
                })?,
                Ok(Some(step)) => {
                    *self.open.lock() = Some(open);
                    return Ok(step);
                }
                // The records collected so far are returned again by whatever reads the query next.
                Err(ReadError::Row(stop)) => {
                    self.reading.rewind();
                    return Err(column_error(stop.in_table("batch")));
                }
                Err(ReadError::Query(error)) => {
                    if !matches!(error.kind(), Kind::Closed | Kind::QueryClosed) {
                        self.reading.rewind();
                    }
                    return Err(self.reading.failure(py, &error));
                }
            }
        }
    }

    /// The completed batch.
    pub fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Some(open) = self.open.lock().take() else {
            return Err(PyRuntimeError::new_err("another thread took the batch"));
        };
        let rows = open.size.rows;
        self.room.store((rows + rows / 8 + 1).min(self.rows), Relaxed);
        match finish_columns(py, open) {
            Ok(batch) => {
                self.reading.end_batch();
                Ok(batch)
            }
            // Its records are returned again by whatever reads the query next.
            Err(error) => {
                self.reading.rewind();
                Err(error)
            }
        }
    }
}

fn finish_columns(py: Python<'_>, open: Open) -> PyResult<Bound<'_, PyAny>> {
    let Open { columns, size: TableSize { rows, .. } } = open;
    Ok(match columns {
        BatchColumns::Arrow(columns) => {
            let table = py.detach(|| columns.finish(rows)).map_err(columns::arrow_error)?;
            Bound::new(py, ArrowTable::new(table))?.into_any()
        }
        BatchColumns::Numpy(strip) => strip.finish(py, rows)?,
    })
}

/// Goes through the batches of a `Query`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct QueryBatches {
    batches: Batches,
}

impl From<Batches> for QueryBatches {
    fn from(batches: Batches) -> Self {
        Self { batches }
    }
}

#[pymethods]
impl QueryBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.batches.advance(py, true)? {
            Advance::Over => Ok(None),
            _ => self.batches.finish(py).map(Some),
        }
    }
}
