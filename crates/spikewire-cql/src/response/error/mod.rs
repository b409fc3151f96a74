//! ERROR: errors reported by a server.
//!
//! | module | contents |
//! |---|---|
//! | [`code`] | the codes and their names |
//! | [`details`] | details of some of them |
//! | [`retry`] | whether the request may be sent again |

pub mod code;
pub mod details;
pub mod retry;

use std::fmt;

pub use code::Code;
pub use details::{DetailValue, Details, LimitedOperation, Replicas, WriteType};
pub use retry::Retry;

use crate::notation::{Reader, Result, TooLong, put_string};
use crate::version::Version;

/// An error reported by a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    /// Its code.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// Its details.
    pub details: Details,
}

impl ServerError {
    /// Reads the part of an ERROR after its prefix. Unknown codes have no details.
    pub fn read(version: Version, reader: &mut Reader<'_>) -> Result<Self> {
        let code = Code::from_number(reader.int()?);
        let message = reader.string()?.to_owned();
        let details = Details::read(version, code, reader)?;
        Ok(Self { code, message, details })
    }

    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        version: Version,
    ) -> std::result::Result<(), TooLong> {
        out.extend_from_slice(&self.code.number().to_be_bytes());
        put_string(out, "an error message", &self.message)?;
        self.details.write(out, version)
    }

    /// Whether the server does not support this version of the protocol, which it reports in reply
    /// to the first request of a connection.
    pub fn rejects_version(&self) -> bool {
        matches!(self.code, Code::Protocol | Code::Server)
            && (self.message.contains("Invalid or unsupported protocol version")
                || self.message.contains("Beta version of the protocol"))
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ServerError {}

#[cfg(test)]
mod tests;
