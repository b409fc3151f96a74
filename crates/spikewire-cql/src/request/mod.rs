//! Requests. Each function appends one complete envelope with stream id 0
//! ([`stamp`](crate::envelope::stamp) changes it) to the caller's buffer, or nothing on an error.
//!
//! | module | contents |
//! |---|---|
//! | [`handshake`] | OPTIONS, STARTUP, AUTH_RESPONSE, REGISTER |
//! | [`parameters`] | consistency, paging and other parameters of a statement |
//! | [`values`] | values bound to a statement's markers |
//! | [`statement`] | QUERY, PREPARE, EXECUTE |
//! | [`batch`] | BATCH, composed statement by statement |

pub mod batch;
pub mod handshake;
pub mod parameters;
pub mod statement;
pub mod values;

pub use batch::{BatchKind, BatchWriter};
pub use handshake::{Startup, auth_response, options, plain_token, register, startup};
pub use parameters::Parameters;
pub use statement::{execute, prepare, query, set_tablet_block, translate};
pub use values::{Values, WriteValues, values_with};

use crate::consistency::Consistency;
use crate::dialect::Extensions;
use crate::envelope::{self, Extras, Header, Opcode, Prefix};
use crate::notation::{Malformed, Reader, Result as ReadResult, TooLong};
use crate::version::Version;

/// A request that cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// A part of it is too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// A part that version 4 does not support.
    #[error("{0} takes version 5 of the native protocol; this server speaks version 4")]
    NeedsV5(&'static str),
    /// A part that batches do not support.
    #[error("a batch cannot have {0}")]
    NotInBatch(&'static str),
    /// An invalid number of rows.
    #[error("{0} is not a valid page size")]
    PageSize(i32),
    /// A level that is not for conditional statements.
    #[error("{0} is not a serial consistency level; use SERIAL or LOCAL_SERIAL")]
    NotSerial(Consistency),
    /// The smallest number, which servers reject.
    #[error("the timestamp {0} is out of range")]
    Timestamp(i64),
}

/// Appends an envelope with the body that a closure writes, or nothing on an error.
fn compose<E: From<RequestError>>(
    out: &mut Vec<u8>,
    version: Version,
    opcode: Opcode,
    extras: &Extras<'_>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = envelope::begin(out, version, false, opcode);
    let too_long = |error: TooLong| E::from(RequestError::TooLong(error));
    let written = extras.write(out, start).map_err(too_long);
    let finished = written
        .and_then(|()| write(out))
        .and_then(|()| envelope::finish(out, start).map_err(too_long));
    if finished.is_err() {
        out.truncate(start);
    }
    finished
}

/// A request, as a server reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a> {
    /// Whether it should be traced.
    pub tracing: bool,
    /// What precedes the message: a custom payload.
    pub prefix: Prefix<'a>,
    /// The message.
    pub message: Message<'a>,
}

/// The message of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // they are the names of the protocol
pub enum Message<'a> {
    Options,
    Startup(Vec<(&'a str, &'a str)>),
    AuthResponse(Option<&'a [u8]>),
    Register(Vec<&'a str>),
    Query(statement::Query<'a>),
    Prepare(statement::Prepare<'a>),
    Execute(statement::Execute<'a>),
    Batch(batch::Batch<'a>),
}

impl<'a> Request<'a> {
    /// Reads the body of an uncompressed envelope. Bytes after the message are ignored, as the
    /// protocol requires.
    pub fn parse(header: &Header, body: &'a [u8]) -> ReadResult<Self> {
        Self::parse_with(header, body, &Extensions::default())
    }

    /// The same on a connection with these extensions.
    pub fn parse_with(
        header: &Header,
        body: &'a [u8],
        extensions: &Extensions,
    ) -> ReadResult<Self> {
        let mut reader = Reader(body);
        let prefix = Prefix::read(header, &mut reader)?;
        let (version, reader) = (header.layout(), &mut reader);
        let message = match Opcode::from_number(header.opcode) {
            Some(Opcode::Options) => Message::Options,
            Some(Opcode::Startup) => Message::Startup(handshake::read_startup(reader)?),
            Some(Opcode::AuthResponse) => Message::AuthResponse(reader.bytes()?),
            Some(Opcode::Register) => Message::Register(handshake::read_register(reader)?),
            Some(Opcode::Query) => Message::Query(statement::Query::read(version, reader)?),
            Some(Opcode::Prepare) => Message::Prepare(statement::Prepare::read(version, reader)?),
            Some(Opcode::Execute) => {
                Message::Execute(statement::Execute::read(extensions.dialect(version), reader)?)
            }
            Some(Opcode::Batch) => Message::Batch(batch::Batch::read(version, reader)?),
            Some(opcode) => {
                return Err(Malformed(format!("{} is not a request", opcode.name())));
            }
            None => return Err(Malformed(format!("a request with the opcode {}", header.opcode))),
        };
        let tracing = header.flags & envelope::flag::TRACING != 0;
        Ok(Self { tracing, prefix, message })
    }
}

#[cfg(test)]
mod tests;
