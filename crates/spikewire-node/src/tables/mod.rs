//! Tables that a program passes in: Arrow tables and typed arrays, for both databases.
//!
//! | module | what it holds |
//! |---|---|
//! | here | a table as JavaScript refers to it |
//! | [`parts`] | columns from the memory of typed arrays |
//! | [`ipc`] | whether Arrow IPC bytes can be read |
//! | [`stream`] | the reverse: tables for JavaScript |
//! | [`failure`] | errors about values of columns |

pub mod failure;
mod ipc;
mod parts;
pub mod stream;

use std::io::Cursor;
use std::rc::Rc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use spikewire_columns::source::{Cells, cells, check};

use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::js::{Failure, Result, Value};
use failure::column_failure;

/// A table.
#[derive(Debug)]
pub struct Table {
    schema: SchemaRef,
    /// Its rows, some at a time.
    pub batches: Vec<RecordBatch>,
}

impl Resource for Table {}

impl Table {
    /// The table that a function has got the number of.
    pub fn of(call: &Call<'_>, at: usize) -> Result<Rc<Self>> {
        call.host.environment.resources.get(call.index(at)?)
    }

    /// The names of its columns.
    pub fn names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The type of a column.
    pub fn kind(&self, column: usize) -> &DataType {
        self.schema.field(column).data_type()
    }

    /// The batch that has a row, and its index there.
    pub fn locate(&self, row: usize) -> Result<(&RecordBatch, usize)> {
        let mut at = row;
        for batch in &self.batches {
            if at < batch.num_rows() {
                return Ok((batch, at));
            }
            at -= batch.num_rows();
        }
        Err(Failure::of_range(format!("the table has no row {row}")))
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Access to the cells of some columns of a batch, whose types are checked.
    pub fn cells(&self, batch: &RecordBatch, columns: &[usize]) -> Result<Vec<Box<dyn Cells>>> {
        let column = |at: &usize| {
            let name = || format!("column {:?}", self.schema.field(*at).name());
            let checked = check(self.kind(*at)).and_then(|()| cells(batch.column(*at)));
            checked.map_err(|error| column_failure(error.within(&name())))
        };
        columns.iter().map(column).collect()
    }
}

/// `tableOpen(source)`: reads a table from an Arrow IPC stream or file, or from an array of batches
/// (see [`parts`]). Returns its number, the names of its columns, and how many rows it has.
pub fn open<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (env, source) = (call.env, call.argument(0));
    let table = match source.with_bytes(read) {
        Some(table) => table?,
        None => parts::table(source)?,
    };
    let names = env.array_of(table.names().into_iter().map(|name| env.string(name)))?;
    let rows = env.number(table.rows() as f64)?;
    let number = env.uint32(call.host.environment.resources.add(Rc::new(table)))?;
    env.array_of([number, names, rows].into_iter().map(Ok)).map(Some)
}

/// A table from an IPC stream or file.
fn read(bytes: &[u8]) -> Result<Table> {
    let unreadable = |error: ArrowError| {
        Failure::of_range(format!("the bytes are not readable as an Arrow IPC stream: {error}"))
    };
    ipc::check(bytes).map_err(|why| unreadable(ArrowError::IpcError(why.to_owned())))?;
    if bytes.starts_with(ipc::FILE) {
        let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(unreadable)?;
        let schema = reader.schema();
        let batches = reader.collect::<std::result::Result<_, _>>().map_err(unreadable)?;
        return Ok(Table { schema, batches });
    }
    let reader = StreamReader::try_new(bytes, None).map_err(unreadable)?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<_, _>>().map_err(unreadable)?;
    Ok(Table { schema, batches })
}
