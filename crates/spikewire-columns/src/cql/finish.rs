//! Conversion of columns to Arrow arrays.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_buffer::Buffer;
use arrow_schema::{ArrowError, DataType, Field, Fields, IntervalUnit, TimeUnit};
use spikewire_cql::types::Type;

use super::column::{Column, Ends, Store};
use crate::parts::array;

type ColumnResult = Result<(Arc<Field>, ArrayRef), ArrowError>;

/// The array of a column, and the field that describes it.
pub(super) fn finish(
    all: &mut [Option<Column>],
    at: usize,
    name: &str,
    nullable: bool,
) -> ColumnResult {
    let Some(Column { ty, mut valid, store, .. }) = all[at].take() else {
        return Err(ArrowError::InvalidArgumentError("a column is used twice".to_owned()));
    };
    let len = valid.len();
    let nulls = valid.finish();
    let is_uuid = matches!(store, Store::Uuid(_));
    let plain =
        |kind: DataType, buffer: Buffer| array(kind, len, nulls.clone(), vec![buffer], vec![]);
    let finished = match store {
        Store::Boolean(flags) => plain(DataType::Boolean, flags.build().into_inner()),
        Store::I8(all) => plain(DataType::Int8, Buffer::from_vec(all)),
        Store::I16(all) => plain(DataType::Int16, Buffer::from_vec(all)),
        Store::I32(all) => {
            let kind = if ty == Type::Date { DataType::Date32 } else { DataType::Int32 };
            plain(kind, Buffer::from_vec(all))
        }
        Store::I64(all) => {
            let kind = match ty {
                Type::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
                Type::Time => DataType::Time64(TimeUnit::Nanosecond),
                _ => DataType::Int64,
            };
            plain(kind, Buffer::from_vec(all))
        }
        Store::F32(all) => plain(DataType::Float32, Buffer::from_vec(all)),
        Store::F64(all) => plain(DataType::Float64, Buffer::from_vec(all)),
        Store::Bytes(ends, data) => {
            let is_text = matches!(ty, Type::Text | Type::Ascii | Type::Inet);
            let (kind, ends) = match (ends.narrow(), is_text) {
                (Ok(ends), true) => (DataType::Utf8, ends),
                (Ok(ends), false) => (DataType::Binary, ends),
                (Err(ends), true) => (DataType::LargeUtf8, ends),
                (Err(ends), false) => (DataType::LargeBinary, ends),
            };
            array(kind, len, nulls, vec![ends, Buffer::from_vec(data)], vec![])
        }
        Store::Uuid(data) => plain(DataType::FixedSizeBinary(16), Buffer::from_vec(data)),
        Store::DecimalValues(decimals) => decimals.finish(nulls),
        Store::Duration(all) => {
            let kind = DataType::Interval(IntervalUnit::MonthDayNano);
            plain(kind, Buffer::from_vec(all))
        }
        Store::List(ends, child) => {
            let (field, items) = finish(all, child, "item", true)?;
            let (kind, ends) = match ends.narrow() {
                Ok(ends) => (DataType::List(field), ends),
                Err(ends) => (DataType::LargeList(field), ends),
            };
            array(kind, len, nulls, vec![ends], vec![items.to_data()])
        }
        Store::Vector(dimension, child) => {
            let (field, items) = finish(all, child, "item", true)?;
            let Ok(dimension) = i32::try_from(dimension) else {
                return Err(ArrowError::InvalidArgumentError(format!("{dimension} elements")));
            };
            let kind = DataType::FixedSizeList(field, dimension);
            array(kind, len, nulls, vec![], vec![items.to_data()])
        }
        Store::Map(ends, [key, value]) => {
            let (key, keys) = finish(all, key, "key", false)?;
            if keys.null_count() > 0 {
                return Err(ArrowError::InvalidArgumentError(
                    "the empty value is a key of a map, which Arrow cannot represent".to_owned(),
                ));
            }
            let (value, values) = finish(all, value, "value", true)?;
            let Ok(ends) = ends.narrow() else {
                return Err(ArrowError::OffsetOverflowError(keys.len()));
            };
            let pair = DataType::Struct(Fields::from(vec![key, value]));
            let children = vec![keys.to_data(), values.to_data()];
            let entries = array(pair.clone(), keys.len(), None, vec![], children)?;
            let kind = DataType::Map(Arc::new(Field::new("entries", pair, false)), false);
            array(kind, len, nulls, vec![ends], vec![entries.to_data()])
        }
        Store::Struct(indices) => {
            let (mut fields, mut children) = (Vec::new(), Vec::new());
            for (index, child) in indices.into_iter().enumerate() {
                let name = match &ty {
                    Type::Udt(udt) => udt.fields[index].0.clone(),
                    _ => index.to_string(),
                };
                let (field, array) = finish(all, child, &name, true)?;
                fields.push(field);
                children.push(array.to_data());
            }
            array(DataType::Struct(fields.into()), len, nulls, vec![], children)
        }
    }?;
    let field = Field::new(name, finished.data_type().clone(), nullable);
    let field = if is_uuid { with_extension(field, "arrow.uuid") } else { field };
    Ok((Arc::new(field), finished))
}

fn with_extension(field: Field, name: &str) -> Field {
    let names = [("ARROW:extension:name", name), ("ARROW:extension:metadata", "")];
    field.with_metadata(names.map(|(key, value)| (key.to_owned(), value.to_owned())))
}

impl Ends {
    /// 32-bit offsets, or 64-bit ones if they are too large.
    fn narrow(self) -> Result<Buffer, Buffer> {
        if i32::try_from(self.last()).is_err() {
            return Err(Buffer::from_vec(self.0));
        }
        Ok(Buffer::from_vec(self.0.into_iter().map(|end| end as i32).collect::<Vec<_>>()))
    }
}
