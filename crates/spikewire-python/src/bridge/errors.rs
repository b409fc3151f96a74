//! Exceptions: Python's own in plain words, and how the failures of an engine become those of its
//! tree.

use std::fmt;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use spikewire_transport::{CommandError, Fault, FaultKind};

/// An engine's error as Python programs see it.
pub trait Raise: CommandError {
    /// Its exception, where there is no more to say about the call.
    fn raise(&self, py: Python<'_>) -> PyErr;
}

/// The exception of an engine for what the transport, or the bridge, finds.
pub fn raise<E: Raise>(py: Python<'_>, fault: Fault) -> PyErr {
    E::from(fault).raise(py)
}

/// The exception for a call whose client was closed meanwhile.
pub fn closed<E: Raise>(py: Python<'_>) -> PyErr {
    raise::<E>(py, Fault::new(FaultKind::Closed, "the client was closed"))
}

/// The exceptions of an engine, which a Python module defines. The module's function `_make` makes
/// one from its class's name or code and the circumstances.
pub struct ErrorTree {
    module: &'static str,
    make: PyOnceLock<Py<PyAny>>,
}

impl ErrorTree {
    /// The tree of this module, which is imported when the first exception is made.
    pub const fn new(module: &'static str) -> Self {
        Self { module, make: PyOnceLock::new() }
    }

    /// Hands the circumstances to the module. What goes wrong there is raised instead.
    pub fn make<'py>(&self, py: Python<'py>, circumstances: impl PyCallArgs<'py>) -> PyErr {
        let make = self.make.import(py, self.module, "_make");
        match make.and_then(|make| make.call1(circumstances)) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
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

/// A str as Rust has it. A lone surrogate makes that impossible; the error names what has it.
pub fn utf8<'a>(what: &str, text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().map_err(|_| {
        let shown = shown(text.as_any());
        value_error(format!("{what} {shown} cannot be written as UTF-8 (lone surrogates)"))
    })
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
