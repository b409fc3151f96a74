//! The rows of a result as bytes: what rows and columns are made of.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use smallvec::SmallVec;
use spikewire_cassandra::statement::Shape;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;

use super::classes::Classes;

/// Rows as they came with one reply.
#[derive(Debug)]
pub struct Page {
    /// Their cells. Python's allocator is the quicker one for those of a row.
    bytes: Py<PyBytes>,
    /// How many rows there are.
    pub count: usize,
}

impl Page {
    /// With these cells of so many rows.
    pub fn new(py: Python<'_>, cells: &Cells<'_>, count: usize) -> Self {
        Self { bytes: PyBytes::new(py, cells.0.rest()).unbind(), count }
    }

    /// The cells from here on.
    #[inline]
    pub fn cells<'a>(&'a self, py: Python<'_>, offset: usize) -> Cells<'a> {
        Cells(Reader(&self.bytes.as_bytes(py)[offset..]))
    }

    /// How many bytes the cells are.
    pub fn len(&self, py: Python<'_>) -> usize {
        self.bytes.as_bytes(py).len()
    }
}

/// Pages in the order in which they came: mostly one.
pub type PageList = SmallVec<[Page; 1]>;

/// The pages of a result and what reads them.
pub struct Pages {
    /// The columns; `None` where the statement has no rows.
    pub shape: Option<Arc<Shape>>,
    /// In the order in which they came.
    pub all: PageList,
    pub classes: Arc<Classes>,
}

impl Pages {
    /// The cells of each page and how many rows they are, to be read without the interpreter.
    pub fn cells<'a>(&'a self, py: Python<'_>) -> Vec<(Cells<'a>, usize)> {
        self.all.iter().map(|page| (page.cells(py, 0), page.count)).collect()
    }
}
