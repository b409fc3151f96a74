//! From the engine's failures to the Python error tree (defined in `spikewire/errors.py`).

use std::fmt;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use spikewire_aerospike::command::{Refusal, RefusalClass};
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::expression::Fault;

/// The Python function that makes an exception from a code and its circumstances.
fn maker(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    MAKE.get_or_try_init(py, || py.import("spikewire.errors")?.getattr("_make").map(Bound::unbind))
        .map(|make| make.bind(py))
}

/// What composing raises here: what engine and protocol refuse, and whatever Python code raises.
#[derive(Debug)]
pub struct Raised(PyErr);

impl From<Refusal> for Raised {
    fn from(refusal: Refusal) -> Self {
        let message = refusal.message().to_owned();
        Self(match refusal.class() {
            RefusalClass::Type => type_error(message),
            RefusalClass::Value => value_error(message),
        })
    }
}

impl From<Fault> for Raised {
    fn from(fault: Fault) -> Self {
        Self(match fault {
            Fault::Type(why) => type_error(why),
            Fault::Value(why) => value_error(why),
        })
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        raised.0
    }
}

/// The exception for what engine or protocol refuse.
pub fn refused(refusal: impl Into<Raised>) -> PyErr {
    refusal.into().0
}

/// The exception for a failure of the engine; `key` is what the caller asked for.
pub fn to_python(py: Python<'_>, error: &Error, key: Option<Bound<'_, PyAny>>) -> PyErr {
    if error.kind() == Kind::Invalid {
        return PyValueError::new_err(error.message().to_owned());
    }
    let made = maker(py).and_then(|make| {
        make.call1((
            error.kind().name(),
            error.kind().code(),
            error.message(),
            error.node(),
            error.attempts(),
            error.in_doubt(),
            key,
        ))
    });
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// `TypeError` in plain words.
pub fn type_error(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(message.into())
}

/// `ValueError` in plain words.
pub fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}

/// `OverflowError` in plain words.
pub fn overflow(message: impl Into<String>) -> PyErr {
    PyOverflowError::new_err(message.into())
}

/// The same error, saying first what it is about.
pub fn about(py: Python<'_>, error: PyErr, what: &str) -> PyErr {
    let message = format!("{what}: {}", error.value(py));
    let made = error.get_type(py).call1((message,)).map(PyErr::from_value);
    made.unwrap_or(error)
}

/// A value for messages, cut where it is long.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = match value.repr() {
        Ok(text) => text.to_string(),
        // Python refuses to write integers of many thousand digits.
        Err(_) => return format!("a very long {}", type_name(value)),
    };
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A value for a message that is rarely needed.
pub struct Shown<'a, 'py>(pub &'a Bound<'py, PyAny>);

impl fmt::Display for Shown<'_, '_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&shown(self.0))
    }
}

/// A type's name for messages.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    let kind: Bound<'_, PyType> = value.get_type();
    kind.fully_qualified_name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}
