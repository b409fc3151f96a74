//! Tables for JavaScript.

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

use crate::js::{Env, Failure, Result, Value};

/// A table as an Arrow IPC stream.
pub fn stream<'e>(env: Env<'e>, table: &RecordBatch) -> Result<Value<'e>> {
    let failed = |error: ArrowError| Failure::of_range(error.to_string());
    let mut out = Vec::with_capacity(table.get_array_memory_size() + 1024);
    let mut writer = StreamWriter::try_new(&mut out, table.schema_ref()).map_err(failed)?;
    writer.write(table).and_then(|()| writer.finish()).map_err(failed)?;
    drop(writer);
    env.buffer(&out)
}
