//! The schema that a caller asks for.

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::column::{Bytes, Column, Ends, Store};
use super::number::Numbers;
use crate::errors::{type_error, type_name, value_error};

/// Reads a schema from whatever has the Arrow `PyCapsule` interface.
pub fn schema(value: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let wrong = || {
        type_error(format!(
            "schema must be an Arrow schema, such as a pyarrow.Schema, not {}",
            type_name(value)
        ))
    };
    let Ok(method) = value.getattr("__arrow_c_schema__") else { return Err(wrong()) };
    let capsule: Bound<'_, PyCapsule> = method.call0()?.cast_into().map_err(|_| wrong())?;
    let pointer = capsule.pointer_checked(Some(c"arrow_schema")).map_err(|_| wrong())?;
    // SAFETY: a capsule of this name holds an ArrowSchema of the C data interface, which stays
    // valid as long as the capsule; it is only read, and copied into Rust values.
    let read = unsafe { Schema::try_from(pointer.cast::<FFI_ArrowSchema>().as_ref()) };
    let schema = read.map_err(|error| value_error(format!("schema: {error}")))?;
    for (at, field) in schema.fields().iter().enumerate() {
        if schema.fields()[..at].iter().any(|other| other.name() == field.name()) {
            return Err(value_error(format!("schema: the field {:?} twice", field.name())));
        }
    }
    Ok(Arc::new(schema))
}

/// The column for a field; an error names the field.
pub fn column(field: &Field) -> PyResult<Column> {
    let made = child(field);
    made.map_err(|kind| {
        type_error(format!("schema: field {:?}: no value goes into {kind}", field.name()))
    })
}

fn child(field: &Field) -> Result<Column, String> {
    let kind = field.data_type();
    Ok(Column::new(field.name(), Some(kind.clone()), field.is_nullable(), store(kind)?))
}

fn store(kind: &DataType) -> Result<Store, String> {
    let numbers = |numbers| Ok(Store::Numbers(numbers));
    let bytes =
        |text, large| Ok(Store::Bytes(Bytes { text, ends: Ends::new(large), data: vec![] }));
    let refused = || Err(kind.to_string());
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
        DataType::List(item) => Ok(Store::List(Ends::new(false), Box::new(child(item)?))),
        DataType::LargeList(item) => Ok(Store::List(Ends::new(true), Box::new(child(item)?))),
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
                Ok(Store::Map(Ends::new(false), Box::new(pair)))
            }
            _ => refused(),
        },
        _ => refused(),
    }
}
