//! The schema that a caller passes.

#![expect(unsafe_code, reason = "Arrow's C interface")]

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_schema::{Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{type_error, type_name, value_error};

/// Reads a schema from any object with the Arrow `PyCapsule` interface.
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
    // SAFETY: a capsule with this name contains an ArrowSchema of the C data interface, which is
    // valid as long as the capsule. It is only read, and copied into Rust values.
    let exported = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
    // A released schema's members may have been freed.
    if exported.release().is_none() {
        return Err(value_error("schema: the Arrow schema was taken out of its capsule already"));
    }
    let schema =
        Schema::try_from(exported).map_err(|error| value_error(format!("schema: {error}")))?;
    for (at, field) in schema.fields().iter().enumerate() {
        if schema.fields()[..at].iter().any(|other| other.name() == field.name()) {
            return Err(value_error(format!("schema: the field {:?} twice", field.name())));
        }
    }
    Ok(Arc::new(schema))
}
