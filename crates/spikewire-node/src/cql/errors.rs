//! Failures of statements as reasons to reject a call.

use spikewire_cassandra::{Error, Kind};
use spikewire_cql::notation::Malformed;
use spikewire_cql::request::RequestError;
use spikewire_cql::value::{EncodeError, Problem};

use crate::js::Failure;
use crate::js::failure::camel;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error.kind() {
            Kind::Invalid => Self::Range(camel(error.message())),
            _ => Self::Cassandra(error),
        }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::Range(camel(&error.to_string()))
    }
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        let message = error.to_string();
        match error.problem {
            Problem::Kind { .. } => Self::Type(message),
            _ => Self::Range(message),
        }
    }
}

impl From<Malformed> for Failure {
    fn from(error: Malformed) -> Self {
        Error::from(error).into()
    }
}

/// The failure of a call whose session is closed.
pub fn closed() -> Failure {
    Error::closed().into()
}
