//! Blocks of rows, converted column by column, so that a column's type is checked once for many
//! values.

use spikewire_cql::notation::Malformed;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::types::Type;
use spikewire_cql::value::decode;

use super::column::{Column, Store};
use super::sink::Columns;
use crate::error::ColumnError;

/// Rows per block: the cell positions of a few columns fit into the L1 cache.
pub(super) const ROWS: usize = 256;

/// The cells of some rows.
#[derive(Debug, Default)]
pub(super) struct Block<'a> {
    cells: Vec<Option<&'a [u8]>>,
    columns: usize,
}

impl<'a> Block<'a> {
    /// Replaces its cells with those of this many rows. An error gives the row and the column of
    /// the missing cell.
    pub fn take(
        &mut self,
        cells: &mut Cells<'a>,
        columns: usize,
        rows: usize,
    ) -> Result<(), (usize, usize, Malformed)> {
        self.cells.clear();
        self.columns = columns;
        for at in 0..columns * rows {
            let cell = cells.cell().map_err(|error| (at / columns, at % columns, error))?;
            self.cells.push(cell);
        }
        Ok(())
    }

    /// Appends one of its columns to the column `top`. An error includes its row.
    pub fn append(
        &self,
        at: usize,
        ty: &Type,
        columns: &Columns,
        top: usize,
    ) -> Result<(), (usize, ColumnError)> {
        let mut row = 0;
        let from = |row| self.cells.iter().skip(at + row * self.columns).step_by(self.columns);
        loop {
            row += plain(&mut columns.all.borrow_mut()[top], ty, &mut from(row).copied());
            // The end, or what stopped it: a null, no bytes, another type, or a wrong length.
            let Some(cell) = from(row).next() else { return Ok(()) };
            columns.at.set(top);
            decode(ty, *cell, columns).map_err(|error| (row, error))?;
            row += 1;
        }
    }
}

/// Appends values of the most common types until one does not fit; returns how many.
fn plain<'a>(
    column: &mut Column,
    ty: &Type,
    cells: &mut impl Iterator<Item = Option<&'a [u8]>>,
) -> usize {
    let count = match (&mut column.store, ty) {
        (Store::I32(all), Type::Int) => numbers(cells, all, i32::from_be_bytes),
        (Store::I64(all), Type::Bigint | Type::Counter | Type::Timestamp | Type::Time) => {
            numbers(cells, all, i64::from_be_bytes)
        }
        (Store::F32(all), Type::Float) => numbers(cells, all, f32::from_be_bytes),
        (Store::F64(all), Type::Double) => numbers(cells, all, f64::from_be_bytes),
        (Store::Boolean(flags), Type::Boolean) => {
            let before = flags.len();
            cells.map_while(|cell| <[u8; 1]>::try_from(cell?).ok()).for_each(|value| {
                flags.append(value != [0]);
            });
            flags.len() - before
        }
        (Store::Bytes(ends, data), Type::Text | Type::Ascii | Type::Blob) => {
            let before = ends.0.len();
            cells.map_while(|cell| cell).for_each(|value| {
                data.extend_from_slice(value);
                ends.push(data.len());
            });
            ends.0.len() - before
        }
        _ => 0,
    };
    column.valid.append_n_non_nulls(count);
    count
}

fn numbers<'a, T, const N: usize>(
    cells: &mut impl Iterator<Item = Option<&'a [u8]>>,
    all: &mut Vec<T>,
    of: impl Fn([u8; N]) -> T,
) -> usize {
    let before = all.len();
    all.extend(cells.map_while(|cell| cell?.try_into().ok()).map(of));
    all.len() - before
}
