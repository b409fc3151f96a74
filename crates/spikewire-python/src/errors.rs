//! Conversion of the engine's errors to the Python exceptions defined in `spikewire/errors.py`.

use pyo3::prelude::*;

use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::error_details::{ErrorDetails, Language, Outcome, Phase};
use spikewire_aerospike_protocol::expression::Fault;
use spikewire_options::{InvalidArgument, InvalidArgumentClass};

use crate::bridge::cached::intern;
use crate::bridge::errors::{ErrorTree, Raise};
pub use crate::bridge::errors::{
    LazyRepr, about, overflow, repr_of, type_error, type_name, utf8, value_error,
};

static TREE: ErrorTree = ErrorTree::new("spikewire.errors");

/// The error type for building requests: errors of the engine or the protocol, and exceptions
/// raised by Python code.
#[derive(Debug)]
pub struct RequestError(PyErr);

impl From<InvalidArgument> for RequestError {
    fn from(error: InvalidArgument) -> Self {
        let message = error.message().to_owned();
        Self(match error.class() {
            InvalidArgumentClass::Type => type_error(message),
            InvalidArgumentClass::Value => value_error(message),
        })
    }
}

impl From<Fault> for RequestError {
    fn from(fault: Fault) -> Self {
        Self(match fault {
            Fault::Type(why) => type_error(why),
            Fault::Value(why) => value_error(why),
        })
    }
}

impl From<Error> for RequestError {
    fn from(error: Error) -> Self {
        Self(Python::attach(|py| to_python(py, &error, None)))
    }
}

impl From<PyErr> for RequestError {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<RequestError> for PyErr {
    fn from(raised: RequestError) -> Self {
        raised.0
    }
}

/// The exception for an argument that the engine or the protocol rejects.
pub fn invalid_argument(error: impl Into<RequestError>) -> PyErr {
    error.into().0
}

/// The exception for an error of the engine. `key` is the requested key.
pub fn to_python(py: Python<'_>, error: &Error, key: Option<Bound<'_, PyAny>>) -> PyErr {
    to_python_as(py, error, error.message(), key)
}

/// Like [`to_python`], with a message that says more than the error's own.
pub fn to_python_as(
    py: Python<'_>,
    error: &Error,
    message: &str,
    key: Option<Bound<'_, PyAny>>,
) -> PyErr {
    if error.kind() == Kind::Invalid {
        return value_error(message);
    }
    let context = (
        error.kind().class_name(),
        error.kind().code(),
        message,
        error.node(),
        error.attempts(),
        error.in_doubt(),
        key,
        error.details().map(|details| details_of(error, details)),
    );
    let raised = TREE.make(py, context);
    match error.advice() {
        Some(advice) => advised(py, raised, advice),
        None => raised,
    }
}

/// The error with advice of its own.
pub fn advised(py: Python<'_>, error: PyErr, advice: &str) -> PyErr {
    match error.value(py).setattr(intern!(py, "advice"), advice) {
        Ok(()) => error,
        Err(failed) => failed,
    }
}

/// Subcode, its name, the message, the trace.
type Details<'a> = (Option<u32>, Option<&'static str>, Option<&'a str>, Option<TraceFields<'a>>);
/// Phase, offset, operation, depth, path, snippet, outcome; then language, offset and length in the
/// text, line, column, operands.
type TraceFields<'a> = (Where<'a>, InText<'a>);
type Where<'a> = (
    Option<&'static str>,
    Option<u32>,
    Option<&'a str>,
    Option<u32>,
    &'a [String],
    Option<&'a str>,
    Option<&'static str>,
);
type InText<'a> = (&'static str, Option<u32>, Option<u32>, Option<u32>, Option<u32>, &'a [String]);

/// What the server said beyond its code, for `_make`.
#[cold]
fn details_of<'a>(error: &Error, details: &'a ErrorDetails) -> Details<'a> {
    let trace = details.trace.as_deref().map(|trace| {
        let place = (
            trace.phase.map(Phase::name),
            trace.offset,
            trace.op.as_deref(),
            trace.depth,
            &trace.path[..],
            trace.snippet.as_deref(),
            trace.outcome.map(Outcome::name),
        );
        let language = trace.language.unwrap_or(Language::Msgpack).name();
        let (offset, length) = (trace.text_offset, trace.text_length);
        (place, (language, offset, length, trace.line, trace.column, &trace.operands[..]))
    });
    (details.subcode, error.subcode_name(), details.message.as_deref(), trace)
}

impl Raise for Error {
    fn raise(&self, py: Python<'_>) -> PyErr {
        to_python(py, self, None)
    }
}
