//! Columns made of other columns: lists, maps, structs, dictionaries.

use std::ops::Range;

use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::cell::{Cell, Cells};
use crate::error::ColumnError;

/// Which rows of the items belong to a row.
#[derive(Debug)]
pub enum Offsets {
    /// 32-bit offsets.
    Narrow(OffsetBuffer<i32>),
    /// 64-bit offsets.
    Wide(OffsetBuffer<i64>),
    /// The same number for every row.
    Even(usize),
}

impl Offsets {
    fn of(&self, row: usize) -> Range<usize> {
        match self {
            Self::Narrow(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Wide(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Self::Even(len) => row * len..(row + 1) * len,
        }
    }
}

fn is_null(nulls: Option<&NullBuffer>, row: usize) -> bool {
    nulls.is_some_and(|nulls| nulls.is_null(row))
}

/// A column of lists.
pub struct Lists {
    items: Box<dyn Cells>,
    offsets: Offsets,
    nulls: Option<NullBuffer>,
}

impl Lists {
    /// The column of these items.
    pub fn new(items: Box<dyn Cells>, offsets: Offsets, nulls: Option<NullBuffer>) -> Self {
        Self { items, offsets, nulls }
    }
}

impl Cells for Lists {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if is_null(self.nulls.as_ref(), row) {
            return Ok(Cell::Null);
        }
        Ok(Cell::List(&*self.items, self.offsets.of(row)))
    }
}

/// A column of maps.
pub struct Maps {
    keys: Box<dyn Cells>,
    values: Box<dyn Cells>,
    offsets: Offsets,
    nulls: Option<NullBuffer>,
}

impl Maps {
    /// The column of these keys and values.
    pub fn new(
        keys: Box<dyn Cells>,
        values: Box<dyn Cells>,
        offsets: Offsets,
        nulls: Option<NullBuffer>,
    ) -> Self {
        Self { keys, values, offsets, nulls }
    }
}

impl Cells for Maps {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if is_null(self.nulls.as_ref(), row) {
            return Ok(Cell::Null);
        }
        Ok(Cell::Map(&*self.keys, &*self.values, self.offsets.of(row)))
    }
}

/// A column of named columns, which are maps in a bin.
pub struct Structs {
    fields: Vec<(String, Box<dyn Cells>)>,
    nulls: Option<NullBuffer>,
}

impl Structs {
    /// The column of these columns.
    pub fn new(fields: Vec<(String, Box<dyn Cells>)>, nulls: Option<NullBuffer>) -> Self {
        Self { fields, nulls }
    }
}

impl Cells for Structs {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if is_null(self.nulls.as_ref(), row) {
            return Ok(Cell::Null);
        }
        Ok(Cell::Struct(&self.fields, row))
    }
}

/// A dictionary-encoded column: which of the values each row has.
pub struct DictionaryColumn {
    values: Box<dyn Cells>,
    numbers: Vec<usize>,
    nulls: Option<NullBuffer>,
}

impl DictionaryColumn {
    /// The column of these values, of which `numbers` has each row's.
    pub fn new(values: Box<dyn Cells>, numbers: Vec<usize>, nulls: Option<NullBuffer>) -> Self {
        Self { values, numbers, nulls }
    }
}

impl Cells for DictionaryColumn {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if is_null(self.nulls.as_ref(), row) {
            return Ok(Cell::Null);
        }
        self.values.cell(self.numbers[row])
    }
}
