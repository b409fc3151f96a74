//! What lies around the envelopes of a connection, from its first byte on.

use crate::compression::{compress_bodies, inflate};
use crate::envelope::{Header, Opened};
use crate::notation::Result;
use crate::segment::{self, Unsealer};
use crate::version::Version;

/// How a connection wraps its envelopes at present.
#[derive(Debug, Default)]
pub enum Sealing {
    /// Not at all: version 4, and version 5 until the reply to STARTUP is in.
    #[default]
    Bare,
    /// Each body is compressed by itself: version 4.
    Bodies,
    /// Segments: version 5.
    Segments(Unsealer),
}

impl Sealing {
    /// What holds from the moment when such a STARTUP is written: the reply to it may be compressed
    /// already in version 4.
    pub fn during_startup(version: Version, lz4: bool) -> Self {
        if lz4 && version == Version::V4 { Self::Bodies } else { Self::Bare }
    }

    /// What holds behind the reply to such a STARTUP, in both directions.
    pub fn after_startup(version: Version, lz4: bool) -> Self {
        match version {
            Version::V4 => Self::during_startup(version, lz4),
            Version::V5 => Self::Segments(Unsealer::new(lz4)),
        }
    }

    /// Whether envelopes stand on the wire as they are: there is nothing to open and nothing to seal.
    pub fn is_bare(&self) -> bool {
        matches!(self, Self::Bare)
    }

    /// Takes the envelope or the segment that `sealed` begins with, once it is whole, and appends
    /// what it holds to `plain`: envelopes, of which the last may end in a later segment.
    pub fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<Opened> {
        match self {
            Self::Bare => {
                let Some(header) = Header::read(sealed)? else { return Ok(Opened::Awaits(0)) };
                let Some(envelope) = sealed.get(..header.envelope_len()) else {
                    return Ok(Opened::Awaits(header.envelope_len()));
                };
                plain.extend_from_slice(envelope);
                Ok(Opened::Took(envelope.len()))
            }
            Self::Bodies => inflate(sealed, plain),
            Self::Segments(unsealer) => unsealer.open(sealed, plain),
        }
    }

    /// Wraps the whole envelopes `out[from..]`.
    pub fn seal(&self, out: &mut Vec<u8>, from: usize) {
        match self {
            Self::Bare => {}
            Self::Bodies => compress_bodies(out, from),
            Self::Segments(unsealer) => segment::seal(out, from, unsealer.lz4()),
        }
    }
}
