//! Exceptions: Python's built-in ones, and the conversion of engine errors to the classes of an
//! engine's exception tree.

use std::fmt;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use spikewire_transport::{CommandError, Fault, FaultKind};

use super::python_code::PythonCode;
use crate::bridge::cached::Cached;

/// Conversion of an engine's error to a Python exception.
pub trait Raise: CommandError {
    /// The exception for an error about which nothing more is known from the call.
    fn raise(&self, py: Python<'_>) -> PyErr;
}

/// The engine's exception for a fault found by the transport or the bridge.
pub fn raise<E: Raise>(py: Python<'_>, fault: Fault) -> PyErr {
    E::from(fault).raise(py)
}

/// The exception for a call whose client was closed in the meantime.
pub fn closed<E: Raise>(py: Python<'_>) -> PyErr {
    raise::<E>(py, Fault::new(FaultKind::Closed, "the client was closed"))
}

/// The exceptions of an engine, which are defined in a Python module. The module's function `_make`
/// creates one from the name of its class, or its code, and the context of the call.
pub struct ErrorTree {
    module: &'static str,
    make: Cached<Py<PyAny>>,
}

impl ErrorTree {
    /// The exceptions of this module, which is imported when the first exception is created.
    pub const fn new(module: &'static str) -> Self {
        Self { module, make: Cached::new() }
    }

    /// Creates an exception by calling the module. If that fails, the new error is returned
    /// instead.
    pub fn make<'py>(&self, py: Python<'py>, context: impl PyCallArgs<'py>) -> PyErr {
        let _code = PythonCode::enter(py);
        let make = self.make.import(py, self.module, "_make");
        match make.and_then(|make| make.call1(context)) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }
}

/// A `TypeError` with this message.
pub fn type_error(message: impl Into<String>) -> PyErr {
    PyTypeError::new_err(shortened(message.into()))
}

/// A `ValueError` with this message.
pub fn value_error(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(shortened(message.into()))
}

/// An `OverflowError` with this message.
pub fn overflow(message: impl Into<String>) -> PyErr {
    PyOverflowError::new_err(shortened(message.into()))
}

/// A message without the middle of a text of a megabyte that it quotes.
fn shortened(message: String) -> String {
    const LONGEST: usize = 2000;
    const ENDS: usize = 500;
    if message.len() <= LONGEST {
        return message;
    }
    let boundary = |at: &usize| message.is_char_boundary(*at);
    let start = (0..=ENDS).rev().find(boundary).unwrap_or(0);
    let end = (message.len() - ENDS..message.len()).find(boundary).unwrap_or(message.len());
    let left_out = end - start;
    format!("{}… ({left_out} bytes left out) …{}", &message[..start], &message[end..])
}

/// A `str` as UTF-8. Fails on a lone surrogate with an error that names `what`, and quotes the text
/// unless it is a password.
pub fn utf8<'a>(what: &str, text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().map_err(|_| {
        let quoted = if what.contains("password") {
            String::new()
        } else {
            format!(" {}", repr_of(text.as_any()))
        };
        value_error(format!("{what}{quoted} cannot be written as UTF-8 (lone surrogates)"))
    })
}

/// The same error, with `what` prefixed to its message.
pub fn about(py: Python<'_>, error: PyErr, what: &str) -> PyErr {
    let message = format!("{what}: {}", error.value(py));
    let extended = error.get_type(py).call1((message,)).map(PyErr::from_value);
    extended.unwrap_or(error)
}

/// A value for use in messages, truncated if it is long.
pub fn repr_of(value: &Bound<'_, PyAny>) -> String {
    let text = match value.repr() {
        Ok(text) => text.to_string(),
        // Python refuses to format integers with thousands of digits.
        Err(_) => return format!("a very long {}", type_name(value)),
    };
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A value for use in a message, formatted only if the message is needed.
pub struct LazyRepr<'a, 'py>(pub &'a Bound<'py, PyAny>);

impl fmt::Display for LazyRepr<'_, '_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&repr_of(self.0))
    }
}

/// The name of a value's type, for use in messages.
pub fn type_name(value: &Bound<'_, PyAny>) -> String {
    let kind: Bound<'_, PyType> = value.get_type();
    kind.fully_qualified_name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}
