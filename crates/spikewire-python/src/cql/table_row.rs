//! A row of a table, as the parameters of a statement.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cassandra::statement::Prepared as Known;
use spikewire_cql::response::Column;

use crate::bridge::errors::value_error;

/// The values of a row, as the statement takes them.
#[pyclass(frozen, module = "spikewire._native")]
pub struct TableRow {
    known: Arc<Known>,
    bytes: Vec<u8>,
}

impl TableRow {
    /// Values that were encoded for this statement.
    pub fn new(known: Arc<Known>, bytes: Vec<u8>) -> Self {
        Self { known, bytes }
    }

    /// Appends the values, which must have been encoded for this statement or an equal one.
    pub fn bind(&self, known: &Known, out: &mut Vec<u8>) -> PyResult<()> {
        let (own, other) = (&*self.known.parameters, &*known.parameters);
        let same = |(own, other): (&Column, &Column)| own.ty == other.ty && own.name == other.name;
        if own.len() != other.len() || !own.iter().zip(other).all(same) {
            return Err(value_error("the parameters are those of another statement"));
        }
        out.extend_from_slice(&self.bytes);
        Ok(())
    }
}
