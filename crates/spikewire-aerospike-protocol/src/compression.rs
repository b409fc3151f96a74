//! Compressed messages: a complete message frame as a zlib stream, in a frame of its own kind.
//!
//! The body is `inner length u64` (of the message frame, its header included), then the stream.
//! Servers of the Enterprise Edition read and send them; others refuse them.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::frame::{self, HEADER_LEN, Header, Kind, MAX_BODY};
use crate::{Malformed, message};

/// Bytes before the stream.
const LENGTH_LEN: usize = 8;
/// Messages up to this length are rarely worth compressing: servers leave theirs plain, and other
/// clients too.
pub const THRESHOLD: usize = 128;
/// The fastest level: what is saved by a higher one is small, and the event loop pays for it.
const LEVEL: u32 = 1;
/// Deflate turns a byte into 1,032 at most, so a stream that announces more is no such stream.
const MOST_PER_BYTE: usize = 1032;

/// Compresses messages. Large (about 300 kB) and slow to make: keep it.
#[derive(Debug)]
pub struct Packer(Compress);

impl Default for Packer {
    fn default() -> Self {
        Self(Compress::new(Compression::new(LEVEL), true))
    }
}

impl Packer {
    /// Appends a complete message frame to `out` in its compressed form, if that is at least `gain`
    /// bytes shorter. Returns whether it is; otherwise nothing is appended.
    pub fn pack(&mut self, message: &[u8], gain: usize, out: &mut Vec<u8>) -> bool {
        let around = HEADER_LEN + LENGTH_LEN;
        let Some(most) = message.len().checked_sub(around + gain.max(1)) else { return false };
        if message.len() > MAX_BODY {
            return false;
        }
        let start = frame::begin(out, Kind::Compressed);
        out.extend_from_slice(&(message.len() as u64).to_be_bytes());
        let stream = out.len();
        out.resize(stream + most, 0);
        self.0.reset();
        let status = self.0.compress(message, &mut out[stream..], FlushCompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) {
            out.truncate(start);
            return false;
        }
        out.truncate(stream + self.0.total_out() as usize);
        frame::finish(out, start);
        true
    }
}

/// The length of the message frame in the body of a compressed frame. Larger ones than servers
/// accept, and those that the stream is too short for, are rejected: it is safe to allocate as much.
pub fn inner_len(body: &[u8]) -> Result<usize, Malformed> {
    let (length, stream) = body.split_first_chunk().ok_or_else(|| malformed(Malformed::CUT))?;
    let len = u64::from_be_bytes(*length);
    if len > MAX_BODY as u64 {
        return Err(malformed("longer than 128 MiB"));
    }
    let len = len as usize;
    if len < HEADER_LEN + message::HEADER_LEN {
        return Err(malformed("shorter than a message"));
    }
    if len > stream.len().saturating_mul(MOST_PER_BYTE) {
        return Err(malformed("the length is more than the stream can hold"));
    }
    Ok(len)
}

/// Restores compressed messages. Large (about 50 kB): keep it.
#[derive(Debug)]
pub struct Unpacker(Decompress);

impl Default for Unpacker {
    fn default() -> Self {
        Self(Decompress::new(true))
    }
}

impl Unpacker {
    /// Writes the message frame in the body of a compressed frame to `out`, which has exactly its
    /// [`inner_len`].
    pub fn unpack(&mut self, body: &[u8], out: &mut [u8]) -> Result<(), Malformed> {
        let stream = body.get(LENGTH_LEN..).ok_or_else(|| malformed(Malformed::CUT))?;
        self.0.reset(true);
        let status = self.0.decompress(stream, out, FlushDecompress::Finish);
        let status = status.map_err(|_| malformed("no zlib stream, or a damaged one"))?;
        if status != Status::StreamEnd {
            return Err(malformed("the stream is cut, or longer than announced"));
        }
        if self.0.total_out() != out.len() as u64 {
            return Err(malformed("shorter than announced"));
        }
        if self.0.total_in() != stream.len() as u64 {
            return Err(malformed("bytes after the stream"));
        }
        let header = Header::parse(out)?;
        if header != Some(Header { kind: Kind::Message, len: out.len() - HEADER_LEN }) {
            return Err(malformed("what is inside is not one message frame"));
        }
        Ok(())
    }
}

#[cold]
fn malformed(why: &'static str) -> Malformed {
    Malformed::new("compressed message", why)
}

#[cfg(test)]
// Miri would take minutes for one stream.
#[cfg(not(miri))]
mod tests {
    use super::*;

    fn message(len: usize, byte: impl Fn(usize) -> u8) -> Vec<u8> {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Message);
        out.extend((0..len).map(byte));
        frame::finish(&mut out, start);
        out
    }

    fn packed(message: &[u8]) -> Vec<u8> {
        let mut out = vec![7];
        assert!(Packer::default().pack(message, 0, &mut out));
        assert_eq!(out[..3], [7, 2, 4]);
        out.split_off(1)
    }

    /// A body with this length and this stream.
    fn body(len: u64, stream: &[u8]) -> Vec<u8> {
        [&len.to_be_bytes(), stream].concat()
    }

    fn restore(body: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut out = vec![0; inner_len(body)?];
        Unpacker::default().unpack(body, &mut out)?;
        Ok(out)
    }

    fn hex(text: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(digit).collect()
    }

    /// What the C client sent for a put of 400 bytes.
    #[test]
    fn a_request_of_the_c_client_is_restored() {
        let bytes = hex(
            "020400000000005300000000000001df78016362660002c6eb620c8c20061cb05f6060060bb13294a4\
             169700c599188b81a428cb02ebdf396cb18ad60b36a966264f5994f06577cd46a009539980ea132b46c1\
             a00a01009dbeca57"
                .replace(' ', "")
                .as_str(),
        );
        let (outer, used) = frame::split(&bytes).unwrap().unwrap();
        assert_eq!((outer.kind, used), (Kind::Compressed, bytes.len()));
        let inner = restore(outer.body).unwrap();
        assert_eq!(inner.len(), 479);
        let (parsed, _) = message::Message::parse(&inner[HEADER_LEN..]).unwrap();
        let values: Vec<_> = parsed.ops().map(|op| op.value.to_vec()).collect();
        assert_eq!(values, [vec![b'x'; 400]]);
    }

    #[test]
    fn messages_come_back_as_they_were() {
        let (mut packer, mut unpacker) = (Packer::default(), Unpacker::default());
        for len in [200, 1_000, 70_000, 3_000_000] {
            let plain = message(len, |at| (at / 100) as u8);
            let mut bytes = Vec::new();
            assert!(packer.pack(&plain, 32, &mut bytes));
            assert_eq!(&bytes[16..18], [0x78, 1], "zlib's window and level are those of others");
            let (outer, _) = frame::split(&bytes).unwrap().unwrap();
            let mut out = vec![0; inner_len(outer.body).unwrap()];
            unpacker.unpack(outer.body, &mut out).unwrap();
            assert!(out == plain, "{len} bytes");
        }
    }

    #[test]
    fn what_does_not_become_shorter_stays_plain() {
        let mut state = 1u32;
        let noise: Vec<u8> = (0..5_000)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        let mut out = vec![7];
        let mut packer = Packer::default();
        assert!(!packer.pack(&message(5_000, |at| noise[at]), 0, &mut out));
        assert!(!packer.pack(&message(22, |_| 0), 32, &mut out), "32 bytes cannot be saved");
        let plain = message(300, |_| 0);
        let size = packed(&plain).len();
        assert!(!packer.pack(&plain, plain.len() - size + 1, &mut out));
        assert_eq!(out, [7]);
        assert!(packer.pack(&plain, plain.len() - size, &mut out));
    }

    #[test]
    fn what_is_announced_is_checked_before_anything_is_allocated() {
        for (len, stream, expected) in [
            (u64::MAX, 100, "longer than 128 MiB"),
            (MAX_BODY as u64 + 1, 1 << 20, "longer than 128 MiB"),
            (29, 100, "shorter than a message"),
            (1 << 20, 1_000, "more than the stream can hold"),
            (128 << 20, 0, "more than the stream can hold"),
        ] {
            let error = inner_len(&body(len, &vec![0; stream])).unwrap_err();
            assert!(error.to_string().contains(expected), "{len}: {error}");
        }
        assert!(inner_len(&[0; 7]).unwrap_err().is_cut());
        assert_eq!(inner_len(&body(1_032_000, &[0; 1_000])), Ok(1_032_000));
    }

    #[test]
    fn damaged_streams_are_errors() {
        let plain = message(1_000, |at| at as u8);
        let good = packed(&plain).split_off(HEADER_LEN);
        let fails = |body: &[u8], expected: &str| {
            let error = restore(body).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        fails(&good[..good.len() - 5], "the stream is cut");
        fails(&[&good[..], b"x"].concat(), "bytes after the stream");
        fails(&body(1_007, &good[8..]), "or longer than announced");
        fails(&body(1_009, &good[8..]), "shorter than announced");
        let mut garbled = good.clone();
        *garbled.last_mut().unwrap() ^= 1;
        fails(&garbled, "damaged");
        fails(&body(1_008, &[9; 500]), "no zlib stream");
        // A compressed message inside of another one, and a frame with a wrong length.
        let mut twice = plain.clone();
        twice[1] = Kind::Compressed as u8;
        fails(&packed(&twice)[HEADER_LEN..], "not one message frame");
        let mut longer = plain;
        longer[7] += 1;
        fails(&packed(&longer)[HEADER_LEN..], "not one message frame");
    }
}
