//! The column for a field of the requested schema.

use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field};

use super::column::{Bytes, Column, Offsets, Store};
use super::number::Numbers;
use crate::error::ColumnError;

/// The column for a field; an error names the field.
pub fn column(field: &Field) -> Result<Column, ColumnError> {
    let column = child(field);
    column.map_err(|kind| {
        let message =
            format!("schema: field {:?}: columns of type {kind} are not supported", field.name());
        ColumnError::kind(message)
    })
}

fn child(field: &Field) -> Result<Column, String> {
    let kind = field.data_type();
    Ok(Column::new(field.name(), Some(kind.clone()), field.is_nullable(), store(kind)?))
}

fn store(kind: &DataType) -> Result<Store, String> {
    let numbers = |numbers| Ok(Store::Numbers(numbers));
    let bytes =
        |text, large| Ok(Store::Bytes(Bytes { text, ends: Offsets::new(large), data: vec![] }));
    let unsupported = || Err(kind.to_string());
    match kind {
        DataType::Null => Ok(Store::Empty),
        DataType::Boolean => Ok(Store::Bool(BooleanBufferBuilder::new(0))),
        DataType::Int8 => numbers(Numbers::I8(vec![])),
        DataType::Int16 => numbers(Numbers::I16(vec![])),
        DataType::Int32 | DataType::Date32 => numbers(Numbers::I32(vec![])),
        DataType::Int64 | DataType::Timestamp(..) | DataType::Duration(_) => {
            numbers(Numbers::I64(vec![]))
        }
        DataType::UInt8 => numbers(Numbers::U8(vec![])),
        DataType::UInt16 => numbers(Numbers::U16(vec![])),
        DataType::UInt32 => numbers(Numbers::U32(vec![])),
        DataType::UInt64 => numbers(Numbers::U64(vec![])),
        DataType::Float32 => numbers(Numbers::F32(vec![])),
        DataType::Float64 => numbers(Numbers::F64(vec![])),
        DataType::Utf8 | DataType::Utf8View => bytes(true, false),
        DataType::LargeUtf8 => bytes(true, true),
        DataType::Binary | DataType::BinaryView => bytes(false, false),
        DataType::LargeBinary => bytes(false, true),
        DataType::FixedSizeBinary(size) if *size > 0 => Ok(Store::Fixed(*size as usize, vec![])),
        DataType::List(item) => Ok(Store::List(Offsets::new(false), Box::new(child(item)?))),
        DataType::LargeList(item) => Ok(Store::List(Offsets::new(true), Box::new(child(item)?))),
        DataType::FixedSizeList(item, size) if *size > 0 => {
            Ok(Store::Array(*size as usize, Box::new(child(item)?)))
        }
        DataType::Struct(fields) if !fields.is_empty() => {
            let fields = fields.iter().map(|field| child(field));
            Ok(Store::Struct(fields.collect::<Result<_, _>>()?))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) if pair.len() == 2 => {
                let pair = [child(&pair[0])?, child(&pair[1])?];
                Ok(Store::Map(Offsets::new(false), Box::new(pair)))
            }
            _ => unsupported(),
        },
        _ => unsupported(),
    }
}
