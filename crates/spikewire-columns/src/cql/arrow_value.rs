//! Values of Arrow arrays as values of statements, encoded directly from the array's memory.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::net::IpAddr;

use arrow_array::array::{Array, ArrayRef};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Accept, AcceptEntries, Duration, EncodeError, Presence, Source, Unfit};

type Result<T, E> = std::result::Result<T, Unfit<E>>;

const DAY: i64 = 86_400_000;

/// The value in a row of an array; errors are those of the host language, `E`.
pub struct ArrowValue<'a, E> {
    array: &'a dyn Array,
    row: usize,
    of: PhantomData<fn() -> E>,
}

impl<'a, E: From<EncodeError>> ArrowValue<'a, E> {
    /// Resolves the value if the array is dictionary-encoded.
    pub fn new(array: &'a dyn Array, row: usize) -> Self {
        if matches!(array.data_type(), DataType::Dictionary(..)) && array.is_valid(row) {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.keys();
            if let Ok(at) = usize::try_from(Self::new(keys, row).integer().unwrap_or(-1)) {
                return Self::new(&**dictionary.values(), at);
            }
        }
        Self { array, row, of: PhantomData }
    }

    fn kind(&self) -> &'a DataType {
        self.array.data_type()
    }

    fn number<T: ArrowPrimitiveType>(&self) -> T::Native {
        self.array.as_primitive::<T>().value(self.row)
    }

    fn str(&self) -> Option<&'a str> {
        match self.kind() {
            DataType::Utf8 => Some(self.array.as_string::<i32>().value(self.row)),
            DataType::LargeUtf8 => Some(self.array.as_string::<i64>().value(self.row)),
            DataType::Utf8View => Some(self.array.as_string_view().value(self.row)),
            _ => None,
        }
    }

    fn raw(&self) -> Option<&'a [u8]> {
        match self.kind() {
            DataType::Binary => Some(self.array.as_binary::<i32>().value(self.row)),
            DataType::LargeBinary => Some(self.array.as_binary::<i64>().value(self.row)),
            DataType::BinaryView => Some(self.array.as_binary_view().value(self.row)),
            DataType::FixedSizeBinary(_) => Some(self.array.as_fixed_size_binary().value(self.row)),
            _ => None,
        }
    }

    /// The elements of a list column, and the range that belongs to this value.
    fn list(&self) -> Option<(&'a ArrayRef, std::ops::Range<usize>)> {
        let span = |start: usize, end: usize| start..end;
        match self.kind() {
            DataType::List(_) => {
                let list = self.array.as_list::<i32>();
                let ends = list.value_offsets();
                Some((list.values(), span(ends[self.row] as usize, ends[self.row + 1] as usize)))
            }
            DataType::LargeList(_) => {
                let list = self.array.as_list::<i64>();
                let ends = list.value_offsets();
                Some((list.values(), span(ends[self.row] as usize, ends[self.row + 1] as usize)))
            }
            DataType::FixedSizeList(..) => {
                let list = self.array.as_fixed_size_list();
                let (row, len) = (self.row, list.value_length() as usize);
                Some((list.values(), span(row * len, (row + 1) * len)))
            }
            _ => None,
        }
    }
}

/// Converts a number between units. Fails if precision would be lost.
fn scaled<E>(number: i64, up: i64, down: i64, what: &str) -> Result<i64, E> {
    if number % down != 0 {
        return Err(Unfit::Invalid(Cow::Owned(format!("{what}: round it first"))));
    }
    (number / down).checked_mul(up).ok_or(Unfit::Range)
}

impl<E: From<EncodeError>> Source for ArrowValue<'_, E> {
    type Error = E;

    fn presence(&self) -> Presence {
        let is_null = *self.kind() == DataType::Null || self.array.is_null(self.row);
        if is_null { Presence::Null } else { Presence::Value }
    }

    fn describe(&self) -> String {
        match (self.integer(), self.str()) {
            (Ok(number), _) => format!("{number} ({})", self.kind()),
            (_, Some(text)) => {
                let short: String = text.chars().take(60).collect();
                format!("{short:?} ({})", self.kind())
            }
            _ => format!("a value of the Arrow type {}", self.kind()),
        }
    }

    fn boolean(&self) -> Result<bool, E> {
        match self.kind() {
            DataType::Boolean => Ok(self.array.as_boolean().value(self.row)),
            _ => Err(Unfit::Kind),
        }
    }

    fn integer(&self) -> Result<i64, E> {
        Ok(match self.kind() {
            DataType::Int8 => self.number::<Int8Type>().into(),
            DataType::Int16 => self.number::<Int16Type>().into(),
            DataType::Int32 => self.number::<Int32Type>().into(),
            DataType::Int64 => self.number::<Int64Type>(),
            DataType::UInt8 => self.number::<UInt8Type>().into(),
            DataType::UInt16 => self.number::<UInt16Type>().into(),
            DataType::UInt32 => self.number::<UInt32Type>().into(),
            DataType::UInt64 => {
                i64::try_from(self.number::<UInt64Type>()).map_err(|_| Unfit::Range)?
            }
            _ => return Err(Unfit::Kind),
        })
    }

    fn float(&self) -> Result<f32, E> {
        let double = self.double()?;
        let float = double as f32;
        let is_rounded = f64::from(float).to_bits() != double.to_bits() && self.kind().is_integer();
        if is_rounded || (float.is_infinite() && double.is_finite()) {
            return Err(Unfit::Range);
        }
        Ok(float)
    }

    fn double(&self) -> Result<f64, E> {
        match self.kind() {
            DataType::Float16 => Ok(self.number::<Float16Type>().into()),
            DataType::Float32 => Ok(self.number::<Float32Type>().into()),
            DataType::Float64 => Ok(self.number::<Float64Type>()),
            _ => {
                let whole = self.integer()?;
                let float = whole as f64;
                if float as i128 == i128::from(whole) { Ok(float) } else { Err(Unfit::Range) }
            }
        }
    }

    fn text(&self, out: &mut Vec<u8>) -> Result<(), E> {
        out.extend_from_slice(self.str().ok_or(Unfit::Kind)?.as_bytes());
        Ok(())
    }

    fn bytes(&self, out: &mut Vec<u8>) -> Result<(), E> {
        out.extend_from_slice(self.raw().ok_or(Unfit::Kind)?);
        Ok(())
    }

    fn varint(&self, out: &mut Vec<u8>) -> Result<(), E> {
        match self.kind() {
            DataType::UInt64 => {
                out.extend_from_slice(&i128::from(self.number::<UInt64Type>()).to_be_bytes());
            }
            DataType::Decimal128(..) | DataType::Decimal256(..) => {
                let scale = self.decimal(out)?;
                if scale != 0 {
                    return Err(Unfit::Invalid("digits behind the point".into()));
                }
            }
            _ => out.extend_from_slice(&self.integer()?.to_be_bytes()),
        }
        Ok(())
    }

    fn decimal(&self, digits: &mut Vec<u8>) -> Result<i32, E> {
        match self.kind() {
            DataType::Decimal128(_, scale) => {
                digits.extend_from_slice(&self.number::<Decimal128Type>().to_be_bytes());
                Ok((*scale).into())
            }
            DataType::Decimal256(_, scale) => {
                digits.extend_from_slice(&self.number::<Decimal256Type>().to_be_bytes());
                Ok((*scale).into())
            }
            _ => {
                digits.extend_from_slice(&self.integer()?.to_be_bytes());
                Ok(0)
            }
        }
    }

    fn uuid(&self) -> Result<[u8; 16], E> {
        self.raw().and_then(|bytes| bytes.try_into().ok()).ok_or(Unfit::Kind)
    }

    fn inet(&self) -> Result<IpAddr, E> {
        if let Some(text) = self.str() {
            return text.parse().map_err(|_| Unfit::Invalid("no IP address".into()));
        }
        let bytes = self.raw().ok_or(Unfit::Kind)?;
        if let Ok(four) = <[u8; 4]>::try_from(bytes) {
            return Ok(four.into());
        }
        <[u8; 16]>::try_from(bytes).map(IpAddr::from).map_err(|_| Unfit::Kind)
    }

    fn timestamp(&self) -> Result<i64, E> {
        let below = "a timestamp has milliseconds, and this one is finer";
        match self.kind() {
            DataType::Timestamp(TimeUnit::Second, _) => {
                scaled(self.number::<TimestampSecondType>(), 1000, 1, below)
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                Ok(self.number::<TimestampMillisecondType>())
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                scaled(self.number::<TimestampMicrosecondType>(), 1, 1000, below)
            }
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                scaled(self.number::<TimestampNanosecondType>(), 1, 1_000_000, below)
            }
            _ => self.integer(),
        }
    }

    fn date(&self) -> Result<i64, E> {
        let below = "a date has days, and this is a time of the day";
        match self.kind() {
            DataType::Date32 => Ok(self.number::<Date32Type>().into()),
            DataType::Date64 => scaled(self.number::<Date64Type>(), 1, DAY, below),
            DataType::Timestamp(..) => scaled(self.timestamp()?, 1, DAY, below),
            _ => self.integer(),
        }
    }

    fn time(&self) -> Result<i64, E> {
        match self.kind() {
            DataType::Time32(TimeUnit::Second) => {
                Ok(i64::from(self.number::<Time32SecondType>()) * 1_000_000_000)
            }
            DataType::Time32(_) => {
                Ok(i64::from(self.number::<Time32MillisecondType>()) * 1_000_000)
            }
            DataType::Time64(TimeUnit::Microsecond) => {
                scaled(self.number::<Time64MicrosecondType>(), 1000, 1, "a time of the day")
            }
            DataType::Time64(_) => Ok(self.number::<Time64NanosecondType>()),
            // The type with which NumPy represents times of day.
            DataType::Duration(unit) => {
                let (number, up) = match unit {
                    TimeUnit::Second => (self.number::<DurationSecondType>(), 1_000_000_000),
                    TimeUnit::Millisecond => (self.number::<DurationMillisecondType>(), 1_000_000),
                    TimeUnit::Microsecond => (self.number::<DurationMicrosecondType>(), 1000),
                    TimeUnit::Nanosecond => (self.number::<DurationNanosecondType>(), 1),
                };
                number.checked_mul(up).ok_or(Unfit::Range)
            }
            _ => self.integer(),
        }
    }

    fn duration(&self) -> Result<Duration, E> {
        match self.kind() {
            DataType::Interval(IntervalUnit::MonthDayNano) => {
                let value = self.number::<IntervalMonthDayNanoType>();
                let (months, days, nanoseconds) = (value.months, value.days, value.nanoseconds);
                Ok(Duration { months, days, nanoseconds })
            }
            _ => Err(Unfit::Kind),
        }
    }

    fn items<A: Accept<E>>(&self, ty: &Type, into: &mut A) -> Result<(), E> {
        if let (DataType::Struct(_), Type::Tuple(_)) = (self.kind(), ty) {
            let columns = self.array.as_struct().columns();
            return columns
                .iter()
                .try_for_each(|column| into.item(&Self::new(&**column, self.row)));
        }
        let (items, mut rows) = self.list().ok_or(Unfit::Kind)?;
        rows.try_for_each(|row| into.item(&Self::new(&**items, row)))
    }

    fn entries<A: AcceptEntries<E>>(&self, into: &mut A) -> Result<(), E> {
        let DataType::Map(..) = self.kind() else { return Err(Unfit::Kind) };
        let map = self.array.as_map();
        let ends = map.value_offsets();
        let mut rows = ends[self.row] as usize..ends[self.row + 1] as usize;
        rows.try_for_each(|row| {
            into.entry(&Self::new(&**map.keys(), row), &Self::new(&**map.values(), row))
        })
    }

    fn field<A: Accept<E>>(&self, _: usize, name: &str, into: &mut A) -> Result<(), E> {
        let DataType::Struct(_) = self.kind() else { return Err(Unfit::Kind) };
        match self.array.as_struct().column_by_name(name) {
            Some(column) => into.item(&Self::new(&**column, self.row)),
            None => Ok(()),
        }
    }

    fn unknown_field(&self, udt: &Udt) -> Result<Option<String>, E> {
        let DataType::Struct(fields) = self.kind() else { return Err(Unfit::Kind) };
        Ok(fields.iter().map(|field| field.name()).find(|name| !udt.has_field(name)).cloned())
    }
}
