//! Creates rows from the cells of a page.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cql::response::Column;
use spikewire_cql::response::rows::Cells;

use super::errors::BoxedPyErr;
use super::fill;
use super::row::{Names, Row};
use super::value::{ValueDecoder, value};

/// The row at the start of the cells.
#[inline]
pub fn row<'py>(
    names: &Arc<Names>,
    columns: &[Column],
    cells: &mut Cells<'_>,
    decoder: ValueDecoder<'_, 'py>,
) -> Result<Bound<'py, Row>, BoxedPyErr> {
    let values = fill::tuple(decoder.py, columns.len(), |at| {
        value(&columns[at].ty, cells.cell()?, &decoder)
    })?;
    Ok(Bound::new(decoder.py, Row::make(names.clone(), values))?)
}

/// The most recently created rows. If nothing else refers to one of them any more, it is reused for
/// a later row, as `zip` does with its tuples. A program cannot notice.
#[derive(Default)]
pub struct RecentRows {
    /// Two rows, because in `for row in rows` the name `row` still refers to the last one.
    rows: [Option<Py<Row>>; 2],
}

impl RecentRows {
    /// Like [`row`].
    #[inline]
    pub fn row<'py>(
        &mut self,
        names: &Arc<Names>,
        columns: &[Column],
        cells: &mut Cells<'_>,
        decoder: ValueDecoder<'_, 'py>,
    ) -> Result<Bound<'py, Row>, BoxedPyErr> {
        if cfg!(Py_GIL_DISABLED) {
            return row(names, columns, cells, decoder);
        }
        self.rows.swap(0, 1);
        let reused = match self.rows[0].take() {
            Some(unused) => again(unused.into_bound(decoder.py), columns, cells, decoder)?,
            None => None,
        };
        let row = reused.map_or_else(|| row(names, columns, cells, decoder), Ok)?;
        self.rows[0] = Some(row.clone().unbind());
        Ok(row)
    }

    /// Drops the rows.
    pub fn clear(&mut self) {
        self.rows = [None, None];
    }
}

/// Refills a row with the values at the start of the cells. `None` if something else refers to it.
#[inline]
fn again<'py>(
    unused: Bound<'py, Row>,
    columns: &[Column],
    cells: &mut Cells<'_>,
    decoder: ValueDecoder<'_, 'py>,
) -> Result<Option<Bound<'py, Row>>, BoxedPyErr> {
    let is_refilled = fill::is_ours(unused.as_any())
        && fill::again(unused.get().tuple(decoder.py), |at| {
            value(&columns[at].ty, cells.cell()?, &decoder)
        })?;
    Ok(is_refilled.then_some(unused))
}
