//! The proto header: 8 bytes in front of every message in both directions.
//!
//! `version u8 = 2`, `type u8`, `body length u48` (big-endian, without these 8 bytes).

use crate::Malformed;

/// Bytes in a proto header.
pub const HEADER_LEN: usize = 8;
/// The largest body a server accepts (128 MiB).
pub const MAX_BODY: usize = 128 << 20;
/// The only protocol version.
pub const VERSION: u8 = 2;

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Text commands and answers.
    Info = 1,
    /// Security: login, users, roles.
    Admin = 2,
    /// One request, or one or more replies.
    Message = 3,
    /// A compressed `Message` frame.
    Compressed = 4,
}

/// A parsed proto header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What the body is.
    pub kind: Kind,
    /// Body length in bytes.
    pub len: usize,
}

impl Header {
    /// Reads a header from the first 8 bytes; `None` if there are fewer.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Malformed> {
        let Some(head) = bytes.first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let word = u64::from_be_bytes(*head);
        if head[0] != VERSION {
            return Err(Malformed::new("proto header", "protocol version is not 2"));
        }
        let kind = match head[1] {
            1 => Kind::Info,
            2 => Kind::Admin,
            3 => Kind::Message,
            4 => Kind::Compressed,
            _ => return Err(Malformed::new("proto header", "unknown message type")),
        };
        let len = (word & 0x0000_FFFF_FFFF_FFFF) as usize;
        if len > MAX_BODY {
            return Err(Malformed::new("proto header", "body longer than 128 MiB"));
        }
        Ok(Some(Self { kind, len }))
    }

    /// The 8 bytes of this header.
    #[inline]
    pub fn to_bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = (self.len as u64).to_be_bytes();
        bytes[0] = VERSION;
        bytes[1] = self.kind as u8;
        bytes
    }
}

/// Starts a frame in `out`. The body follows; then [`finish`] fills in the length.
#[inline]
pub fn begin(out: &mut Vec<u8>, kind: Kind) -> usize {
    let start = out.len();
    out.extend_from_slice(&Header { kind, len: 0 }.to_bytes());
    start
}

/// Fills in the length of the frame that [`begin`] opened at `start`.
#[inline]
pub fn finish(out: &mut [u8], start: usize) {
    let len = out.len() - start - HEADER_LEN;
    let kind = out[start + 1];
    out[start..start + HEADER_LEN].copy_from_slice(&(len as u64).to_be_bytes());
    out[start] = VERSION;
    out[start + 1] = kind;
}

/// A complete frame: header and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What the body is.
    pub kind: Kind,
    /// The bytes after the proto header.
    pub body: &'a [u8],
}

/// Splits the first frame off `bytes` and returns the number of bytes it took; `None` if it is not
/// complete yet.
pub fn split(bytes: &[u8]) -> Result<Option<(Frame<'_>, usize)>, Malformed> {
    let Some(header) = Header::parse(bytes)? else { return Ok(None) };
    let end = HEADER_LEN + header.len;
    let frame = bytes.get(HEADER_LEN..end).map(|body| Frame { kind: header.kind, body });
    Ok(frame.map(|frame| (frame, end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_info_request_of_the_protocol_notes_encodes() {
        let mut out = Vec::new();
        let start = begin(&mut out, Kind::Info);
        out.extend_from_slice(b"node\nbuild\n");
        finish(&mut out, start);
        assert_eq!(out[..8], [2, 1, 0, 0, 0, 0, 0, 0x0b]);
        let (frame, used) = split(&out).unwrap().unwrap();
        assert_eq!((frame.kind, frame.body, used), (Kind::Info, &b"node\nbuild\n"[..], 19));
    }

    #[test]
    fn a_part_of_a_frame_is_not_a_frame() {
        let mut out = Vec::new();
        let start = begin(&mut out, Kind::Message);
        out.extend_from_slice(&[7; 30]);
        finish(&mut out, start);
        for cut in 0..out.len() {
            assert_eq!(split(&out[..cut]), Ok(None), "cut at {cut}");
        }
    }

    #[test]
    fn invalid_frame_headers_are_rejected() {
        assert!(Header::parse(b"HTTP/1.1").is_err());
        assert!(Header::parse(&[2, 9, 0, 0, 0, 0, 0, 0]).is_err());
        assert!(Header::parse(&[2, 3, 0, 0, 8, 0, 0, 1]).is_err());
        assert!(Header::parse(&[2, 3, 0, 0, 8, 0, 0, 0]).unwrap().is_some());
    }
}
