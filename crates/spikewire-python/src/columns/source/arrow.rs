//! Arrow tables and streams, through the PyCapsule interface.

#![expect(unsafe_code, reason = "Arrow's C interface")]

use crate::columns::column_error;
use std::ffi::CStr;

use arrow_array::ArrayReader;
use arrow_array::array::{Array, ArrayRef, make_array};
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods, PyTuple};

use super::{Piece, Pieces};
use crate::errors::{type_error, value_error};
use spikewire_columns::ColumnError;
use spikewire_columns::source::{cells, check};

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
