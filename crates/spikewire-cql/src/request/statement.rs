//! QUERY, PREPARE and EXECUTE.

use super::parameters::Parameters;
use super::values::{Values, WriteValues};
use super::{RequestError, compose};
use crate::dialect::Dialect;
use crate::envelope::{Extras, HEADER_LEN, Header, Opcode, Prefix, finish};
use crate::notation::{
    Reader, Result as ReadResult, TooLong, put_long_string, put_short_bytes, put_string,
};
use crate::version::Version;

/// The flag of a version 5 PREPARE for a keyspace that follows.
const PREPARE_KEYSPACE: i32 = 0x01;

/// Executes a statement given as text.
pub fn query<V: WriteValues>(
    out: &mut Vec<u8>,
    version: Version,
    text: &str,
    values: V,
    parameters: &Parameters<'_>,
    extras: &Extras<'_>,
) -> Result<(), V::Error> {
    compose(out, version, Opcode::Query, extras, |out| {
        put_long_string(out, "the text of a statement", text).map_err(too_long)?;
        parameters.write(out, version, values)
    })
}

/// Prepares a statement. `keyspace` is the default for unqualified names, and requires version 5.
pub fn prepare(
    out: &mut Vec<u8>,
    version: Version,
    text: &str,
    keyspace: Option<&str>,
    extras: &Extras<'_>,
) -> Result<(), RequestError> {
    compose(out, version, Opcode::Prepare, extras, |out| {
        put_long_string(out, "the text of a statement", text)?;
        match (version, keyspace) {
            (Version::V4, None) => {}
            (Version::V4, Some(_)) => {
                return Err(RequestError::NeedsV5("a keyspace for one request"));
            }
            (Version::V5, None) => out.extend_from_slice(&0_i32.to_be_bytes()),
            (Version::V5, Some(keyspace)) => {
                out.extend_from_slice(&PREPARE_KEYSPACE.to_be_bytes());
                put_string(out, "the name of a keyspace", keyspace)?;
            }
        }
        Ok(())
    })
}

/// Executes a prepared statement. If the dialect has ids of result metadata, as version 5 does, the
/// request includes the one that the client knows, which may be empty. If it has blocks of tablet
/// versions, the request ends with a block that says nothing ([`set_tablet_block`]).
#[allow(clippy::too_many_arguments)] // each is a part of the message
pub fn execute<V: WriteValues>(
    out: &mut Vec<u8>,
    dialect: impl Into<Dialect>,
    id: &[u8],
    metadata_id: &[u8],
    values: V,
    parameters: &Parameters<'_>,
    extras: &Extras<'_>,
) -> Result<(), V::Error> {
    let dialect = dialect.into();
    compose(out, dialect.version, Opcode::Execute, extras, |out| {
        put_short_bytes(out, "the id of a prepared statement", id).map_err(too_long)?;
        if dialect.metadata_ids {
            put_short_bytes(out, "the id of result metadata", metadata_id).map_err(too_long)?;
        }
        parameters.write(out, dialect.version, values)?;
        if dialect.tablet_blocks {
            out.push(0);
        }
        Ok(())
    })
}

/// Sets the block of a tablet's version ([`Tablet::block`](crate::tablet::Tablet::block)) in an
/// EXECUTE of a dialect that has it.
pub fn set_tablet_block(execute: &mut [u8], block: u8) {
    if let Some(last) = execute.last_mut() {
        *last = block;
    }
}

/// Appends an EXECUTE of one dialect in another one that has fewer parts; other requests as they
/// are.
pub fn translate(request: &[u8], from: Dialect, to: Dialect, out: &mut Vec<u8>) -> ReadResult<()> {
    let Some(header) = Header::read(request)?.filter(|it| it.opcode == Opcode::Execute as u8)
    else {
        out.extend_from_slice(request);
        return Ok(());
    };
    let start = out.len();
    let mut reader = Reader(request.get(HEADER_LEN..).unwrap_or_default());
    Prefix::read(&header, &mut reader)?;
    reader.short_bytes()?;
    let mut rest = request.len() - reader.rest().len();
    out.extend_from_slice(&request[..rest]);
    if from.metadata_ids && !to.metadata_ids {
        reader.short_bytes()?;
        rest = request.len() - reader.rest().len();
    }
    out.extend_from_slice(&request[rest..]);
    if from.tablet_blocks && !to.tablet_blocks {
        out.pop();
    }
    // It is shorter than the one that it was made of.
    let _ = finish(out, start);
    Ok(())
}

fn too_long(error: TooLong) -> RequestError {
    RequestError::TooLong(error)
}

/// A QUERY.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query<'a> {
    /// The statement.
    pub text: &'a str,
    /// Values bound to its markers.
    pub values: Values<'a>,
    /// Its parameters.
    pub parameters: Parameters<'a>,
}

impl<'a> Query<'a> {
    pub(super) fn read(version: Version, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let text = reader.long_string()?;
        let (parameters, values) = Parameters::read(version, reader)?;
        Ok(Self { text, values, parameters })
    }
}

/// A PREPARE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepare<'a> {
    /// The statement.
    pub text: &'a str,
    /// The default keyspace for unqualified names.
    pub keyspace: Option<&'a str>,
}

impl<'a> Prepare<'a> {
    pub(super) fn read(version: Version, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let text = reader.long_string()?;
        let flags = if version == Version::V5 { reader.int()? } else { 0 };
        let has_keyspace = flags & PREPARE_KEYSPACE != 0;
        Ok(Self { text, keyspace: has_keyspace.then(|| reader.string()).transpose()? })
    }
}

/// An EXECUTE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execute<'a> {
    /// The id of the prepared statement.
    pub id: &'a [u8],
    /// The id of the result metadata that the client knows; empty if the dialect has none.
    pub metadata_id: &'a [u8],
    /// Values bound to its markers.
    pub values: Values<'a>,
    /// Its parameters.
    pub parameters: Parameters<'a>,
    /// The block of the tablet's version that the client knows, if the dialect has it.
    pub tablet_block: Option<u8>,
}

impl<'a> Execute<'a> {
    pub(super) fn read(dialect: Dialect, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let id = reader.short_bytes()?;
        let metadata_id = if dialect.metadata_ids { reader.short_bytes()? } else { &[] };
        let (parameters, values) = Parameters::read(dialect.version, reader)?;
        let tablet_block = dialect.tablet_blocks.then(|| reader.byte()).transpose()?;
        Ok(Self { id, metadata_id, values, parameters, tablet_block })
    }
}
