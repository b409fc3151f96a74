//! Rows as received: cells are decoded on access.

use std::fmt;
use std::sync::Arc;

use spikewire_cassandra::statement::Shape;
use spikewire_cassandra::{Error, Result};
use spikewire_cql::notation::Reader;
use spikewire_cql::response::Column;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::value::Value;

use super::value::{FromValue, read, unreadable};

/// The rows of one result, whose cells have been checked to be complete.
#[derive(Debug)]
pub(super) struct Page {
    shape: Arc<Shape>,
    cells: Vec<u8>,
    /// Start of each row.
    rows: Vec<u32>,
}

impl Page {
    /// Locates the rows.
    pub fn new(shape: Arc<Shape>, cells: Vec<u8>, count: usize) -> Result<Self> {
        let columns = shape.columns.len();
        let mut rows = Vec::with_capacity(count);
        let mut rest = Cells(Reader(&cells));
        for _ in 0..count {
            rows.push((cells.len() - rest.0.rest().len()) as u32);
            rest.skip(columns)?;
        }
        Ok(Self { shape, cells, rows })
    }

    pub fn columns(&self) -> &[Column] {
        &self.shape.columns
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }
}

/// A row. Cheap to clone; it keeps its page in memory.
#[derive(Clone)]
pub struct Row {
    page: Arc<Page>,
    start: u32,
}

impl Row {
    /// The row with this index, which must exist.
    pub(super) fn of(page: &Arc<Page>, at: usize) -> Self {
        Self { page: page.clone(), start: page.rows[at] }
    }

    /// The row's columns.
    pub fn columns(&self) -> &[Column] {
        self.page.columns()
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.columns().len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.columns().is_empty()
    }

    /// The value of a column, by its name or index.
    ///
    /// ```no_run
    /// # fn example(row: &spikewire::cql::Row) -> spikewire::cql::Result<()> {
    /// let id: i32 = row.get("id")?;
    /// let name = row.get::<Option<String>>(1)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get<T: FromValue>(&self, column: impl ColumnIndex) -> Result<T> {
        let at = column.find(self.columns())?;
        let mut cells = self.cells();
        let cell = cells.skip(at).and_then(|()| cells.cell())?;
        read_cell(&self.columns()[at], cell)
    }

    /// All columns: a tuple with as many fields, or another type that implements [`FromRow`].
    ///
    /// ```no_run
    /// # fn example(row: &spikewire::cql::Row) -> spikewire::cql::Result<()> {
    /// let (id, name): (i32, Option<String>) = row.read()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn read<T: FromRow>(&self) -> Result<T> {
        T::from_row(self)
    }

    /// The same, consuming the row.
    pub fn into_tuple<T: FromRow>(self) -> Result<T> {
        T::from_row(&self)
    }

    fn cells(&self) -> Cells<'_> {
        Cells(Reader(&self.page.cells[self.start as usize..]))
    }
}

impl PartialEq for Row {
    /// Whether columns and bytes are equal.
    fn eq(&self, other: &Self) -> bool {
        let (mut mine, mut others) = (self.cells(), other.cells());
        self.columns() == other.columns() && (0..self.len()).all(|_| mine.cell() == others.cell())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (at, column) in self.columns().iter().enumerate() {
            match self.get::<Value>(at) {
                Ok(value) => map.entry(&column.name, &value),
                Err(error) => map.entry(&column.name, &error.message()),
            };
        }
        map.finish()
    }
}

#[inline]
fn read_cell<T: FromValue>(column: &Column, cell: Option<&[u8]>) -> Result<T> {
    read(&column.ty, cell).map_err(|why| unreadable::<T>(column, &why))
}

/// A column reference: its index, or its name.
pub trait ColumnIndex {
    /// Its index; an error if there is no such column.
    fn find(&self, columns: &[Column]) -> Result<usize>;
}

impl ColumnIndex for usize {
    #[inline]
    fn find(&self, columns: &[Column]) -> Result<usize> {
        if *self < columns.len() {
            return Ok(*self);
        }
        Err(Error::invalid(format!("there is no column {self} in rows of {}", columns.len())))
    }
}

impl ColumnIndex for str {
    #[inline]
    fn find(&self, columns: &[Column]) -> Result<usize> {
        columns.iter().position(|column| *column.name == *self).ok_or_else(|| {
            let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
            Error::invalid(format!("there is no column {self:?} among {}", names.join(", ")))
        })
    }
}

impl ColumnIndex for String {
    fn find(&self, columns: &[Column]) -> Result<usize> {
        ColumnIndex::find(self.as_str(), columns)
    }
}

impl<C: ColumnIndex + ?Sized> ColumnIndex for &C {
    fn find(&self, columns: &[Column]) -> Result<usize> {
        C::find(self, columns)
    }
}

/// Types as which a whole row can be read: tuples of as many columns, or your own types.
///
/// ```
/// use spikewire::cql::{FromRow, Result, Row};
///
/// struct Item {
///     id: i32,
///     name: Option<String>,
/// }
///
/// impl FromRow for Item {
///     fn from_row(row: &Row) -> Result<Self> {
///         Ok(Self { id: row.get("id")?, name: row.get("name")? })
///     }
/// }
/// ```
pub trait FromRow: Sized {
    /// Reads a row.
    fn from_row(row: &Row) -> Result<Self>;
}

impl FromRow for Row {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(row.clone())
    }
}

impl FromRow for Vec<Value> {
    fn from_row(row: &Row) -> Result<Self> {
        let mut cells = row.cells();
        let value = |column| read_cell(column, cells.cell()?);
        row.columns().iter().map(value).collect()
    }
}

macro_rules! tuples {
    ($($count:literal ($($part:ident $at:tt)+))*) => {
        $(impl<$($part: FromValue),+> FromRow for ($($part,)+) {
            #[inline]
            fn from_row(row: &Row) -> Result<Self> {
                let columns = row.columns();
                if columns.len() != $count {
                    return Err(miscounted(columns, $count));
                }
                let mut cells = row.cells();
                Ok(($(read_cell::<$part>(&columns[$at], cells.cell()?)?,)+))
            }
        })*
    };
}

#[cold]
fn miscounted(columns: &[Column], len: usize) -> Error {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    Error::invalid(format!(
        "a row of {} columns ({}) was read as a tuple of {len}",
        names.len(),
        names.join(", ")
    ))
}

super::tuples::each_tuple!(tuples);
