//! pandas data frames, which pandas converts to Arrow tables.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use crate::errors::{type_error, value_error};

/// The name of the column into which the index is turned if it is the key.
const INDEX: &str = "(index)";

/// Whether this is a pandas data frame.
pub fn is_frame(records: &Bound<'_, PyAny>) -> PyResult<bool> {
    // No object can be one before pandas is imported.
    let modules = records.py().import("sys")?.getattr("modules")?;
    let pandas = modules.call_method1("get", ("pandas",))?;
    if pandas.is_none() || !pandas.hasattr("DataFrame")? {
        return Ok(false);
    }
    records.is_instance(&pandas.getattr("DataFrame")?)
}

/// A frame with the key among its columns, and the name of that column. `key` names a column or a
/// level of the index. Without a name, the index is the key, unless it only counts the rows.
pub fn with_key<'py>(
    frame: &Bound<'py, PyAny>,
    key: Option<&str>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let levels = frame.getattr("index")?.getattr("names")?;
    let Some(key) = key else {
        if levels.len()? != 1 {
            return Err(value_error(
                "the frame's index has several levels: name the key's column or level by key=",
            ));
        }
        if counts_rows(frame)? {
            let columns = frame.getattr("columns")?.try_iter()?;
            let names: Vec<String> = columns
                .map(|name| name.and_then(|name| Ok(name.str()?.to_string())))
                .collect::<PyResult<_>>()?;
            return Err(type_error(format!(
                "key= must name the column of keys, as the frame's index only counts its rows; \
                 there are: {}",
                names.join(", ")
            )));
        }
        let named = frame.call_method1("rename_axis", (INDEX,))?;
        return Ok((named.call_method0("reset_index")?, INDEX.to_owned()));
    };
    let is_level = !frame.getattr("columns")?.contains(key)? && levels.contains(key)?;
    let frame = if is_level { frame.call_method1("reset_index", (key,))? } else { frame.clone() };
    // The other levels of the index do not become bins.
    let drop = [("drop", true)].into_py_dict(frame.py())?;
    Ok((frame.call_method("reset_index", (), Some(&drop))?, key.to_owned()))
}

/// Whether the index is the one that pandas gives to frames without one.
fn counts_rows(frame: &Bound<'_, PyAny>) -> PyResult<bool> {
    let index = frame.getattr("index")?;
    let class = frame.py().import("pandas")?.getattr("RangeIndex")?;
    Ok(index.is_instance(&class)? && index.getattr("name")?.is_none())
}

/// A clearer error if pandas lacks the library to create an Arrow table.
pub fn explain(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyImportError>(py) {
        return error;
    }
    let explained = PyImportError::new_err(
        "put_many of a pandas DataFrame needs pyarrow, which is not installed",
    );
    explained.set_cause(py, Some(error));
    explained
}
