//! QUERY, PREPARE and EXECUTE.

use super::parameters::Parameters;
use super::values::{Values, WriteValues};
use super::{RequestError, compose};
use crate::envelope::{Extras, Opcode};
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

/// Executes a prepared statement. In version 5 the request includes the id of the result metadata
/// that the client knows; version 4 has no field for it.
#[allow(clippy::too_many_arguments)] // each is a part of the message
pub fn execute<V: WriteValues>(
    out: &mut Vec<u8>,
    version: Version,
    id: &[u8],
    metadata_id: &[u8],
    values: V,
    parameters: &Parameters<'_>,
    extras: &Extras<'_>,
) -> Result<(), V::Error> {
    compose(out, version, Opcode::Execute, extras, |out| {
        put_short_bytes(out, "the id of a prepared statement", id).map_err(too_long)?;
        if version == Version::V5 {
            put_short_bytes(out, "the id of result metadata", metadata_id).map_err(too_long)?;
        }
        parameters.write(out, version, values)
    })
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
    /// The id of the result metadata that the client knows; empty in version 4.
    pub metadata_id: &'a [u8],
    /// Values bound to its markers.
    pub values: Values<'a>,
    /// Its parameters.
    pub parameters: Parameters<'a>,
}

impl<'a> Execute<'a> {
    pub(super) fn read(version: Version, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let id = reader.short_bytes()?;
        let metadata_id = if version == Version::V5 { reader.short_bytes()? } else { &[] };
        let (parameters, values) = Parameters::read(version, reader)?;
        Ok(Self { id, metadata_id, values, parameters })
    }
}
