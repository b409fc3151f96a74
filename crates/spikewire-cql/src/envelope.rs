//! Envelopes, the frames of all requests and responses: a header of nine bytes, then the body,
//! which may begin with a tracing id, warnings and a custom payload.

use crate::notation::{
    Malformed, Reader, Result, TooLong, put_bytes, put_null, put_short, put_string,
};
use crate::version::Version;

/// Size of a header in bytes.
pub const HEADER_LEN: usize = 9;

/// Maximum size of a body, in either direction.
pub const MAX_BODY: usize = 256 << 20;

/// Number of stream ids of a connection (`0..STREAMS`). Events use [`EVENT_STREAM`].
pub const STREAMS: u16 = 1 << 15;

/// The stream id of events.
pub const EVENT_STREAM: i16 = -1;

/// Flags of a header.
pub mod flag {
    /// The body is compressed. Version 4 only.
    pub const COMPRESSED: u8 = 0x01;
    /// In a request: trace it. In a response: the body begins with a tracing id.
    pub const TRACING: u8 = 0x02;
    /// There is a custom payload.
    pub const CUSTOM_PAYLOAD: u8 = 0x04;
    /// In a response: there are warnings.
    pub const WARNINGS: u8 = 0x08;
}

/// The kind of message in an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // they are the names of the protocol
pub enum Opcode {
    Error = 0x00,
    Startup = 0x01,
    Ready = 0x02,
    Authenticate = 0x03,
    Options = 0x05,
    Supported = 0x06,
    Query = 0x07,
    Result = 0x08,
    Prepare = 0x09,
    Execute = 0x0a,
    Register = 0x0b,
    Event = 0x0c,
    Batch = 0x0d,
    AuthChallenge = 0x0e,
    AuthResponse = 0x0f,
    AuthSuccess = 0x10,
}

impl Opcode {
    /// All opcodes, in numerical order.
    pub const ALL: [Self; 16] = [
        Self::Error,
        Self::Startup,
        Self::Ready,
        Self::Authenticate,
        Self::Options,
        Self::Supported,
        Self::Query,
        Self::Result,
        Self::Prepare,
        Self::Execute,
        Self::Register,
        Self::Event,
        Self::Batch,
        Self::AuthChallenge,
        Self::AuthResponse,
        Self::AuthSuccess,
    ];

    /// The opcode with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        match number {
            0..=3 => Some(Self::ALL[usize::from(number)]),
            5..=0x10 => Some(Self::ALL[usize::from(number) - 1]),
            _ => None,
        }
    }

    /// Its name in the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Startup => "STARTUP",
            Self::Ready => "READY",
            Self::Authenticate => "AUTHENTICATE",
            Self::Options => "OPTIONS",
            Self::Supported => "SUPPORTED",
            Self::Query => "QUERY",
            Self::Result => "RESULT",
            Self::Prepare => "PREPARE",
            Self::Execute => "EXECUTE",
            Self::Register => "REGISTER",
            Self::Event => "EVENT",
            Self::Batch => "BATCH",
            Self::AuthChallenge => "AUTH_CHALLENGE",
            Self::AuthResponse => "AUTH_RESPONSE",
            Self::AuthSuccess => "AUTH_SUCCESS",
        }
    }

    /// Whether clients send it.
    pub const fn is_request(self) -> bool {
        matches!(
            self,
            Self::Startup
                | Self::Options
                | Self::Query
                | Self::Prepare
                | Self::Execute
                | Self::Register
                | Self::Batch
                | Self::AuthResponse
        )
    }
}

/// A header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The version number. A server that rejects a version replies in its own, which need not be a
    /// [`Version`].
    pub version: u8,
    /// Whether it was sent by a server.
    pub is_response: bool,
    /// Its [`flag`]s.
    pub flags: u8,
    /// The stream id of the request. Negative for events.
    pub stream: i16,
    /// The kind of message; see [`Opcode`].
    pub opcode: u8,
    /// Length of the body in bytes.
    pub body: usize,
}

impl Header {
    /// Reads the header that these bytes begin with; `None` if it is incomplete. A peer that speaks
    /// another protocol is detected by its first byte.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let Some(&first) = bytes.first() else { return Ok(None) };
        if !matches!(first & 0x7f, 3..=6 | 0x41 | 0x42) {
            return Err(stranger(bytes));
        }
        let Some(header) = bytes.first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let body = u32::from_be_bytes([header[5], header[6], header[7], header[8]]) as usize;
        if body > MAX_BODY {
            return Err(Malformed(format!("an envelope of {body} bytes; {MAX_BODY} are allowed")));
        }
        Ok(Some(Self {
            version: first & 0x7f,
            is_response: first & 0x80 != 0,
            flags: header[1],
            stream: i16::from_be_bytes([header[2], header[3]]),
            opcode: header[4],
            body,
        }))
    }

    /// The bytes of the header.
    pub fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [self.version, self.flags, 0, 0, self.opcode, 0, 0, 0, 0];
        if self.is_response {
            bytes[0] |= 0x80;
        }
        bytes[2..4].copy_from_slice(&self.stream.to_be_bytes());
        bytes[5..].copy_from_slice(&(self.body as u32).to_be_bytes());
        bytes
    }

    /// Length of header and body in bytes.
    pub const fn envelope_len(&self) -> usize {
        HEADER_LEN + self.body
    }

    /// The version whose layout the body has.
    pub const fn layout(&self) -> Version {
        match self.version {
            ..=4 | 0x41 => Version::V4,
            _ => Version::V5,
        }
    }
}

/// The error for bytes that do not begin like an envelope, with a guess at what they are.
fn stranger(bytes: &[u8]) -> Malformed {
    let text: String =
        bytes.iter().take(16).flat_map(|&byte| byte.escape_ascii()).map(char::from).collect();
    let guess = match bytes {
        [b'H', ..] if b"HTTP".starts_with(&bytes[..bytes.len().min(4)]) => " (HTTP?)",
        [0x15 | 0x16, ..] => " (TLS?)",
        [first, ..] if matches!(first & 0x7f, 1 | 2) => " (Cassandra before 2.1?)",
        _ => "",
    };
    Malformed(format!("not Cassandra's native protocol{guess}: it begins with \"{text}\""))
}

/// Starts an envelope. Returns its position, for [`finish`].
pub fn begin(out: &mut Vec<u8>, version: Version, is_response: bool, opcode: Opcode) -> usize {
    let (start, version) = (out.len(), version.number());
    let opcode = opcode as u8;
    let header = Header { version, is_response, flags: 0, stream: 0, opcode, body: 0 };
    out.extend_from_slice(&header.to_bytes());
    start
}

/// Completes the envelope that began at `start` and ends with `out`, by filling in its length.
pub fn finish(out: &mut [u8], start: usize) -> std::result::Result<(), TooLong> {
    let len = out.len() - start - HEADER_LEN;
    if len > MAX_BODY {
        return Err(TooLong { what: "a message", len, most: MAX_BODY });
    }
    out[start + 5..start + HEADER_LEN].copy_from_slice(&(len as u32).to_be_bytes());
    Ok(())
}

/// Writes the stream id into an envelope.
pub fn stamp(envelope: &mut [u8], stream: u16) {
    envelope[2..4].copy_from_slice(&stream.to_be_bytes());
}

/// Parts that any request may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extras<'a> {
    /// Whether the server should trace it.
    pub tracing: bool,
    /// Custom payload for a query handler in the server; not sent if empty.
    pub payload: &'a [(&'a str, Option<&'a [u8]>)],
}

impl Extras<'_> {
    /// Appends them after the header of the request that begins at `start`.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        start: usize,
    ) -> std::result::Result<(), TooLong> {
        if self.tracing {
            out[start + 1] |= flag::TRACING;
        }
        if !self.payload.is_empty() {
            out[start + 1] |= flag::CUSTOM_PAYLOAD;
            put_payload(out, self.payload)?;
        }
        Ok(())
    }
}

/// The parts of a body that precede the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix<'a> {
    /// The id under which the trace is stored.
    pub tracing_id: Option<[u8; 16]>,
    /// Warnings of the server.
    pub warnings: Vec<&'a str>,
    /// Custom payload from a query handler in the server, or from the client.
    pub payload: Payload<'a>,
}

/// A custom payload.
pub type Payload<'a> = Vec<(&'a str, Option<&'a [u8]>)>;

impl<'a> Prefix<'a> {
    /// Reads it from the beginning of an uncompressed body.
    pub fn read(header: &Header, body: &mut Reader<'a>) -> Result<Self> {
        let mut prefix = Self::default();
        if header.is_response && header.flags & flag::TRACING != 0 {
            prefix.tracing_id = Some(body.array()?);
        }
        if header.is_response && header.flags & flag::WARNINGS != 0 {
            prefix.warnings = (0..body.short()?).map(|_| body.string()).collect::<Result<_>>()?;
        }
        if header.flags & flag::CUSTOM_PAYLOAD != 0 {
            let entries = (0..body.short()?).map(|_| Ok((body.string()?, body.bytes()?)));
            prefix.payload = entries.collect::<Result<_>>()?;
        }
        Ok(prefix)
    }

    /// Appends it after the header of the response that begins at `start`.
    pub fn write(&self, out: &mut Vec<u8>, start: usize) -> std::result::Result<(), TooLong> {
        if let Some(id) = self.tracing_id {
            out[start + 1] |= flag::TRACING;
            out.extend_from_slice(&id);
        }
        if !self.warnings.is_empty() {
            out[start + 1] |= flag::WARNINGS;
            put_short(out, "warnings", self.warnings.len())?;
            self.warnings.iter().try_for_each(|warning| put_string(out, "a warning", warning))?;
        }
        if !self.payload.is_empty() {
            out[start + 1] |= flag::CUSTOM_PAYLOAD;
            put_payload(out, &self.payload)?;
        }
        Ok(())
    }
}

fn put_payload(
    out: &mut Vec<u8>,
    payload: &[(&str, Option<&[u8]>)],
) -> std::result::Result<(), TooLong> {
    put_short(out, "a custom payload", payload.len())?;
    payload.iter().try_for_each(|(name, value)| {
        put_string(out, "a name in a custom payload", name)?;
        let Some(bytes) = value else {
            put_null(out);
            return Ok(());
        };
        put_bytes(out, "a value in a custom payload", bytes)
    })
}

/// The result of unsealing bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsealResult {
    /// A unit of this many bytes was opened and its contents appended.
    Took(usize),
    /// The first unit is incomplete; its total length, or 0 if that is not known yet.
    Awaits(usize),
}

#[cfg(test)]
mod tests;
