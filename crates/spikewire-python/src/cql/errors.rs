//! Conversion of the engine's errors to the Python exceptions defined in `spikewire/cql/errors.py`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cassandra::{Error, Kind};
use spikewire_cql::notation::Malformed;
use spikewire_cql::request::RequestError;
use spikewire_cql::response::error::Details;
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
        let message = format!("a node sent invalid bytes: {error}");
        Self::from(Error::new(Kind::Malformed, message))
    }
}

impl Raise for Error {
    fn raise(&self, py: Python<'_>) -> PyErr {
        if self.kind() == Kind::Invalid {
            return value_error(self.message());
        }
        let details = PyDict::new(py);
        let server = self.server();
        if let Some(server) = server
            && let Err(error) = describe(&details, &server.details)
        {
            return error;
        }
        let failed: Vec<_> = self.failed_attempts().collect();
        if let Err(error) = details.set_item("failed_attempts", failed) {
            return error;
        }
        let context = (
            self.kind().name(),
            server.map(|server| server.code.number()),
            self.message(),
            self.node(),
            self.attempts(),
            self.in_doubt(),
            details,
        );
        TREE.make(py, context)
    }
}

/// Adds what a server reports besides the message, under the names of the exceptions' attributes.
fn describe(into: &Bound<'_, PyDict>, details: &Details) -> PyResult<()> {
    let replicas = |of: &spikewire_cql::response::error::Replicas| {
        into.set_item("consistency", of.consistency.name())?;
        into.set_item("received", of.received)?;
        into.set_item("required", of.required)
    };
    match details {
        Details::None | Details::Unprepared(_) => {}
        Details::Unavailable(of) | Details::CasWriteUnknown(of) => replicas(of)?,
        Details::WriteTimeout { replicas: of, write_type, contentions } => {
            replicas(of)?;
            into.set_item("write_type", write_type.name())?;
            into.set_item("contentions", *contentions)?;
        }
        Details::ReadTimeout { replicas: of, data_present } => {
            replicas(of)?;
            into.set_item("data_present", *data_present)?;
        }
        Details::ReadFailure { replicas: of, failures, data_present } => {
            replicas(of)?;
            into.set_item("failures", failures.count)?;
            into.set_item("data_present", *data_present)?;
        }
        Details::WriteFailure { replicas: of, failures, write_type } => {
            replicas(of)?;
            into.set_item("failures", failures.count)?;
            into.set_item("write_type", write_type.name())?;
        }
        Details::FunctionFailure { keyspace, function, arguments } => {
            into.set_item("keyspace", keyspace)?;
            into.set_item("function", function)?;
            into.set_item("arguments", arguments)?;
        }
        Details::AlreadyExists { keyspace, table } => {
            into.set_item("keyspace", keyspace)?;
            into.set_item("table", (!table.is_empty()).then_some(table))?;
        }
    }
    Ok(())
}
