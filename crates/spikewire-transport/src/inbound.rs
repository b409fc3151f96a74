//! Bytes that arrived on a connection, cut into frames.

use std::io::{self, Read};
use std::ops::Range;

use crate::protocol::{Answers, Framing, Malformed};

/// Room offered to every read. A read that fills less than it has drained the socket.
const ROOM: usize = 64 << 10;
/// A buffer that grew beyond this for one large reply is given back once it is empty.
const KEEP: usize = 256 << 10;

/// A connection's receive buffer.
#[derive(Debug, Default)]
pub struct Inbound {
    buffer: Vec<u8>,
    /// Bytes `start..end` have arrived and are not consumed.
    start: usize,
    end: usize,
}

impl Inbound {
    /// Reads once. Returns the bytes read (0: the peer closed) and whether the socket is drained.
    pub fn fill<P: Framing>(
        &mut self,
        source: &mut impl Read,
        protocol: &mut P,
    ) -> io::Result<(usize, bool)> {
        self.make_room(protocol);
        let room = &mut self.buffer[self.end..];
        let size = room.len();
        let read = source.read(room)?;
        self.end += read;
        Ok((read, read < size))
    }

    /// The next whole frame's body, as a range for [`Inbound::body`], and what it answers.
    pub fn next<P: Framing>(
        &mut self,
        protocol: &mut P,
    ) -> Result<Option<(Range<usize>, Answers)>, Malformed> {
        if self.start == self.end {
            return Ok(None);
        }
        let Some(frame) = protocol.cut(&self.buffer[self.start..self.end])? else {
            return Ok(None);
        };
        let body = self.start + frame.header..self.start + frame.len;
        if body.end > self.end {
            return Ok(None);
        }
        if body.end == self.end {
            (self.start, self.end) = (0, 0);
        } else {
            self.start = body.end;
        }
        Ok(Some((body, frame.answers)))
    }

    /// The bytes of a frame that [`Inbound::next`] found; valid until the next fill.
    pub fn body(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Bytes that wait for the rest of their frame.
    pub fn pending(&self) -> usize {
        self.end - self.start
    }

    fn make_room<P: Framing>(&mut self, protocol: &mut P) {
        let pending = self.pending();
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, pending);
        }
        if pending == 0 && self.buffer.len() > KEEP {
            self.buffer = Vec::new();
        }
        // A frame announced longer than the buffer gets its room in one step, but never before
        // a good part of it has arrived: a header alone must not allocate the largest frame.
        let announced = match protocol.cut(&self.buffer[..pending]) {
            Ok(Some(frame)) if pending > 0 => frame.len,
            _ => 0,
        };
        let wanted = announced.min(4 * pending.max(ROOM)).max(pending) + ROOM;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }
}
