//! Conversion of the engine's errors to the Python exceptions defined in `spikewire/cql/errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cassandra::{Error, Kind};
use spikewire_cql::notation::Malformed;
use spikewire_cql::request::RequestError;
use spikewire_cql::response::error::DetailValue;
use spikewire_cql::value::{EncodeError, Problem};

use crate::bridge::errors::{ErrorTree, Raise, overflow, type_error, value_error};

static TREE: ErrorTree = ErrorTree::new("spikewire.cql.errors");

/// The error type for encoding and decoding in this module. Boxed, so that the result of creating a
/// value fits into two registers.
#[derive(Debug)]
pub struct BoxedPyErr(Box<PyErr>);

impl BoxedPyErr {
    /// The exception.
    pub fn get(&self) -> &PyErr {
        &self.0
    }
}

impl From<PyErr> for BoxedPyErr {
    #[cold]
    fn from(error: PyErr) -> Self {
        Self(Box::new(error))
    }
}

impl From<BoxedPyErr> for PyErr {
    fn from(raised: BoxedPyErr) -> Self {
        *raised.0
    }
}

impl From<RequestError> for BoxedPyErr {
    fn from(error: RequestError) -> Self {
        value_error(error.to_string()).into()
    }
}

impl From<Error> for BoxedPyErr {
    fn from(error: Error) -> Self {
        Python::attach(|py| error.raise(py)).into()
    }
}

impl From<EncodeError> for BoxedPyErr {
    fn from(error: EncodeError) -> Self {
        let message = error.to_string();
        let raised = match error.problem {
            Problem::Kind { .. } => type_error(message),
            Problem::Range { .. } => overflow(message),
            _ => value_error(message),
        };
        raised.into()
    }
}

impl From<Malformed> for BoxedPyErr {
    #[cold]
    fn from(error: Malformed) -> Self {
        Self::from(Error::from(error))
    }
}

impl Raise for Error {
    fn raise(&self, py: Python<'_>) -> PyErr {
        if self.kind() == Kind::Invalid {
            return value_error(self.message());
        }
        let details = match details(py, self) {
            Ok(details) => details,
            Err(error) => return error,
        };
        let context = (
            self.class_name(),
            self.server().map(|server| server.code.number()),
            self.message(),
            self.node(),
            self.attempts(),
            self.in_doubt(),
            details,
        );
        TREE.make(py, context)
    }
}

/// What is known besides the message, under the names of the exceptions' attributes.
fn details<'py>(py: Python<'py>, error: &Error) -> PyResult<Bound<'py, PyDict>> {
    let details = PyDict::new(py);
    for (name, value) in error.server().map(|server| server.details.fields()).unwrap_or_default() {
        match value {
            DetailValue::Absent => details.set_item(name, py.None()),
            DetailValue::Number(number) => details.set_item(name, number),
            DetailValue::Flag(flag) => details.set_item(name, flag),
            DetailValue::Text(text) => details.set_item(name, text),
            DetailValue::Texts(texts) => details.set_item(name, texts),
        }?;
    }
    details.set_item("failed_attempts", error.failed_attempts().collect::<Vec<_>>())?;
    Ok(details)
}
