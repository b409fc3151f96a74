//! The rows of a result as bytes, from which rows and columns are created.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use smallvec::SmallVec;
use spikewire_cassandra::statement::Shape;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;

use super::classes::Classes;
use crate::bridge::errors::value_error;

/// The rows that arrived with one reply.
#[derive(Debug)]
pub struct Page {
    /// The cells of the rows. Python's allocator is the faster one for as few bytes as a single row
    /// has.
    bytes: Py<PyBytes>,
    /// The number of rows.
    pub count: usize,
    /// The columns, if they are not those of the first page: the table was changed in between.
    pub other: Option<Arc<Shape>>,
}

impl Page {
    /// A page with these cells of `count` rows.
    pub fn new(py: Python<'_>, cells: &Cells<'_>, count: usize) -> Self {
        Self { bytes: PyBytes::new(py, cells.0.rest()).unbind(), count, other: None }
    }

    /// The cells from this offset on.
    #[inline]
    pub fn cells<'a>(&'a self, py: Python<'_>, offset: usize) -> Cells<'a> {
        Cells(Reader(&self.bytes.as_bytes(py)[offset..]))
    }

    /// The length of the cells in bytes.
    pub fn len(&self, py: Python<'_>) -> usize {
        self.bytes.as_bytes(py).len()
    }
}

/// Pages in the order of their arrival, usually one.
pub type PageList = SmallVec<[Page; 1]>;

/// The pages of a result, and what is needed to decode them.
pub struct Pages {
    /// The columns of the first page. `None` if the statement returns no rows.
    pub shape: Option<Arc<Shape>>,
    /// The pages, in the order of their arrival.
    pub all: PageList,
    pub classes: Arc<Classes>,
}

impl Pages {
    /// The columns of a page.
    #[inline]
    pub fn shape_of<'a>(&'a self, page: &'a Page) -> Option<&'a Arc<Shape>> {
        page.other.as_ref().or(self.shape.as_ref())
    }

    /// The columns, if all pages have the same.
    pub fn one_shape(&self) -> PyResult<Option<&Arc<Shape>>> {
        let Some(first) = &self.shape else { return Ok(None) };
        let Some(other) = self.all.iter().find_map(|page| page.other.as_ref()) else {
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
        self.all.iter().map(|page| (page.cells(py, 0), page.count)).collect()
    }
}
