//! The rows of a result as bytes, from which rows and columns are created.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spikewire_cassandra::statement::Shape;
use spikewire_cassandra::statement_job::{self, ResultPages};
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;

use super::classes::Classes;
use crate::bridge::errors::value_error;

/// The cells of a page. Python's allocator is the faster one for as few bytes as a single row has.
#[derive(Debug)]
pub struct CellBytes(Py<PyBytes>);

impl CellBytes {
    /// A copy of these cells.
    #[inline]
    pub fn new(py: Python<'_>, cells: &[u8]) -> Self {
        Self(PyBytes::new(py, cells).unbind())
    }

    /// The cells from this offset on.
    #[inline]
    pub fn at<'a>(&'a self, py: Python<'_>, offset: usize) -> Cells<'a> {
        Cells(Reader(&self.0.as_bytes(py)[offset..]))
    }

    /// Their length in bytes.
    pub fn len(&self, py: Python<'_>) -> usize {
        self.0.as_bytes(py).len()
    }
}

/// The rows that arrived with one reply.
pub type Page = statement_job::Page<CellBytes>;

/// The pages of a result, and what is needed to decode them.
pub struct Pages {
    /// The pages, in the order of their arrival, their columns and what came with them.
    pub result: ResultPages<CellBytes>,
    pub classes: Arc<Classes>,
}

impl Pages {
    /// The columns of a page.
    #[inline]
    pub fn shape_of<'a>(&'a self, page: &'a Page) -> Option<&'a Arc<Shape>> {
        page.other.as_ref().or(self.result.shape.as_ref())
    }

    /// The columns, if all pages have the same.
    pub fn one_shape(&self) -> PyResult<Option<&Arc<Shape>>> {
        let Some(first) = &self.result.shape else { return Ok(None) };
        let Some(other) = self.result.pages.iter().find_map(|page| page.other.as_ref()) else {
            return Ok(Some(first));
        };
        let names = |shape: &Shape| -> Vec<String> {
            shape.columns.iter().map(|column| format!("{} {}", column.name, column.ty)).collect()
        };
        Err(value_error(format!(
            "the schema was changed while the pages were fetched, so that they are not one table: \
             the columns were first {}, then {}; fetch them again, or go through the rows",
            names(first).join(", "),
            names(other).join(", ")
        )))
    }

    /// The cells of each page and the number of its rows, for reading them detached from the
    /// interpreter.
    pub fn cells<'a>(&'a self, py: Python<'_>) -> Vec<(Cells<'a>, usize)> {
        self.result.pages.iter().map(|page| (page.cells.at(py, 0), page.count)).collect()
    }
}
