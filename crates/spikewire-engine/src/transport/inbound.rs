//! Bytes that arrived on a connection, cut into frames.

use std::io::{self, Read};
use std::ops::Range;

use spikewire_protocol::Malformed;
use spikewire_protocol::frame::{HEADER_LEN, Header, Kind};

/// Room offered to every read. A read that fills less than it has drained the socket.
const ROOM: usize = 64 << 10;
/// A buffer that grew beyond this for one large reply is given back once it is empty.
const KEEP: usize = 256 << 10;

/// A connection's receive buffer.
#[derive(Debug, Default)]
pub(crate) struct Inbound {
    buffer: Vec<u8>,
    /// Bytes `start..end` have arrived and are not consumed.
    start: usize,
    end: usize,
}

impl Inbound {
    /// Reads once. Returns the bytes read (0: the peer closed) and whether the socket is drained.
    pub fn fill(&mut self, source: &mut impl Read) -> io::Result<(usize, bool)> {
        self.make_room();
        let room = &mut self.buffer[self.end..];
        let size = room.len();
        let read = source.read(room)?;
        self.end += read;
        Ok((read, read < size))
    }

    /// The next whole message frame's body, as a range for [`Inbound::body`].
    pub fn next(&mut self) -> Result<Option<Range<usize>>, Malformed> {
        let Some(header) = Header::parse(&self.buffer[self.start..self.end])? else {
            return Ok(None);
        };
        if header.kind != Kind::Message {
            return Err(Malformed::new("reply", "not a message frame"));
        }
        let body = self.start + HEADER_LEN..self.start + HEADER_LEN + header.len;
        if body.end > self.end {
            return Ok(None);
        }
        if body.end == self.end {
            (self.start, self.end) = (0, 0);
        } else {
            self.start = body.end;
        }
        Ok(Some(body))
    }

    /// The bytes of a frame that [`Inbound::next`] found; valid until the next fill.
    pub fn body(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Bytes that wait for the rest of their frame.
    pub fn pending(&self) -> usize {
        self.end - self.start
    }

    fn make_room(&mut self) {
        let pending = self.pending();
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, pending);
        }
        if pending == 0 && self.buffer.len() > KEEP {
            self.buffer = Vec::new();
        }
        // A frame announced longer than the buffer gets its room in one step, but never before
        // a good part of it has arrived: a header alone must not make us allocate 128 MiB.
        let announced = match Header::parse(&self.buffer[..pending]) {
            Ok(Some(header)) => HEADER_LEN + header.len,
            _ => 0,
        };
        let wanted = announced.min(4 * pending.max(ROOM)).max(pending) + ROOM;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_protocol::frame;

    fn framed(bodies: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        for body in bodies {
            let start = frame::begin(&mut out, Kind::Message);
            out.extend_from_slice(body);
            frame::finish(&mut out, start);
        }
        out
    }

    /// Hands out its bytes in pieces of the given size.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let size = self.1.min(self.0.len()).min(out.len());
            out[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    #[test]
    fn frames_survive_any_cutting() {
        let large = vec![7; 200_000];
        let bytes = framed(&[b"one", b"", &large, b"four"]);
        for piece in [1, 7, 8, 9, 1000, 65_536, 1 << 20] {
            let mut inbound = Inbound::default();
            let mut source = Drip(&bytes, piece);
            let mut found = Vec::new();
            while inbound.fill(&mut source).unwrap().0 > 0 {
                while let Some(range) = inbound.next().unwrap() {
                    found.push(inbound.body(range).to_vec());
                }
            }
            assert_eq!(found, [&b"one"[..], b"", &large, b"four"], "pieces of {piece}");
            assert_eq!(inbound.pending(), 0);
        }
    }

    #[test]
    fn an_announced_giant_allocates_little() {
        let mut inbound = Inbound::default();
        let header = Header { kind: Kind::Message, len: frame::MAX_BODY }.to_bytes();
        inbound.fill(&mut &header[..]).unwrap();
        assert_eq!(inbound.next(), Ok(None));
        inbound.fill(&mut &b"x"[..]).unwrap();
        assert!(inbound.buffer.len() < 1 << 20);
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        let mut inbound = Inbound::default();
        inbound.fill(&mut &b"HTTP/1.1 400 Bad Request"[..]).unwrap();
        assert!(inbound.next().is_err());
    }
}
