//! Responses and events of a server.
//!
//! | module | contents |
//! |---|---|
//! | [`error`] | ERROR: codes, their details, and whether to retry |
//! | [`supported`] | SUPPORTED |
//! | [`result`] | RESULT: the five kinds |
//! | [`metadata`] | the columns of results and the markers of prepared statements |
//! | [`parameters`] | values for the parameters of a statement, by position or by name |
//! | [`rows`] | rows of a result |
//! | [`prepared`] | a prepared statement |
//! | [`schema`] | schema changes |
//! | [`event`] | EVENT |

pub mod error;
pub mod event;
pub mod metadata;
pub mod parameters;
pub mod prepared;
pub mod result;
pub mod rows;
pub mod schema;
pub mod supported;

pub use error::{Code, Details, Retry, ServerError, WriteType};
pub use event::Event;
pub use metadata::{Column, Metadata};
pub use parameters::{NamedValues, bind_by_name, check_count, check_names};
pub use prepared::Prepared;
pub use result::QueryResult;
pub use rows::Rows;
pub use schema::SchemaChange;
pub use supported::Supported;

use crate::dialect::{Dialect, Extensions};
use crate::envelope::{self, Header, Opcode, Prefix};
use crate::notation::{Malformed, Reader, Result, TooLong, put_bytes, put_null, put_string};

/// A response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response<'a> {
    /// What precedes the message: a tracing id, warnings, a custom payload.
    pub prefix: Prefix<'a>,
    /// The message.
    pub message: Message<'a>,
}

/// The message of a response.
#[derive(Debug, Clone, PartialEq)]
pub enum Message<'a> {
    /// An error.
    Error(ServerError),
    /// The connection is ready, or events were registered.
    Ready,
    /// Authentication is required; the class of the authenticator.
    Authenticate(&'a str),
    /// The options that the server supports.
    Supported(Supported<'a>),
    /// The result of a statement.
    Result(QueryResult<'a>),
    /// An event in the cluster.
    Event(Event),
    /// Another authentication token is required.
    AuthChallenge(Option<&'a [u8]>),
    /// Authentication succeeded; a final token.
    AuthSuccess(Option<&'a [u8]>),
}

impl<'a> Response<'a> {
    /// Reads a complete, uncompressed envelope.
    pub fn read(envelope: &'a [u8]) -> Result<Self> {
        Self::read_with(envelope, &Extensions::default())
    }

    /// The same on a connection with these extensions.
    pub fn read_with(envelope: &'a [u8], extensions: &Extensions) -> Result<Self> {
        let header = Header::read(envelope)?;
        let whole = header.and_then(|header| {
            Some((header, envelope.get(envelope::HEADER_LEN..header.envelope_len())?))
        });
        let (header, body) =
            whole.ok_or_else(|| Malformed::new("an envelope that is not whole"))?;
        Self::parse_with(&header, body, extensions)
    }

    /// Reads the body of an uncompressed envelope. Bytes after the message are ignored, as the
    /// protocol requires.
    pub fn parse(header: &Header, body: &'a [u8]) -> Result<Self> {
        Self::parse_with(header, body, &Extensions::default())
    }

    fn parse_with(header: &Header, body: &'a [u8], extensions: &Extensions) -> Result<Self> {
        let mut reader = Reader(body);
        let prefix = Prefix::read(header, &mut reader)?;
        let (version, reader) = (header.layout(), &mut reader);
        let dialect = extensions.dialect(version);
        let message = match Opcode::from_number(header.opcode) {
            Some(Opcode::Error) => Message::Error(ServerError::read(version, reader)?),
            Some(Opcode::Ready) => Message::Ready,
            Some(Opcode::Authenticate) => Message::Authenticate(reader.string()?),
            Some(Opcode::Supported) => Message::Supported(Supported::read(reader)?),
            Some(Opcode::Result) => Message::Result(QueryResult::read(dialect, reader)?),
            Some(Opcode::Event) => Message::Event(Event::read(reader)?),
            Some(Opcode::AuthChallenge) => Message::AuthChallenge(reader.bytes()?),
            Some(Opcode::AuthSuccess) => Message::AuthSuccess(reader.bytes()?),
            Some(opcode) => return Err(Malformed(format!("{} is not a response", opcode.name()))),
            None => return Err(Malformed(format!("a response with the opcode {}", header.opcode))),
        };
        Ok(Self { prefix, message })
    }

    /// Appends it as a complete envelope, or nothing if a part of it is too long.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        dialect: impl Into<Dialect>,
        stream: i16,
    ) -> std::result::Result<(), TooLong> {
        let dialect = dialect.into();
        let start = envelope::begin(out, dialect.version, true, self.message.opcode());
        envelope::stamp(&mut out[start..], stream as u16);
        let written = self.prefix.write(out, start);
        let written = written.and_then(|()| self.message.write(out, dialect));
        let finished = written.and_then(|()| envelope::finish(out, start));
        if finished.is_err() {
            out.truncate(start);
        }
        finished
    }
}

impl Message<'_> {
    /// Its opcode.
    pub const fn opcode(&self) -> Opcode {
        match self {
            Self::Error(_) => Opcode::Error,
            Self::Ready => Opcode::Ready,
            Self::Authenticate(_) => Opcode::Authenticate,
            Self::Supported(_) => Opcode::Supported,
            Self::Result(_) => Opcode::Result,
            Self::Event(_) => Opcode::Event,
            Self::AuthChallenge(_) => Opcode::AuthChallenge,
            Self::AuthSuccess(_) => Opcode::AuthSuccess,
        }
    }

    fn write(&self, out: &mut Vec<u8>, dialect: Dialect) -> std::result::Result<(), TooLong> {
        match self {
            Self::Error(error) => error.write(out, dialect.version),
            Self::Ready => Ok(()),
            Self::Authenticate(class) => put_string(out, "the name of an authenticator", class),
            Self::Supported(supported) => supported.write(out),
            Self::Result(result) => result.write(out, dialect),
            Self::Event(event) => event.write(out),
            Self::AuthChallenge(Some(token)) | Self::AuthSuccess(Some(token)) => {
                put_bytes(out, "a token", token)
            }
            Self::AuthChallenge(None) | Self::AuthSuccess(None) => {
                put_null(out);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
