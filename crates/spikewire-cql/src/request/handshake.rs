//! Messages that open a connection: OPTIONS, STARTUP and AUTH_RESPONSE; and REGISTER, which
//! subscribes to events.

use super::{RequestError, compose};
use crate::envelope::{Extras, Opcode};
use crate::notation::{
    Reader, Result as ReadResult, TooLong, put_bytes, put_null, put_short, put_string,
};
use crate::version::Version;

/// The CQL version in STARTUP. Servers accept any from 3.0.0 on, and use their own.
pub const CQL_VERSION: &str = "3.0.0";

/// Asks for the server's options.
pub fn options(out: &mut Vec<u8>, version: Version) -> Result<(), RequestError> {
    compose(out, version, Opcode::Options, &Extras::default(), |_| Ok(()))
}

/// The contents of a STARTUP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Startup<'a> {
    /// Whether bodies (version 4) or segments (version 5) are compressed with LZ4.
    pub lz4: bool,
    /// Whether an overloaded server replies with an error instead of pausing its reads.
    pub throw_on_overload: bool,
    /// Name and version of the client, shown by the server in `system_views.clients`.
    pub driver: Option<(&'a str, &'a str)>,
    /// Further options, by key.
    pub extras: &'a [(&'a str, &'a str)],
}

/// Starts the handshake.
pub fn startup(
    out: &mut Vec<u8>,
    version: Version,
    startup: &Startup<'_>,
) -> Result<(), RequestError> {
    let mut pairs = vec![("CQL_VERSION", CQL_VERSION)];
    if startup.lz4 {
        pairs.push(("COMPRESSION", "lz4"));
    }
    if startup.throw_on_overload {
        pairs.push(("THROW_ON_OVERLOAD", "1"));
    }
    if let Some((name, version)) = startup.driver {
        pairs.extend([("DRIVER_NAME", name), ("DRIVER_VERSION", version)]);
    }
    pairs.extend_from_slice(startup.extras);
    compose(out, version, Opcode::Startup, &Extras::default(), |out| {
        put_short(out, "options of STARTUP", pairs.len())?;
        pairs.iter().try_for_each(|(key, value)| {
            put_string(out, "a key of STARTUP", key)?;
            put_string(out, "a value of STARTUP", value)
        })?;
        Ok(())
    })
}

pub(super) fn read_startup<'a>(reader: &mut Reader<'a>) -> ReadResult<Vec<(&'a str, &'a str)>> {
    (0..reader.short()?).map(|_| Ok((reader.string()?, reader.string()?))).collect()
}

/// Replies to AUTHENTICATE or AUTH_CHALLENGE with a token, which may be null.
pub fn auth_response(
    out: &mut Vec<u8>,
    version: Version,
    token: Option<&[u8]>,
) -> Result<(), RequestError> {
    compose(out, version, Opcode::AuthResponse, &Extras::default(), |out| {
        match token {
            Some(token) => put_bytes(out, "a token", token)?,
            None => put_null(out),
        }
        Ok(())
    })
}

/// The token for `PasswordAuthenticator`, and for others that take SASL PLAIN.
pub fn plain_token(user: &str, password: &str) -> Vec<u8> {
    [b"\0", user.as_bytes(), b"\0", password.as_bytes()].concat()
}

/// Subscribes to events: `TOPOLOGY_CHANGE`, `STATUS_CHANGE`, `SCHEMA_CHANGE`.
pub fn register(out: &mut Vec<u8>, version: Version, events: &[&str]) -> Result<(), RequestError> {
    compose(out, version, Opcode::Register, &Extras::default(), |out| {
        put_short(out, "kinds of events", events.len())?;
        let mut put =
            |kind: &&str| -> Result<(), TooLong> { put_string(out, "a kind of event", kind) };
        events.iter().try_for_each(&mut put)?;
        Ok(())
    })
}

pub(super) fn read_register<'a>(reader: &mut Reader<'a>) -> ReadResult<Vec<&'a str>> {
    (0..reader.short()?).map(|_| reader.string()).collect()
}
