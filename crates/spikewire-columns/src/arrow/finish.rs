//! Conversion of a column's memory to an Arrow array.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, StringArray, StringViewArray, make_array,
};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, Fields};

use super::column::{Bytes, Column, Offsets, Store};
use super::number::Numbers;
use crate::parts::array;

impl Offsets {
    fn finish(self) -> Buffer {
        if self.most == i64::MAX {
            return Buffer::from_vec(self.all);
        }
        Buffer::from_vec(self.all.into_iter().map(|end| end as i32).collect::<Vec<_>>())
    }
}

impl Column {
    /// The array, of the requested type or the type of the values.
    pub fn finish(self) -> Result<ArrayRef, ArrowError> {
        self.finish_with(Buffer::from_vec)
    }

    /// Like `finish`; `keep` turns the column's bytes into Arrow memory.
    pub fn finish_with(self, keep: impl FnOnce(Vec<u8>) -> Buffer) -> Result<ArrayRef, ArrowError> {
        let Self { requested, store, mut valid, .. } = self;
        let (len, nulls) = (valid.len(), valid.finish());
        let make = |kind: DataType, buffers: Vec<Buffer>, children: Vec<ArrayData>| {
            array(kind, len, nulls.clone(), buffers, children)
        };
        match store {
            Store::Empty => {
                let data = ArrayData::builder(DataType::Null).len(len).build()?;
                Ok(make_array(data))
            }
            Store::Objects => Err(ArrowError::InvalidArgumentError("no Arrow type".to_owned())),
            Store::Bool(flags) => make(DataType::Boolean, vec![flags.build().into_inner()], vec![]),
            Store::Numbers(numbers) => {
                let kind = requested.unwrap_or(match numbers {
                    Numbers::F64(_) => DataType::Float64,
                    _ => DataType::Int64,
                });
                make(kind, vec![numbers.finish()], vec![])
            }
            Store::Bytes(Bytes { text, ends, data }) => {
                let buffers = vec![ends.finish(), keep(data)];
                match requested {
                    // Views are made from the plain layout and share its bytes.
                    Some(DataType::Utf8View) => {
                        let plain = make(DataType::Utf8, buffers, vec![])?.to_data();
                        Ok(Arc::new(StringViewArray::from(&StringArray::from(plain))))
                    }
                    Some(DataType::BinaryView) => {
                        let plain = make(DataType::Binary, buffers, vec![])?.to_data();
                        Ok(Arc::new(BinaryViewArray::from(&BinaryArray::from(plain))))
                    }
                    Some(kind) => make(kind, buffers, vec![]),
                    None if text => make(DataType::Utf8, buffers, vec![]),
                    None => make(DataType::Binary, buffers, vec![]),
                }
            }
            Store::Fixed(size, data) => {
                let kind = DataType::FixedSizeBinary(size as i32);
                make(kind, vec![Buffer::from_vec(data)], vec![])
            }
            Store::List(ends, child) => {
                let child = child.finish()?.to_data();
                let kind = requested.unwrap_or_else(|| {
                    DataType::List(Arc::new(Field::new("item", child.data_type().clone(), true)))
                });
                make(kind, vec![ends.finish()], vec![child])
            }
            Store::Array(_, child) => {
                let kind = requested.unwrap_or(DataType::Null);
                make(kind, vec![], vec![child.finish()?.to_data()])
            }
            Store::Map(ends, pair) => {
                let [mut keys, values] = *pair;
                if keys.requested.is_none() && matches!(keys.store, Store::Empty) {
                    // No map had a key; the key type must be one that is never null.
                    keys.store =
                        Store::Bytes(Bytes { text: true, ends: Offsets::new(false), data: vec![] });
                }
                let count = keys.len();
                let (keys, values) = (keys.finish()?.to_data(), values.finish()?.to_data());
                let kind = requested.unwrap_or_else(|| {
                    let fields = Fields::from(vec![
                        Field::new("key", keys.data_type().clone(), false),
                        Field::new("value", values.data_type().clone(), true),
                    ]);
                    let entries = Field::new("entries", DataType::Struct(fields), false);
                    DataType::Map(Arc::new(entries), false)
                });
                let DataType::Map(entries, _) = &kind else {
                    return Err(ArrowError::SchemaError(format!("{kind} is not a map")));
                };
                let entries =
                    array(entries.data_type().clone(), count, None, vec![], vec![keys, values])?;
                make(kind, vec![ends.finish()], vec![entries.to_data()])
            }
            Store::Struct(fields) => {
                let kind = requested.unwrap_or(DataType::Null);
                let children = fields.into_iter().map(|field| Ok(field.finish()?.to_data()));
                make(kind, vec![], children.collect::<Result<_, ArrowError>>()?)
            }
        }
    }
}
