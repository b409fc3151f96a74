//! Columns made of other columns: lists, maps, structs, dictionaries.

use std::ops::Range;

use arrow_buffer::{NullBuffer, OffsetBuffer};

use super::cell::{Cell, Cells};
use spikewire_columns::ColumnError;

/// Which rows of the items belong to a row.
pub enum Offsets {
    Narrow(OffsetBuffer<i32>),
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

pub struct Lists {
    items: Box<dyn Cells>,
    offsets: Offsets,
    nulls: Option<NullBuffer>,
}

impl Lists {
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

pub struct Maps {
    keys: Box<dyn Cells>,
    values: Box<dyn Cells>,
    offsets: Offsets,
    nulls: Option<NullBuffer>,
}

impl Maps {
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

pub struct Structs {
    fields: Vec<(String, Box<dyn Cells>)>,
    nulls: Option<NullBuffer>,
}

impl Structs {
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
