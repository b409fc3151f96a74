//! Columns from the memory of typed arrays; the other half is `node/src/tables/parts.ts` of the
//! package.
//!
//! A batch is an array of the number of its rows and its columns. A column is an array of its name,
//! its type as a word, its length, the index of its first bit in bitmaps, its bitmap of rows that
//! have a value (or `undefined`), its buffers as `Uint8Array`s, and the columns inside of it.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Fields, IntervalUnit, Schema, TimeUnit};

use super::Table;
use crate::arguments::text;
use crate::js::{Failure, Result, Value};

/// A column as JavaScript passes it.
struct Parts {
    name: String,
    word: String,
    len: usize,
    first_bit: usize,
    valid: Option<Buffer>,
    buffers: Vec<Buffer>,
    inner: Vec<Parts>,
}

fn invalid(why: impl Into<String>) -> Failure {
    Failure::of_type(why)
}

fn broken(error: ArrowError) -> Failure {
    Failure::of_range(format!("the table is damaged: {error}"))
}

fn count(value: Value<'_>) -> Result<usize> {
    value
        .number()
        .filter(|number| number.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(number))
        .map(|number| number as usize)
        .ok_or_else(|| invalid("a length of the table is no whole number"))
}

fn buffer(value: Value<'_>) -> Result<Buffer> {
    let copied = value.with_bytes(|bytes| Buffer::from(bytes));
    copied.ok_or_else(|| invalid("a buffer of the table has no bytes"))
}

impl Parts {
    fn read(value: Value<'_>, depth: usize) -> Result<Self> {
        if depth == 0 {
            return Err(invalid("the columns of the table are nested too deeply"));
        }
        let (buffers, inner) = (value.element(5)?, value.element(6)?);
        Ok(Self {
            name: text("a column", value.element(0)?)?,
            word: text("a type", value.element(1)?)?,
            len: count(value.element(2)?)?,
            first_bit: count(value.element(3)?)?,
            valid: value.element(4)?.present().map(buffer).transpose()?,
            buffers: each(buffers, buffer)?,
            inner: each(inner, |inner| Self::read(inner, depth - 1))?,
        })
    }

    fn one(&self) -> Result<(&Self, DataType)> {
        let [inner] = self.inner.as_slice() else {
            return Err(invalid(format!("column {:?} has no items", self.name)));
        };
        Ok((inner, inner.kind()?))
    }

    fn field(&self, name: &str) -> Result<Arc<Field>> {
        Ok(Arc::new(Field::new(name, self.kind()?, true)))
    }

    fn kind(&self) -> Result<DataType> {
        use DataType as D;
        let (word, detail) = self.word.split_once(':').unwrap_or((&self.word, ""));
        let unit = || match detail {
            "s" => TimeUnit::Second,
            "ms" => TimeUnit::Millisecond,
            "us" => TimeUnit::Microsecond,
            _ => TimeUnit::Nanosecond,
        };
        let size = || detail.parse::<i32>().map_err(|_| invalid("a type has no size"));
        Ok(match word {
            "null" => D::Null,
            "bool" => D::Boolean,
            "int8" => D::Int8,
            "int16" => D::Int16,
            "int32" => D::Int32,
            "int64" => D::Int64,
            "uint8" => D::UInt8,
            "uint16" => D::UInt16,
            "uint32" => D::UInt32,
            "uint64" => D::UInt64,
            "float16" => D::Float16,
            "float32" => D::Float32,
            "float64" => D::Float64,
            "utf8" => D::Utf8,
            "largeUtf8" => D::LargeUtf8,
            "binary" => D::Binary,
            "largeBinary" => D::LargeBinary,
            "fixedBinary" => D::FixedSizeBinary(size()?),
            "date32" => D::Date32,
            "date64" => D::Date64,
            "time32" => D::Time32(unit()),
            "time64" => D::Time64(unit()),
            "timestamp" => D::Timestamp(unit(), None),
            "duration" => D::Duration(unit()),
            "interval" => D::Interval(IntervalUnit::MonthDayNano),
            "decimal" => {
                let numbers: Vec<i16> =
                    detail.split(':').filter_map(|part| part.parse().ok()).collect();
                match numbers[..] {
                    [128, precision, scale] => D::Decimal128(precision as u8, scale as i8),
                    [256, precision, scale] => D::Decimal256(precision as u8, scale as i8),
                    _ => return Err(invalid("a decimal has no precision and scale")),
                }
            }
            "list" => D::List(self.one()?.0.field("item")?),
            "fixedList" => D::FixedSizeList(self.one()?.0.field("item")?, size()?),
            "struct" => {
                let fields = self.inner.iter().map(|inner| inner.field(&inner.name));
                D::Struct(fields.collect::<Result<Vec<_>>>()?.into())
            }
            "map" => {
                let (entries, kind) = self.one()?;
                let D::Struct(fields) = &kind else {
                    return Err(invalid(format!("column {:?} has no entries", self.name)));
                };
                // Keys of maps are never null.
                let fields = fields
                    .iter()
                    .enumerate()
                    .map(|(at, field)| Field::new(field.name(), field.data_type().clone(), at > 0));
                let kind = D::Struct(fields.collect::<Fields>());
                D::Map(Arc::new(Field::new(&entries.name, kind, false)), false)
            }
            "dictionary" => {
                let number = Self::number(detail)?;
                D::Dictionary(Box::new(number), Box::new(self.one()?.1))
            }
            _ => return Err(self.unknown()),
        })
    }

    fn number(word: &str) -> Result<DataType> {
        Ok(match word {
            "int8" => DataType::Int8,
            "int16" => DataType::Int16,
            "int32" => DataType::Int32,
            "int64" => DataType::Int64,
            "uint8" => DataType::UInt8,
            "uint16" => DataType::UInt16,
            "uint32" => DataType::UInt32,
            "uint64" => DataType::UInt64,
            _ => return Err(invalid("a dictionary has no numbers")),
        })
    }

    fn unknown(&self) -> Failure {
        invalid(format!(
            "column {:?}: cannot read type {}; cast the column first",
            self.name, self.word
        ))
    }

    /// The column with a type, which may be stricter about nulls than the column itself.
    fn array(&self, kind: &DataType) -> Result<ArrayRef> {
        use DataType as D;
        let inner: Vec<D> = match kind {
            D::List(item) | D::FixedSizeList(item, _) | D::Map(item, _) => {
                vec![item.data_type().clone()]
            }
            D::Struct(fields) => fields.iter().map(|field| field.data_type().clone()).collect(),
            D::Dictionary(_, values) => vec![(**values).clone()],
            _ => Vec::new(),
        };
        let arrays = self.inner.iter().zip(&inner).map(|(inner, kind)| inner.array(kind));
        let children = arrays.map(|array| Ok(array?.to_data())).collect::<Result<Vec<_>>>()?;
        let bits = |bits: &Buffer| {
            if bits.len() * 8 < self.first_bit + self.len {
                return Err(invalid(format!("column {:?} has a bitmap too short", self.name)));
            }
            Ok(BooleanBuffer::new(bits.clone(), self.first_bit, self.len))
        };
        let nulls = self.valid.as_ref().map(bits).transpose()?.map(NullBuffer::new);
        let buffers = match (kind, self.buffers.as_slice()) {
            (D::Boolean, [flags]) => vec![bits(flags)?.sliced()],
            (_, buffers) => buffers.to_vec(),
        };
        let data = ArrayData::builder(kind.clone())
            .len(self.len)
            .nulls(nulls.filter(|nulls| nulls.null_count() > 0))
            .buffers(buffers)
            .child_data(children)
            .align_buffers(true);
        Ok(make_array(data.build().map_err(broken)?))
    }
}

/// What `read` makes of the elements of an array.
fn each<'e, T>(array: Value<'e>, read: impl Fn(Value<'e>) -> Result<T>) -> Result<Vec<T>> {
    (0..array.len()?).map(|at| read(array.element(at)?)).collect()
}

/// How deeply columns are nested at most: more than a bin or a statement can hold.
const DEEPEST: usize = 130;

/// A table from batches.
pub fn table(batches: Value<'_>) -> Result<Table> {
    if !batches.is_array() {
        return Err(invalid("a table is an array of batches"));
    }
    let mut schema: Option<Arc<Schema>> = None;
    let mut tables = Vec::new();
    for at in 0..batches.len()? {
        let batch = batches.element(at)?;
        let rows = count(batch.element(0)?)?;
        let columns = each(batch.element(1)?, |column| Parts::read(column, DEEPEST))?;
        let fields = columns.iter().map(|column| column.field(&column.name));
        let fields = Schema::new(fields.collect::<Result<Vec<_>>>()?);
        let known = schema.get_or_insert_with(|| Arc::new(fields)).clone();
        let arrays = known.fields().iter().zip(&columns);
        let arrays = arrays.map(|(field, column)| column.array(field.data_type()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let table = RecordBatch::try_new_with_options(known, arrays, &options);
        tables.push(table.map_err(broken)?);
    }
    let schema = schema.unwrap_or_else(|| Arc::new(Schema::empty()));
    Ok(Table { schema, batches: tables })
}
