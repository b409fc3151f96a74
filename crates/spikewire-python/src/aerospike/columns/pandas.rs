//! pandas frames from a batch. Columns of one type become nullable arrays, other columns arrays of
//! objects.

use arrow_buffer::NullBufferBuilder;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyNone, PyString};

use spikewire_aerospike::command::batch::{Batch as Rows, RowContents};
use spikewire_columns::arrow::{Bytes, Column, Store};
use spikewire_columns::{ExtraColumns, RowError};

use super::arrow::table_builder;
use crate::aerospike::key::Key;
use crate::aerospike::value::particle;
use crate::bridge::python_code::PythonCode;
use crate::columns::module;
use crate::errors::value_error;

/// The rows as a `DataFrame` with the user keys as its index.
pub fn to_pandas<'py>(
    py: Python<'py>,
    rows: &Rows,
    keys: &[Key],
    extra: &ExtraColumns,
    lenient: bool,
    explain: impl Fn(&RowError) -> PyErr,
) -> PyResult<Bound<'py, PyAny>> {
    let _code = PythonCode::enter(py);
    let pandas = module(py, "to_pandas", "pandas", "pandas")?;
    let mut columns = table_builder(None, extra, true, None)?;
    let filled = py.detach(|| columns.fill(rows.all_contents(), lenient));
    filled.map_err(|stop| explain(&stop))?;
    let index = index(&pandas, keys)?;
    let columns = columns.into_columns();
    let names: Vec<&str> =
        columns.iter().filter(|it| it.is_objects()).map(|it| it.name.as_str()).collect();
    let mut objects = objects(py, rows, &names)?.into_iter();
    let frame = PyDict::new(py);
    for column in columns {
        let name = column.name.clone();
        let values = if column.is_objects() { objects.next() } else { None };
        let data = match values {
            Some(values) => series(&pandas, values)?,
            None => array(&pandas, column)?,
        };
        frame.set_item(name, data)?;
    }
    let options = PyDict::new(py);
    options.set_item("index", index)?;
    options.set_item("copy", false)?;
    pandas.call_method("DataFrame", (frame,), Some(&options))
}

/// The user keys, or the digest for a key without one.
fn index<'py>(pandas: &Bound<'py, PyAny>, keys: &[Key]) -> PyResult<Bound<'py, PyAny>> {
    let py = pandas.py();
    let keys = keys.iter().map(|key| {
        let user = key.user.bind(py).clone();
        if user.is_none() { PyBytes::new(py, &key.digest.0).into_any() } else { user }
    });
    let keys = PyList::new(py, keys.collect::<Vec<_>>())?;
    let options = PyDict::new(py);
    options.set_item("name", "key")?;
    pandas.call_method("Index", (keys,), Some(&options))
}

/// An array of one type, with that type's kind of null.
fn array<'py>(pandas: &Bound<'py, PyAny>, column: Column) -> PyResult<Bound<'py, PyAny>> {
    let py = pandas.py();
    let numpy = py.import("numpy")?;
    let len = column.len();
    let Column { store, valid, .. } = column;
    let from = |bytes: &[u8], kind: &str| {
        numpy.call_method1("frombuffer", (PyByteArray::new(py, bytes), kind))
    };
    let masked = |class: &str, values: Bound<'py, PyAny>| {
        let missing: Vec<u8> = (0..len).map(|row| u8::from(!valid.is_valid(row))).collect();
        let mask = from(&missing, "bool")?;
        pandas.getattr("arrays")?.call_method1(class, (values, mask))
    };
    match store {
        Store::Numbers(numbers) => {
            let kind = numbers.name();
            let class = if kind.starts_with('f') { "FloatingArray" } else { "IntegerArray" };
            masked(class, from(numbers.finish().as_slice(), kind)?)
        }
        Store::Bool(flags) => {
            let flags: Vec<u8> = (0..len).map(|row| u8::from(flags.get_bit(row))).collect();
            masked("BooleanArray", from(&flags, "bool")?)
        }
        Store::Bytes(text) => {
            let options = PyDict::new(py);
            options.set_item("dtype", "string")?;
            pandas.call_method("array", (texts(py, &text, &valid)?,), Some(&options))
        }
        _ => series(pandas, vec![PyNone::get(py).to_owned().into_any(); len]),
    }
}

fn texts<'py>(
    py: Python<'py>,
    text: &Bytes,
    valid: &NullBufferBuilder,
) -> PyResult<Bound<'py, PyList>> {
    let all = PyList::empty(py);
    for (row, ends) in text.ends.all.windows(2).enumerate() {
        if valid.is_valid(row) {
            let bytes = &text.data[ends[0] as usize..ends[1] as usize];
            all.append(PyString::from_bytes(py, bytes)?)?;
        } else {
            all.append(py.None())?;
        }
    }
    Ok(all)
}

fn series<'py>(
    pandas: &Bound<'py, PyAny>,
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(pandas.py());
    options.set_item("dtype", "object")?;
    // Only its values, because the frame has an index of its own.
    let values = PyList::new(pandas.py(), values)?;
    pandas.call_method("Series", (values,), Some(&options))?.getattr("values")
}

/// The values of some bins as Python objects, column by column.
fn objects<'py>(
    py: Python<'py>,
    rows: &Rows,
    names: &[&str],
) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
    let mut all = vec![Vec::with_capacity(rows.len()); names.len()];
    for row in 0..if names.is_empty() { 0 } else { rows.len() } {
        all.iter_mut().for_each(|column| column.push(PyNone::get(py).to_owned().into_any()));
        let RowContents::Record(_, mut walk) = rows.contents(row) else { continue };
        while let Some(op) = walk.next().map_err(|error| value_error(error.to_string()))? {
            if let Some(at) = names.iter().position(|name| name.as_bytes() == op.name) {
                let value = particle(py, op.particle, op.value)?;
                if !value.is_none() {
                    all[at][row] = value;
                }
            }
        }
    }
    Ok(all)
}
