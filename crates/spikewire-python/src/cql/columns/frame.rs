//! The columns of a result as a pandas or polars frame.

use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::arrow::to_arrow;
use super::numpy::{Column, columns, mask};
use crate::columns::{ArrowTable, module};
use crate::cql::pages::Pages;

/// A `pandas.DataFrame`. Numbers and booleans become nullable arrays, text becomes `string`,
/// timestamps keep their time zone, and everything else becomes the same objects as in rows.
pub fn to_pandas<'py>(py: Python<'py>, rows: &Pages) -> PyResult<Bound<'py, PyAny>> {
    let pandas = module(py, "to_pandas", "pandas", "pandas")?;
    let numpy = py.import("numpy")?.into_any();
    // By number first, because two columns may have one name.
    let (frame, names) = (PyDict::new(py), PyList::empty(py));
    for (at, column) in columns(&numpy, rows)?.into_iter().enumerate() {
        names.append(&column.name)?;
        frame.set_item(at, array(&pandas, &numpy, column)?)?;
    }
    let options = PyDict::new(py);
    options.set_item("copy", false)?;
    let frame = pandas.call_method("DataFrame", (frame,), Some(&options))?;
    frame.setattr("columns", names)?;
    Ok(frame)
}

/// A `polars.DataFrame`.
pub fn to_polars<'py>(py: Python<'py>, rows: &Pages) -> PyResult<Bound<'py, PyAny>> {
    let polars = module(py, "to_polars", "polars", "polars")?;
    polars.call_method1("DataFrame", (ArrowTable::new(to_arrow(py, rows)?),))
}

fn array<'py>(
    pandas: &Bound<'py, PyAny>,
    numpy: &Bound<'py, PyAny>,
    column: Column<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = pandas.py();
    let Column { array, values, objects, .. } = column;
    let of_type = |kind: &str| {
        let options = PyDict::new(py);
        options.set_item("dtype", kind)?;
        pandas.call_method("array", (&values,), Some(&options))
    };
    let class = match array.data_type() {
        DataType::Boolean => "BooleanArray",
        DataType::Float32 | DataType::Float64 => "FloatingArray",
        kind if kind.is_integer() => "IntegerArray",
        DataType::Utf8 | DataType::LargeUtf8 => {
            // An address is text in Arrow, but an object in rows.
            let texts = values.try_iter()?.all(|value| {
                value.is_ok_and(|value| {
                    value.is_none() || value.is_instance_of::<pyo3::types::PyString>()
                })
            });
            return if texts { of_type("string") } else { series(pandas, &values) };
        }
        DataType::Timestamp(..) => {
            values
                .set_item(mask(numpy, &array)?, numpy.call_method1("datetime64", ("NaT", "ms"))?)?;
            let zoned = pandas.call_method1("DatetimeIndex", (values,))?;
            return zoned.call_method1("tz_localize", ("UTC",));
        }
        // Types that NumPy has, and for which pandas has another type or none.
        _ if !objects && array.data_type().is_primitive() => {
            let missing = mask(numpy, &array)?;
            let values = values.call_method1("astype", ("O",))?;
            values.set_item(missing, py.None())?;
            return series(pandas, &values);
        }
        _ if !objects => {
            // Vectors: one array per row.
            let rows = PyList::empty(py);
            for (row, value) in values.try_iter()?.enumerate() {
                rows.append(if array.is_null(row) { py.None().into_bound(py) } else { value? })?;
            }
            return series(pandas, rows.as_any());
        }
        _ => return series(pandas, &values),
    };
    pandas.getattr("arrays")?.call_method1(class, (values, mask(numpy, &array)?))
}

fn series<'py>(
    pandas: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(pandas.py());
    options.set_item("dtype", "object")?;
    pandas.call_method("Series", (values,), Some(&options))?.getattr("values")
}
