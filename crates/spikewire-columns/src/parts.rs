//! Building Arrow arrays from their parts.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

/// An array of these parts, which are validated.
pub fn array(
    kind: DataType,
    len: usize,
    nulls: Option<NullBuffer>,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> Result<ArrayRef, ArrowError> {
    let data = ArrayData::builder(kind).len(len).nulls(nulls).buffers(buffers);
    Ok(make_array(data.child_data(children).build()?))
}
