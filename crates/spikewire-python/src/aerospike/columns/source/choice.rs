//! Selects which columns of a table become the key and the bins.

use crate::columns::column_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use spikewire_sync::Mutex;

use crate::aerospike::value::{bin_name, is_array};
use crate::arguments::text;
use crate::bridge::python_code::PythonCode;
use crate::columns::source::arrow::{self, Arrays, Tables};
use crate::columns::source::{Pieces, frame, numpy};
use crate::errors::{about, type_error, type_name, value_error};
use spikewire_columns::ColumnError;
use spikewire_columns::source::choice::{RecordColumns, record_columns};

/// The keyword arguments of `put_many` that concern tables.
pub struct Choice<'py> {
    pub key: Option<Bound<'py, PyAny>>,
    pub bins: Option<Bound<'py, PyAny>>,
    pub nulls: Option<Bound<'py, PyAny>>,
}

/// A table whose columns have been selected and checked.
pub struct Table {
    /// Never contended: the mutex only makes a plan that owns this `Sync`.
    pub(super) pieces: Mutex<Box<dyn Pieces>>,
    /// The name of the key column, whose values come first.
    pub(super) key: String,
    /// Pairs of column and bin.
    pub(super) bins: Vec<(String, String)>,
    /// Whether a null removes its bin.
    pub(super) removes: bool,
}

/// The table that `records` is. `None` if it is not a table, but a mapping or pairs.
pub fn open(records: &Bound<'_, PyAny>, choice: &Choice<'_>) -> PyResult<Option<Table>> {
    let py = records.py();
    let _code = PythonCode::enter(py);
    let removes = removes(choice.nulls.as_ref())?;
    let key = choice.key.as_ref().map(|key| text("key", key)).transpose()?;
    let plain =
        records.is_exact_instance_of::<PyDict>() || records.is_exact_instance_of::<PyList>();
    if !plain {
        if frame::is_frame(records)? {
            let (frame, key) = frame::with_key(records, key)?;
            let arrays = Arrays::import(&frame).map_err(|error| frame::explain(py, error))?;
            let arrays = arrays.ok_or_else(|| type_error("this pandas has no Arrow interface"))?;
            return choose(
                py,
                arrow::fields(&arrays)?,
                Some(&key),
                choice,
                removes,
                |numbers, _| Ok(Box::new(Tables::new(arrays, numbers))),
            )
            .map(Some);
        }
        if let Some(arrays) = Arrays::import(records)? {
            return choose(py, arrow::fields(&arrays)?, key, choice, removes, |numbers, _| {
                Ok(Box::new(Tables::new(arrays, numbers)))
            })
            .map(Some);
        }
        if is_array(records)? {
            return choose(py, numpy::fields(records)?, key, choice, removes, |_, names| {
                Ok(Box::new(numpy::StructuredRows::new(records, names)?))
            })
            .map(Some);
        }
    }
    let keywords = [("key", &choice.key), ("bins", &choice.bins), ("nulls", &choice.nulls)];
    if let Some((name, _)) = keywords.iter().find(|(_, value)| value.is_some()) {
        return Err(type_error(format!(
            "{name}= is for tables: a structured NumPy array, an Arrow table or a data frame, not \
             {}",
            type_name(records)
        )));
    }
    Ok(None)
}

fn removes(nulls: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    match nulls.map(|nulls| text("nulls", nulls)).transpose()? {
        None | Some("skip") => Ok(false),
        Some("remove") => Ok(true),
        Some(word) => Err(value_error(format!(
            "nulls must be 'skip' (their bins stay as they are) or 'remove', got {word:?}"
        ))),
    }
}

fn choose(
    py: Python<'_>,
    fields: Vec<(String, Result<(), ColumnError>)>,
    key: Option<&str>,
    choice: &Choice<'_>,
    removes: bool,
    pieces: impl FnOnce(Vec<usize>, &[&str]) -> PyResult<Box<dyn Pieces>>,
) -> PyResult<Table> {
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    let Some(key) = key else {
        return Err(type_error(format!(
            "key= must name the column of keys; there are: {}",
            names.join(", ")
        )));
    };
    let selected = selected_columns(choice.bins.as_ref())?;
    let check = |column: &str, bin: &str| check_bin(py, column, bin).map_err(BinError::Name);
    let RecordColumns { numbers, bins } = record_columns(&names, key, selected, check)?;
    for at in &numbers {
        if let Err(error) = &fields[*at].1 {
            let error = error.clone().within(&format!("column {:?}", names[*at]));
            return Err(column_error(error));
        }
    }
    let chosen: Vec<&str> = numbers.iter().map(|at| names[*at]).collect();
    let pieces = Mutex::new(pieces(numbers, &chosen)?);
    Ok(Table { pieces, key: key.to_owned(), bins, removes })
}

/// Why columns cannot be selected.
enum BinError {
    Column(ColumnError),
    Name(PyErr),
}

impl From<ColumnError> for BinError {
    fn from(error: ColumnError) -> Self {
        Self::Column(error)
    }
}

impl From<BinError> for PyErr {
    fn from(error: BinError) -> Self {
        match error {
            BinError::Column(error) => column_error(error),
            BinError::Name(error) => error,
        }
    }
}

/// The columns and the bins they become, if they are named.
fn selected_columns(bins: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<(String, String)>>> {
    let same = |name: &str| (name.to_owned(), name.to_owned());
    let Some(bins) = bins else { return Ok(None) };
    let column = |name: &Bound<'_, PyAny>| text("each column in bins", name).map(same);
    let selected: PyResult<_> = if let Ok(list) = bins.cast::<PyList>() {
        list.iter().map(|name| column(&name)).collect()
    } else if let Ok(items) = bins.cast::<PyTuple>() {
        items.iter().map(|name| column(&name)).collect()
    } else if let Ok(renamed) = bins.cast::<PyMapping>() {
        let pair = |pair: Bound<'_, PyAny>| {
            let (name, bin): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            Ok((column(&name)?.0, bin_name(&bin)?.to_owned()))
        };
        renamed.items()?.iter().map(pair).collect()
    } else {
        Err(type_error(format!(
            "bins must be a list or tuple of columns, or a dict of columns to bin names, not {}",
            type_name(bins)
        )))
    };
    selected.map(Some)
}

/// Checks that a column's name can be used as a bin name.
fn check_bin(py: Python<'_>, column: &str, bin: &str) -> PyResult<()> {
    let checked = bin_name(PyString::new(py, bin).as_any()).map(drop);
    checked.map_err(|error| {
        let error = about(py, error, &format!("column {column:?}"));
        let advice = format!("{}; rename it by bins={{column: bin}}", error.value(py));
        if column == bin { value_error(advice) } else { error }
    })
}
