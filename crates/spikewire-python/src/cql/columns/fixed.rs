//! The rows of a result as one structured array.

use std::cell::{Cell, RefCell};
use std::net::IpAddr;

use pyo3::prelude::*;
use spikewire_columns::fixed::{CellKind, Field};
use spikewire_columns::{ColumnError, ExtraColumns, RowError, WireValue};
use spikewire_cql::response::Column;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Duration, Elements, MapEntries, Sink, decode};

use super::arrow::row_error;
use crate::bridge::errors::{type_error, value_error};
use crate::columns::{ArrayMemory, Layout, Library};
use crate::cql::pages::Pages;

/// The columns for which a dtype has fields. The array is masked, or plain if nulls raise an error.
pub fn to_structured<'py>(
    rows: &Pages,
    dtype: &Bound<'py, PyAny>,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    let numpy = Library::get(py, "to_numpy")?;
    let (dtype, layout) = Layout::of(numpy, dtype, &ExtraColumns::default())?;
    let layout = layout.get();
    let columns = rows.one_shape()?.map_or(&[][..], |shape| &*shape.columns);
    let fields = fields(columns, &layout.bins)?;
    let count = rows.result.pages.iter().map(|page| page.count).sum();
    let mut memory = ArrayMemory::new(py, numpy, layout, count, !strict)?;
    let pages = rows.cells(py);
    let filled = py.detach(|| {
        let mut row = 0;
        for (mut cells, count) in pages {
            for _ in 0..count {
                let (data, mask) = memory.row(row);
                fill(columns, &fields, &mut cells, (data, mask), strict).map_err(
                    |(column, error)| match error {
                        Some(error) => RowError::Bad(row, column, error),
                        None => RowError::NoValue(row, column),
                    },
                )?;
                row += 1;
            }
        }
        Ok(())
    });
    filled.map_err(|error| row_error(&error))?;
    memory.finish(&dtype, numpy, layout, count)
}

/// The field of each column, if it has one. A field without a column is an error.
fn fields<'a>(columns: &[Column], all: &'a [Field]) -> PyResult<Vec<Option<&'a Field>>> {
    for field in all {
        let Some(column) = columns.iter().find(|column| *column.name == *field.name) else {
            let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
            return Err(value_error(format!(
                "dtype: there is no column {:?}; there are: {}",
                field.name,
                names.join(", ")
            )));
        };
        check_unit(&column.ty, field)?;
        check_unique(
            columns.iter().filter(|column| *column.name == *field.name).count(),
            &field.name,
        )?;
    }
    let of = |column: &Column| all.iter().find(|field| *field.name == *column.name);
    Ok(columns.iter().map(of).collect())
}

/// Rejects a name that several columns have.
pub fn check_unique(count: usize, name: &str) -> PyResult<()> {
    if count < 2 {
        return Ok(());
    }
    Err(value_error(format!(
        "{count} columns are named {name:?}: give them names of their own in the statement (AS)"
    )))
}

/// Checks that times go to fields of their own unit.
fn check_unit(ty: &Type, field: &Field) -> PyResult<()> {
    let unit = match ty {
        Type::Timestamp => "datetime64[ms]",
        Type::Date => "datetime64[D]",
        Type::Time => "timedelta64[ns]",
        Type::Vector(vector) => return check_unit(&vector.element, field),
        Type::List(element) | Type::Set(element) => return check_unit(element, field),
        _ if field.cell.kind == CellKind::Time => {
            return Err(type_error(format!(
                "field {:?}: a {ty} does not go into {}",
                field.name, field.type_name
            )));
        }
        _ => return Ok(()),
    };
    // NumPy formats sub-arrays and byte order along with it: `('<M8[ms]', (3,))`.
    let short = match ty {
        Type::Timestamp => "M8[ms]",
        Type::Date => "M8[D]",
        _ => "m8[ns]",
    };
    let is_time = field.cell.kind == CellKind::Time;
    if is_time && !field.type_name.contains(unit) && !field.type_name.contains(short) {
        return Err(type_error(format!(
            "field {:?}: a {ty} goes into {unit}, not {}",
            field.name, field.type_name
        )));
    }
    Ok(())
}

type Problem = (String, Option<ColumnError>);

fn fill(
    columns: &[Column],
    fields: &[Option<&Field>],
    cells: &mut Cells<'_>,
    (data, mask): (&mut [u8], &mut [u8]),
    strict: bool,
) -> Result<(), Problem> {
    for (column, field) in columns.iter().zip(fields) {
        let bad = |error| (column.name.to_string(), Some(error));
        let cell = cells.cell().map_err(|error| bad(ColumnError::from(error)))?;
        let Some(field) = field else { continue };
        let mask = &mut mask[field.mask..field.mask + field.count];
        let is_null = cell.is_none_or(|bytes| bytes.is_empty() && column.ty.allows_empty());
        if is_null {
            if strict {
                return Err((column.name.to_string(), None));
            }
            mask.fill(1);
            continue;
        }
        mask.fill(0);
        let size = field.count * field.cell.size;
        let data = &mut data[field.offset..field.offset + size];
        let into = Element {
            field,
            out: RefCell::new((data, mask)),
            at: Cell::new(0),
            axis: Cell::new(0),
        };
        decode(&column.ty, cell, &into).map_err(bad)?;
    }
    Ok(())
}

/// The position of a value: the elements of a field, from `at` on.
struct Element<'a> {
    field: &'a Field,
    out: RefCell<(&'a mut [u8], &'a mut [u8])>,
    at: Cell<usize>,
    /// The number of lists around the value.
    axis: Cell<usize>,
}

type WriteResult = Result<(), ColumnError>;

impl Element<'_> {
    fn put(&self, value: &WireValue<'_>) -> WriteResult {
        self.whole(|| value.name().to_owned())?;
        let (size, at) = (self.field.cell.size, self.at.get());
        let (data, _) = &mut *self.out.borrow_mut();
        self.field.cell.write(
            value,
            &self.field.type_name,
            &mut data[at * size..(at + 1) * size],
        )?;
        self.at.set(at + 1);
        Ok(())
    }

    /// Fails for a single value unless all axes of the field are used up.
    fn whole(&self, description: impl FnOnce() -> String) -> WriteResult {
        if self.axis.get() == self.field.shape.len() {
            return Ok(());
        }
        Err(ColumnError::kind(format!(
            "{} does not go into {}",
            description(),
            self.field.type_name
        )))
    }

    fn mismatch(&self, ty: &str) -> WriteResult {
        Err(ColumnError::kind(format!("a {ty} does not go into {}", self.field.type_name)))
    }
}

impl Sink for Element<'_> {
    type Value = ();
    type Error = ColumnError;

    fn null(&self) -> WriteResult {
        self.whole(|| "null".to_owned())?;
        let at = self.at.get();
        self.out.borrow_mut().1[at] = 1;
        self.at.set(at + 1);
        Ok(())
    }

    fn boolean(&self, value: bool) -> WriteResult {
        self.put(&WireValue::Bool(value))
    }

    fn int(&self, value: i32) -> WriteResult {
        self.bigint(value.into())
    }

    fn bigint(&self, value: i64) -> WriteResult {
        self.put(&WireValue::Int(value))
    }

    fn double(&self, value: f64) -> WriteResult {
        self.put(&WireValue::Float(value))
    }

    fn utf8(&self, _: &Type, value: &[u8]) -> WriteResult {
        self.put(&WireValue::Text(value))
    }

    fn text(&self, value: &str) -> WriteResult {
        self.put(&WireValue::Text(value.as_bytes()))
    }

    fn blob(&self, value: &[u8]) -> WriteResult {
        self.put(&WireValue::Bytes(value))
    }

    fn varint(&self, value: &[u8]) -> WriteResult {
        let number = spikewire_cql::value::Varint::from_bytes(value);
        match number.to_i128().map(i64::try_from) {
            Some(Ok(number)) => self.bigint(number),
            _ => Err(ColumnError::overflow(format!(
                "{number} does not fit {}",
                self.field.type_name
            ))),
        }
    }

    fn decimal(&self, _: i32, _: &[u8]) -> WriteResult {
        self.mismatch("decimal")
    }

    fn uuid(&self, value: [u8; 16]) -> WriteResult {
        self.put(&WireValue::Bytes(&value))
    }

    fn inet(&self, value: IpAddr) -> WriteResult {
        self.put(&WireValue::Text(value.to_string().as_bytes()))
    }

    fn timestamp(&self, milliseconds: i64) -> WriteResult {
        self.bigint(milliseconds)
    }

    fn date(&self, days: i32) -> WriteResult {
        self.bigint(days.into())
    }

    fn time(&self, nanoseconds: i64) -> WriteResult {
        self.bigint(nanoseconds)
    }

    fn duration(&self, _: Duration) -> WriteResult {
        self.mismatch("duration")
    }

    fn list<I: Elements<(), ColumnError>>(&self, _: &Type, items: &mut I) -> WriteResult {
        let (axis, count) = (self.axis.get(), items.len());
        match self.field.shape.get(axis) {
            Some(length) if *length == count => {}
            Some(length) => {
                return Err(ColumnError::value(format!(
                    "a list of {count} where axis {axis} of {} has {length}",
                    self.field.type_name
                )));
            }
            None => return self.mismatch("list"),
        }
        self.axis.set(axis + 1);
        for (index, item) in items.enumerate() {
            item.map_err(|error| error.within(&format!("[{index}]")))?;
        }
        self.axis.set(axis);
        Ok(())
    }

    fn set<I: Elements<(), ColumnError>>(&self, element: &Type, items: &mut I) -> WriteResult {
        self.list(element, items)
    }

    fn map<I: MapEntries<(), ColumnError>>(&self, _: &Type, _: &Type, _: &mut I) -> WriteResult {
        self.mismatch("map")
    }

    fn tuple<I: Elements<(), ColumnError>>(&self, _: &[Type], _: &mut I) -> WriteResult {
        self.mismatch("tuple")
    }

    fn udt<I: Elements<(), ColumnError>>(&self, udt: &Udt, _: &mut I) -> WriteResult {
        self.mismatch(&udt.name)
    }
}
