//! Creates a table builder for the requested columns, with the user keys of a batch.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_columns::arrow::{BufferPool, TableBuilder};
use spikewire_columns::{ExtraColumns, RowError};

use super::rows::with_key;
use crate::aerospike::key::Key;
use crate::columns::column_error;
use crate::columns::schema;

/// A builder for the columns of a schema, or for the columns found in the rows.
pub fn table_builder(
    schema_object: Option<&Bound<'_, PyAny>>,
    extra: &ExtraColumns,
    loose: bool,
    pool: Option<&Arc<BufferPool>>,
) -> PyResult<TableBuilder> {
    let schema = schema_object.map(schema).transpose()?;
    TableBuilder::new(schema, extra, loose, pool).map_err(column_error)
}

/// Fills the column of user keys.
pub fn fill_keys(
    py: Python<'_>,
    table: &mut TableBuilder,
    keys: &[Key],
) -> PyResult<Result<(), RowError>> {
    if !table.wants_keys() {
        return Ok(Ok(()));
    }
    for (row, key) in keys.iter().enumerate() {
        let put = with_key(key.user.bind(py), |item| table.push_key(item.as_ref(), row))?;
        if put.is_err() {
            return Ok(put);
        }
    }
    Ok(Ok(()))
}
