//! The columns of a result as NumPy arrays.

use arrow_array::cast::AsArray;
use arrow_array::types::Date32Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};
use spikewire_columns::RowError;

use super::arrow::{row_error, to_arrow};
use super::fixed::check_unique;
use crate::columns::module;
use crate::cql::errors::BoxedPyErr;
use crate::cql::pages::Pages;
use crate::cql::value::{ValueDecoder, value};

/// A dictionary with one array per column. The arrays are masked, or plain if nulls raise an error.
pub fn to_arrays<'py>(py: Python<'py>, rows: &Pages, strict: bool) -> PyResult<Bound<'py, PyDict>> {
    let numpy = module(py, "to_numpy", "numpy", "NumPy")?;
    let masked = numpy.getattr("ma")?.getattr("MaskedArray")?;
    let arrays = PyDict::new(py);
    for column in columns(&numpy, rows)? {
        let nulls = column.array.nulls().filter(|nulls| nulls.null_count() > 0);
        if strict && let Some(nulls) = nulls {
            let row = (0..nulls.len()).find(|row| nulls.is_null(*row)).unwrap_or_default();
            return Err(row_error(&RowError::NoValue(row, column.name)));
        }
        let array = if strict {
            column.values
        } else {
            let mask = mask(&numpy, &column.array)?;
            let shape = column.values.getattr("shape")?;
            let mask = if shape.len()? > 1 {
                let wide = mask.call_method1("reshape", (-1, 1))?;
                let wide = numpy.call_method1("broadcast_to", (wide, shape))?;
                wide.call_method0("copy")?
            } else {
                mask
            };
            let options = PyDict::new(py);
            options.set_item("mask", mask)?;
            masked.call((column.values,), Some(&options))?
        };
        if arrays.contains(&column.name)? {
            check_unique(2, &column.name)?;
        }
        arrays.set_item(column.name, array)?;
    }
    Ok(arrays)
}

/// A column: its Arrow array, and a NumPy array with a placeholder for nulls.
pub struct Column<'py> {
    pub name: String,
    pub array: ArrayRef,
    pub values: Bound<'py, PyAny>,
    /// Whether the values are Python objects.
    pub objects: bool,
}

/// All columns. Types that NumPy lacks are represented by the same objects as in rows.
pub fn columns<'py>(numpy: &Bound<'py, PyAny>, rows: &Pages) -> PyResult<Vec<Column<'py>>> {
    let py = numpy.py();
    let table = to_arrow(py, rows)?;
    let fields = table.schema_ref().fields().iter();
    let mut parts: Vec<(String, &ArrayRef, Option<Bound<'py, PyAny>>)> = fields
        .zip(table.columns())
        .map(|(field, array)| Ok((field.name().clone(), array, plain(numpy, array)?)))
        .collect::<PyResult<_>>()?;
    let missing = parts.iter().enumerate().filter(|(_, column)| column.2.is_none());
    let missing: Vec<usize> = missing.map(|(at, _)| at).collect();
    let mut objects = objects(py, rows, &missing)?.into_iter();
    let all = parts.iter_mut().map(|(name, array, values)| {
        let (values, objects) = match values.take() {
            Some(values) => (values, false),
            None => (object_array(numpy, objects.next().unwrap_or_default())?, true),
        };
        Ok(Column { name: std::mem::take(name), array: array.clone(), values, objects })
    });
    all.collect()
}

/// A flag for each row: 1 if it has no value.
pub fn mask<'py>(numpy: &Bound<'py, PyAny>, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let flags: Vec<u8> = match array.nulls() {
        Some(nulls) => nulls.iter().map(|valid| u8::from(!valid)).collect(),
        None => vec![0; array.len()],
    };
    from(numpy, &flags, "?")
}

/// A new array of these bytes.
fn from<'py>(numpy: &Bound<'py, PyAny>, bytes: &[u8], kind: &str) -> PyResult<Bound<'py, PyAny>> {
    numpy.call_method1("frombuffer", (PyByteArray::new(numpy.py(), bytes), kind))
}

/// The array of a column whose values have a fixed size; `None` for other columns.
fn plain<'py>(numpy: &Bound<'py, PyAny>, array: &ArrayRef) -> PyResult<Option<Bound<'py, PyAny>>> {
    let kind = match array.data_type() {
        DataType::Boolean => {
            let flags = array.as_boolean().values();
            let flags: Vec<u8> = flags.iter().map(u8::from).collect();
            return from(numpy, &flags, "?").map(Some);
        }
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().values().iter();
            let wide: Vec<u8> = days.flat_map(|days| i64::from(*days).to_ne_bytes()).collect();
            return from(numpy, &wide, "M8[D]").map(Some);
        }
        DataType::FixedSizeList(..) => return vectors(numpy, array),
        DataType::Int8 => "i1",
        DataType::Int16 => "i2",
        DataType::Int32 => "i4",
        DataType::Int64 => "i8",
        DataType::Float32 => "f4",
        DataType::Float64 => "f8",
        DataType::Timestamp(..) => "M8[ms]",
        DataType::Time64(_) => "m8[ns]",
        _ => return Ok(None),
    };
    let data = array.to_data();
    from(numpy, data.buffers()[0].as_slice(), kind).map(Some)
}

/// Vectors of numbers as a two-dimensional array, if no element is null.
fn vectors<'py>(
    numpy: &Bound<'py, PyAny>,
    array: &ArrayRef,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let list = array.as_fixed_size_list();
    let items = list.values();
    let fits = items.data_type().is_primitive() && items.null_count() == missing_items(array);
    match plain(numpy, items)? {
        Some(flat) if fits => {
            let shape = (list.len(), list.value_length());
            flat.call_method1("reshape", (shape,)).map(Some)
        }
        _ => Ok(None),
    }
}

/// The number of elements that are null because their vector is.
fn missing_items(array: &ArrayRef) -> usize {
    array.null_count() * array.as_fixed_size_list().value_length() as usize
}

/// The values of some columns as Python objects, column by column.
fn objects<'py>(
    py: Python<'py>,
    rows: &Pages,
    selected: &[usize],
) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
    let mut all: Vec<Vec<Bound<'py, PyAny>>> = selected.iter().map(|_| vec![]).collect();
    let Some(shape) = rows.result.shape.as_ref().filter(|_| !selected.is_empty()) else {
        return Ok(all);
    };
    let decoder = ValueDecoder { py, classes: &rows.classes };
    for page in &rows.result.pages {
        let mut cells = page.cells.at(py, 0);
        for _ in 0..page.count {
            let mut next = selected.iter().zip(&mut all).peekable();
            for (at, column) in shape.columns.iter().enumerate() {
                let cell = cells.cell().map_err(BoxedPyErr::from)?;
                if let Some((_, into)) = next.next_if(|(column, _)| **column == at) {
                    into.push(value(&column.ty, cell, &decoder)?);
                }
            }
        }
    }
    Ok(all)
}

/// An array of Python objects.
fn object_array<'py>(
    numpy: &Bound<'py, PyAny>,
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = numpy.call_method1("empty", (values.len(), "O"))?;
    // Lists of equal length would become another dimension unless they are assigned one by one.
    for (at, value) in values.into_iter().enumerate() {
        array.set_item(at, value)?;
    }
    Ok(array)
}
