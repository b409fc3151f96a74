//! How the envelopes of a connection are wrapped, from its first byte on.

use crate::compression::{compress_bodies, inflate};
use crate::envelope::{Header, UnsealResult};
use crate::notation::Result;
use crate::segment::{self, Unsealer};
use crate::version::Version;

/// How a connection currently wraps its envelopes.
#[derive(Debug, Default)]
pub enum Sealing {
    /// Not at all: version 4 without compression, and version 5 until the reply to STARTUP has
    /// arrived.
    #[default]
    Bare,
    /// Each body is compressed on its own: version 4.
    Bodies,
    /// Segments: version 5.
    Segments(Unsealer),
}

impl Sealing {
    /// The sealing from the moment such a STARTUP is written: in version 4, the reply to it may
    /// already be compressed.
    pub fn during_startup(version: Version, lz4: bool) -> Self {
        if lz4 && version == Version::V4 { Self::Bodies } else { Self::Bare }
    }

    /// The sealing after the reply to such a STARTUP, in both directions.
    pub fn after_startup(version: Version, lz4: bool) -> Self {
        match version {
            Version::V4 => Self::during_startup(version, lz4),
            Version::V5 => Self::Segments(Unsealer::new(lz4)),
        }
    }

    /// Whether envelopes are sent as they are, so that nothing has to be opened or sealed.
    pub fn is_bare(&self) -> bool {
        matches!(self, Self::Bare)
    }

    /// Takes the envelope or segment at the beginning of `sealed`, once it is complete, and appends
    /// its contents to `plain`: envelopes, the last of which may end in a later segment.
    pub fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<UnsealResult> {
        match self {
            Self::Bare => {
                let Some(header) = Header::read(sealed)? else {
                    return Ok(UnsealResult::Awaits(0));
                };
                let Some(envelope) = sealed.get(..header.envelope_len()) else {
                    return Ok(UnsealResult::Awaits(header.envelope_len()));
                };
                plain.extend_from_slice(envelope);
                Ok(UnsealResult::Took(envelope.len()))
            }
            Self::Bodies => inflate(sealed, plain),
            Self::Segments(unsealer) => unsealer.open(sealed, plain),
        }
    }

    /// Wraps the complete envelopes in `out[from..]`.
    pub fn seal(&self, out: &mut Vec<u8>, from: usize) {
        match self {
            Self::Bare => {}
            Self::Bodies => compress_bodies(out, from),
            Self::Segments(unsealer) => segment::seal(out, from, unsealer.lz4()),
        }
    }
}
