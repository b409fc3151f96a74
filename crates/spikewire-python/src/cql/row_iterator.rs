//! The rows of a result one after the other.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::errors::Raised;
use super::row::{Names, Row};
use super::rows::Rows;
use super::value::Making;

/// Goes through the rows of a result.
///
/// A row that was given and that nothing refers to any more is filled again for a later one, as
/// `zip` does with its tuples; a program cannot tell.
#[pyclass(module = "spikewire._native")]
pub struct RowIterator {
    rows: Py<Rows>,
    names: Option<Arc<Names>>,
    /// Page, row of the page, offset.
    at: (usize, usize, usize),
    /// The last two rows: in `for row in rows` the name `row` still holds the last one.
    spare: [Option<Py<Row>>; 2],
}

impl RowIterator {
    /// From the first row on.
    pub fn new(rows: Bound<'_, Rows>) -> PyResult<Self> {
        let py = rows.py();
        let shape = rows.get().came.shape.as_ref();
        let names = shape.map(|shape| Names::of(py, shape).cloned()).transpose()?;
        Ok(Self { rows: rows.unbind(), names, at: (0, 0, 0), spare: [None, None] })
    }

    #[inline]
    fn next<'py>(&mut self, py: Python<'py>) -> Result<Option<Bound<'py, Row>>, Raised> {
        let rows = self.rows.get();
        let (Some(shape), Some(names)) = (&rows.came.shape, &self.names) else { return Ok(None) };
        let (mut page, mut row, mut offset) = self.at;
        while rows.came.all.get(page).is_some_and(|it| row >= it.count) {
            (page, row, offset) = (page + 1, 0, 0);
        }
        let Some(here) = rows.came.all.get(page) else {
            self.spare = [None, None];
            return Ok(None);
        };
        let mut cells = here.cells(py, offset);
        let making = Making { py, classes: &rows.came.classes };
        self.spare.swap(0, 1);
        let again = match self.spare[0].take() {
            Some(spare) => {
                Row::read_into(spare.into_bound(py), &shape.columns, &mut cells, &making)?
            }
            None => None,
        };
        let made = match again {
            Some(row) => row,
            None => Row::read(names, &shape.columns, &mut cells, &making)?,
        };
        if cfg!(not(Py_GIL_DISABLED)) {
            self.spare[0] = Some(made.clone().unbind());
        }
        self.at = (page, row + 1, here.len(py) - cells.0.rest().len());
        Ok(Some(made))
    }
}

#[pymethods]
impl RowIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, Row>>> {
        let Ok(mut this) = slf.try_borrow_mut() else {
            return Err(PyValueError::new_err("this iterator is at work on its next row already"));
        };
        Ok(this.next(slf.py())?)
    }

    fn __length_hint__(&self, py: Python<'_>) -> usize {
        self.rows.bind(py).get().count
    }
}
