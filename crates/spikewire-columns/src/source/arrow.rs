//! Arrow arrays as columns whose cells can be written.

use std::sync::Arc;

use arrow_array::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray,
    LargeBinaryArray, LargeStringArray, PrimitiveArray, StringArray, StringViewArray,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, Field, TimeUnit};

use super::cell::{Cell, Cells, unsigned};
use super::nested::{DictionaryColumn, Lists, Maps, Offsets, Structs};
use crate::error::ColumnError;

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
