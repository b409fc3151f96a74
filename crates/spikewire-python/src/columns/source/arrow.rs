//! Arrow tables and streams, through the PyCapsule interface.

#![expect(unsafe_code, reason = "Arrow's C interface")]

use crate::columns::column_error;
use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ArrayReader;
use arrow_array::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray,
    LargeBinaryArray, LargeStringArray, PrimitiveArray, StringArray, StringViewArray, make_array,
};
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, Field, TimeUnit};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use super::cell::{Cell, Cells, unsigned};
use super::nested::{DictionaryColumn, Lists, Maps, Offsets, Structs};
use super::{Piece, Pieces};
use crate::errors::{type_error, value_error};
use spikewire_columns::ColumnError;

/// The arrays of a stream, or a single array.
pub enum Arrays {
    Stream(ArrayStreamReader),
    One(Option<ArrayRef>, DataType),
}

impl Arrays {
    /// Imports what an object exports. `None` for objects that export nothing.
    pub fn import(of: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let py = of.py();
        if of.hasattr("__arrow_c_stream__")? {
            let capsule = of.call_method0("__arrow_c_stream__")?;
            let stream: FFI_ArrowArrayStream = take(&capsule, c"arrow_array_stream")?;
            // A producer may need the interpreter in threads of its own.
            let reader = py.detach(|| ArrayStreamReader::try_new(stream));
            return Ok(Some(Self::Stream(reader.map_err(|error| unreadable(&error))?)));
        }
        if of.hasattr("__arrow_c_array__")? {
            let pair = of.call_method0("__arrow_c_array__")?;
            let Ok(pair) = pair.cast::<PyTuple>().map(|pair| pair.iter().collect::<Vec<_>>())
            else {
                return Err(type_error("__arrow_c_array__ must return two capsules"));
            };
            let [schema, array] = pair.as_slice() else {
                return Err(type_error("__arrow_c_array__ must return two capsules"));
            };
            let schema: FFI_ArrowSchema = take(schema, c"arrow_schema")?;
            let array: FFI_ArrowArray = take(array, c"arrow_array")?;
            // SAFETY: both come from one call of the PyCapsule interface, which guarantees that
            // they describe each other.
            let data = unsafe { from_ffi(array, &schema) }.map_err(|error| unreadable(&error))?;
            let array = make_array(data);
            let kind = array.data_type().clone();
            return Ok(Some(Self::One(Some(array), kind)));
        }
        Ok(None)
    }

    /// The type of every array.
    pub fn kind(&self) -> DataType {
        match self {
            Self::Stream(reader) => reader.field().data_type().clone(),
            Self::One(_, kind) => kind.clone(),
        }
    }

    /// The next array.
    pub fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        match self {
            Self::Stream(reader) => reader.next().transpose().map_err(|error| unreadable(&error)),
            Self::One(array, _) => Ok(array.take()),
        }
    }
}

/// A structure of the Arrow C data interface that is passed by pointer and moved out of it.
trait ArrowStruct {
    /// Moves the structure out and leaves an empty one behind.
    ///
    /// # Safety
    /// `at` points to an initialised structure of this kind.
    unsafe fn take(at: *mut u8) -> Self;

    /// Whether it was moved out of its capsule before, so that its members may have been freed.
    fn is_empty(&self) -> bool;
}

macro_rules! exported {
    ($kind:ty, $take:expr) => {
        impl ArrowStruct for $kind {
            #[allow(clippy::cast_ptr_alignment)] // allocated as what it is
            unsafe fn take(at: *mut u8) -> Self {
                // SAFETY: guaranteed by the caller.
                unsafe { $take(at.cast()) }
            }

            fn is_empty(&self) -> bool {
                self.release().is_none()
            }
        }
    };
}

exported!(FFI_ArrowArrayStream, FFI_ArrowArrayStream::from_raw);
exported!(FFI_ArrowSchema, FFI_ArrowSchema::from_raw);
exported!(FFI_ArrowArray, FFI_ArrowArray::from_raw);

fn take<T: ArrowStruct>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<T> {
    let Ok(capsule) = capsule.cast::<PyCapsule>() else {
        return Err(type_error(format!("the Arrow interface must give a capsule named {name:?}")));
    };
    let at = capsule.pointer_checked(Some(name))?;
    // SAFETY: a capsule with that name contains a pointer to that structure.
    let structure = unsafe { T::take(at.as_ptr().cast()) };
    if structure.is_empty() {
        return Err(value_error(
            "the Arrow data was taken out of its capsule already: export it again",
        ));
    }
    Ok(structure)
}

fn unreadable(error: &arrow_schema::ArrowError) -> PyErr {
    value_error(format!("the Arrow data cannot be read: {error}"))
}

/// The selected columns of a stream of tables.
pub struct Tables {
    arrays: Arrays,
    columns: Vec<usize>,
}

/// The columns of a table, each with the reason why it cannot be written, if there is one.
pub fn fields(arrays: &Arrays) -> PyResult<Vec<(String, Result<(), ColumnError>)>> {
    match arrays.kind() {
        DataType::Struct(fields) => Ok(fields
            .iter()
            .map(|field| (field.name().clone(), check(field.data_type())))
            .collect()),
        other => Err(type_error(format!(
            "records must be an Arrow table, not a single column of type {other}"
        ))),
    }
}

impl Tables {
    pub fn new(arrays: Arrays, columns: Vec<usize>) -> Self {
        Self { arrays, columns }
    }
}

impl Pieces for Tables {
    fn next(&mut self) -> PyResult<Option<Piece>> {
        let Some(array) = self.arrays.next()? else { return Ok(None) };
        let Some(table) = array.as_struct_opt() else {
            return Err(type_error("the Arrow stream gives something that is no table"));
        };
        if let Some(row) = (0..table.len()).find(|row| table.is_null(*row)) {
            return Err(value_error(format!("row {row} of an Arrow array of structs is null")));
        }
        let column = |at: &usize| cells(table.column(*at));
        let columns =
            self.columns.iter().map(column).collect::<Result<_, _>>().map_err(column_error)?;
        Ok(Some(Piece { rows: table.len(), columns }))
    }
}

/// Checks that values of this type can be written.
pub fn check(kind: &DataType) -> Result<(), ColumnError> {
    use DataType as D;
    match kind {
        D::Null
        | D::Boolean
        | D::Int8
        | D::Int16
        | D::Int32
        | D::Int64
        | D::UInt8
        | D::UInt16
        | D::UInt32
        | D::UInt64
        | D::Float16
        | D::Float32
        | D::Float64
        | D::Utf8
        | D::LargeUtf8
        | D::Utf8View
        | D::Binary
        | D::LargeBinary
        | D::BinaryView
        | D::FixedSizeBinary(_)
        | D::Date32
        | D::Date64
        | D::Time32(TimeUnit::Second | TimeUnit::Millisecond)
        | D::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond)
        | D::Timestamp(..)
        | D::Duration(_) => Ok(()),
        D::List(item) | D::LargeList(item) | D::FixedSizeList(item, _) => check(item.data_type()),
        D::Struct(fields) => fields.iter().try_for_each(|field| check(field.data_type())),
        D::Map(entries, _) => match entries.data_type() {
            D::Struct(pair) if pair.len() == 2 => {
                check_map_key(&pair[0])?;
                check(pair[1].data_type())
            }
            other => Err(ColumnError::kind(format!("a map of {other} cannot be read"))),
        },
        D::Dictionary(_, values) => check(values),
        D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) => {
            Err(ColumnError::kind(format!(
                "cannot store type {kind}: bins hold no decimals; cast the column to float64, \
                 string, or an integer of the smallest unit"
            )))
        }
        other => {
            Err(ColumnError::kind(format!("cannot store type {other}; cast the column first")))
        }
    }
}

fn check_map_key(key: &Arc<Field>) -> Result<(), ColumnError> {
    use DataType as D;
    match key.data_type() {
        kind if kind.is_integer() || kind.is_string() || kind.is_binary() => Ok(()),
        D::Dictionary(_, values) if values.is_integer() || values.is_string() => Ok(()),
        other => {
            let message = format!("a map key must be an integer, text or bytes, not {other}");
            Err(ColumnError::kind(message))
        }
    }
}

/// Access to an array whose type has been checked.
pub fn cells(array: &ArrayRef) -> Result<Box<dyn Cells>, ColumnError> {
    use DataType as D;
    macro_rules! ints {
        ($kind:ty) => {
            Box::new(Ints(array.as_primitive::<$kind>().clone()))
        };
    }
    macro_rules! floats {
        ($kind:ty) => {
            Box::new(Floats(array.as_primitive::<$kind>().clone()))
        };
    }
    Ok(match array.data_type() {
        D::Null => Box::new(Nulls),
        D::Boolean => Box::new(array.as_boolean().clone()),
        D::Int8 => ints!(Int8Type),
        D::Int16 => ints!(Int16Type),
        D::Int32 => ints!(Int32Type),
        D::Int64 => ints!(Int64Type),
        D::UInt8 => ints!(UInt8Type),
        D::UInt16 => ints!(UInt16Type),
        D::UInt32 => ints!(UInt32Type),
        D::UInt64 => Box::new(Unsigned(array.as_primitive::<UInt64Type>().clone())),
        D::Float16 => floats!(Float16Type),
        D::Float32 => floats!(Float32Type),
        D::Float64 => floats!(Float64Type),
        D::Date32 => ints!(Date32Type),
        D::Date64 => ints!(Date64Type),
        D::Time32(TimeUnit::Second) => ints!(Time32SecondType),
        D::Time32(TimeUnit::Millisecond) => ints!(Time32MillisecondType),
        D::Time64(TimeUnit::Microsecond) => ints!(Time64MicrosecondType),
        D::Time64(TimeUnit::Nanosecond) => ints!(Time64NanosecondType),
        D::Timestamp(TimeUnit::Second, _) => ints!(TimestampSecondType),
        D::Timestamp(TimeUnit::Millisecond, _) => ints!(TimestampMillisecondType),
        D::Timestamp(TimeUnit::Microsecond, _) => ints!(TimestampMicrosecondType),
        D::Timestamp(TimeUnit::Nanosecond, _) => ints!(TimestampNanosecondType),
        D::Duration(TimeUnit::Second) => ints!(DurationSecondType),
        D::Duration(TimeUnit::Millisecond) => ints!(DurationMillisecondType),
        D::Duration(TimeUnit::Microsecond) => ints!(DurationMicrosecondType),
        D::Duration(TimeUnit::Nanosecond) => ints!(DurationNanosecondType),
        D::Utf8 => Box::new(array.as_string::<i32>().clone()),
        D::LargeUtf8 => Box::new(array.as_string::<i64>().clone()),
        D::Utf8View => Box::new(array.as_string_view().clone()),
        D::Binary => Box::new(array.as_binary::<i32>().clone()),
        D::LargeBinary => Box::new(array.as_binary::<i64>().clone()),
        D::BinaryView => Box::new(array.as_binary_view().clone()),
        D::FixedSizeBinary(_) => Box::new(array.as_fixed_size_binary().clone()),
        D::List(_) => {
            let list = array.as_list::<i32>();
            let offsets = Offsets::Narrow(list.offsets().clone());
            Box::new(Lists::new(cells(list.values())?, offsets, list.nulls().cloned()))
        }
        D::LargeList(_) => {
            let list = array.as_list::<i64>();
            let offsets = Offsets::Wide(list.offsets().clone());
            Box::new(Lists::new(cells(list.values())?, offsets, list.nulls().cloned()))
        }
        D::FixedSizeList(_, _) => {
            let list = array.as_fixed_size_list();
            let offsets = Offsets::Even(list.value_length() as usize);
            Box::new(Lists::new(cells(list.values())?, offsets, list.nulls().cloned()))
        }
        D::Map(..) => {
            let map = array.as_map();
            let (keys, values) = (cells(map.keys())?, cells(map.values())?);
            let offsets = Offsets::Narrow(map.offsets().clone());
            Box::new(Maps::new(keys, values, offsets, map.nulls().cloned()))
        }
        D::Struct(fields) => {
            let parts = array.as_struct();
            let field = |(field, column): (&Arc<Field>, &ArrayRef)| {
                Ok::<_, ColumnError>((field.name().clone(), cells(column)?))
            };
            let fields = fields.iter().zip(parts.columns()).map(field);
            Box::new(Structs::new(fields.collect::<Result<_, _>>()?, parts.nulls().cloned()))
        }
        D::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            // Without values every row is null.
            let numbers = if dictionary.values().is_empty() {
                vec![0; array.len()]
            } else {
                dictionary.normalized_keys()
            };
            let nulls = dictionary.keys().nulls().cloned();
            Box::new(DictionaryColumn::new(cells(dictionary.values())?, numbers, nulls))
        }
        other => return Err(ColumnError::kind(format!("cannot store type {other}"))),
    })
}

struct Nulls;

impl Cells for Nulls {
    fn cell(&self, _: usize) -> Result<Cell<'_>, ColumnError> {
        Ok(Cell::Null)
    }
}

/// Integers that fit an `i64`, and times as the integers that represent them.
struct Ints<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Cells for Ints<T>
where
    T::Native: Into<i64>,
{
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        Ok(if self.0.is_null(row) { Cell::Null } else { Cell::Int(self.0.value(row).into()) })
    }
}

struct Unsigned(PrimitiveArray<UInt64Type>);

impl Cells for Unsigned {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if self.0.is_null(row) {
            return Ok(Cell::Null);
        }
        unsigned(self.0.value(row)).map(Cell::Int)
    }
}

struct Floats<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> Cells for Floats<T>
where
    T::Native: Into<f64>,
{
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        Ok(if self.0.is_null(row) { Cell::Null } else { Cell::Float(self.0.value(row).into()) })
    }
}

macro_rules! cells {
    ($($array:ty => $make:expr;)*) => {
        $(impl Cells for $array {
            fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
                Ok(if self.is_null(row) { Cell::Null } else { $make(self.value(row)) })
            }
        })*
    };
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(text.into())
}

cells! {
    BooleanArray => Cell::Bool;
    StringArray => text;
    LargeStringArray => text;
    StringViewArray => text;
    BinaryArray => Cell::Bytes;
    LargeBinaryArray => Cell::Bytes;
    BinaryViewArray => Cell::Bytes;
    FixedSizeBinaryArray => Cell::Bytes;
}
