//! Arrays and tables as Python has them, whatever database their rows come from.
//!
//! | module | contents |
//! |---|---|
//! | here | errors of columns; libraries that are imported when they are needed |
//! | `schema`, `table` | Arrow schemas that callers pass, tables that they get |
//! | `library`, `layout`, `memory`, `masked` | NumPy: structured arrays, plain and masked |
//! | [`source`] | tables that callers pass, read cell by cell |

pub mod layout;
mod library;
mod masked;
mod memory;
mod schema;
pub mod source;
mod table;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use spikewire_columns::{ColumnError, ErrorClass};

pub use self::layout::Layout;
pub use self::library::Library;
pub use self::memory::ArrayMemory;
pub use self::schema::schema;
pub use self::table::{ArrowTable, arrow_error};
use crate::bridge::imports::import_late;
use crate::errors::{overflow, repr_of, type_error, type_name, value_error};

/// Imports a module, or fails with an error that says what to install.
pub fn module<'py>(
    py: Python<'py>,
    verb: &str,
    name: &str,
    library_name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    match import_late(py, name) {
        Ok(module) => Ok(module.into_any()),
        Err(error) if error.is_instance_of::<PyImportError>(py) => {
            let message =
                format!("{verb} needs {library_name}, which is not installed: pip install {name}");
            let explained = PyImportError::new_err(message);
            explained.set_cause(py, Some(error));
            Err(explained)
        }
        Err(error) => Err(error),
    }
}

/// The exception for a value that does not fit its column.
pub fn column_error(error: ColumnError) -> PyErr {
    match error.class {
        ErrorClass::Type => type_error(error.message),
        ErrorClass::Value => value_error(error.message),
        ErrorClass::Overflow => overflow(error.message),
    }
}

/// The keyword `missing`.
pub fn missing(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word("missing", ["mask", "raise"], value)
}

/// The keyword `errors`.
pub fn errors(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word("errors", ["raise", "mask"], value)
}

fn word(what: &str, words: [&'static str; 2], value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let [first, second] = words;
    let known = |text: &str| words.into_iter().find(|word| *word == text);
    match value.cast::<PyString>().map(|text| text.to_str().ok().and_then(known)) {
        Ok(Some(word)) => Ok(word),
        Ok(None) => Err(value_error(format!(
            "{what} must be {first:?} or {second:?}, not {}",
            repr_of(value)
        ))),
        Err(_) => Err(type_error(format!(
            "{what} must be {first:?} or {second:?}, not {}",
            type_name(value)
        ))),
    }
}
