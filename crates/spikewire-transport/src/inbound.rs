//! Received bytes: unsealed if necessary, and cut into frames.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::Range;

use crate::protocol::{Answers, Framing, Malformed, OpenResult};

/// Room offered to every read. A read that fills less than it has drained the socket.
const ROOM: usize = 64 << 10;
/// A buffer that grew beyond this for a large reply is freed once it is empty.
const KEEP: usize = 256 << 10;
/// The same for unsealed bytes. A page of 5,000 rows takes half of this; if the buffer were freed
/// after each page, most of its memory would be mapped and zeroed again for the next.
const KEEP_OPENED: usize = 1 << 20;

/// A connection's receive buffer.
#[derive(Debug)]
pub struct Inbound<F> {
    buffer: Vec<u8>,
    /// Bytes `start..end` have arrived and are not consumed yet.
    start: usize,
    end: usize,
    /// Unsealed bytes; empty if frames are not sealed.
    plain: Plain,
    framing: PhantomData<fn(&F)>,
}

/// Frames that were sealed.
#[derive(Debug, Default)]
struct Plain {
    bytes: Vec<u8>,
    /// Bytes from here on are not consumed yet.
    start: usize,
    /// Whether the latest frame is in here.
    has_latest: bool,
    /// Length of the sealed unit that has arrived in part, 0 if unknown.
    awaited: usize,
}

impl<F> Default for Inbound<F> {
    fn default() -> Self {
        let (buffer, start, end) = (Vec::new(), 0, 0);
        Self { buffer, start, end, plain: Plain::default(), framing: PhantomData }
    }
}

impl<F: Framing> Inbound<F> {
    /// Reads once. Returns the number of bytes read (0 if the peer closed) and whether the socket
    /// is drained.
    pub fn fill(&mut self, source: &mut impl Read, protocol: &mut F) -> io::Result<(usize, bool)> {
        self.make_room(protocol);
        let room = &mut self.buffer[self.end..];
        let size = room.len();
        let read = source.read(room)?;
        self.end += read;
        Ok((read, read < size))
    }

    /// The body of the next complete frame, as a range for [`Inbound::body`], and which request it
    /// answers.
    pub fn next(&mut self, protocol: &mut F) -> Result<Option<(Range<usize>, Answers)>, Malformed> {
        if F::OPENS {
            self.plain.has_latest = protocol.opens();
            if self.plain.has_latest {
                return self.next_opened(protocol);
            }
        }
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
        self.consume(frame.len);
        Ok(Some((body, frame.answers)))
    }

    /// Like [`Inbound::next`], for sealed frames.
    fn next_opened(
        &mut self,
        protocol: &mut F,
    ) -> Result<Option<(Range<usize>, Answers)>, Malformed> {
        loop {
            let announced = match self.plain.next(protocol)? {
                Next::Complete(frame) => return Ok(Some(frame)),
                Next::Announced(announced) => announced,
            };
            self.plain.awaited = 0;
            if self.start == self.end {
                return Ok(None);
            }
            self.plain.make_room(announced);
            match protocol.open(&self.buffer[self.start..self.end], &mut self.plain.bytes)? {
                OpenResult::Took(size) => self.consume(size.clamp(1, self.end - self.start)),
                OpenResult::Awaits(size) => {
                    self.plain.awaited = size;
                    return Ok(None);
                }
            }
        }
    }

    /// The bytes of the frame returned by [`Inbound::next`]; valid until the next call of that or of
    /// [`Inbound::fill`].
    pub fn body(&self, range: Range<usize>) -> &[u8] {
        if F::OPENS && self.plain.has_latest {
            &self.plain.bytes[range]
        } else {
            &self.buffer[range]
        }
    }

    /// Bytes that have arrived and are not consumed yet.
    pub fn pending(&self) -> usize {
        let plain = if F::OPENS { self.plain.bytes.len() - self.plain.start } else { 0 };
        self.end - self.start + plain
    }

    fn consume(&mut self, size: usize) {
        if self.start + size == self.end {
            (self.start, self.end) = (0, 0);
        } else {
            self.start += size;
        }
    }

    fn make_room(&mut self, protocol: &mut F) {
        let pending = self.end - self.start;
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, pending);
        }
        if pending == 0 && self.buffer.len() > KEEP {
            self.buffer = Vec::new();
        }
        let capacity = room_for(self.announced(protocol), pending) + ROOM;
        if self.buffer.len() < capacity {
            self.buffer.resize(capacity, 0);
        }
    }

    /// Length of what is arriving, if known.
    fn announced(&self, protocol: &mut F) -> usize {
        if F::OPENS && protocol.opens() {
            return self.plain.awaited;
        }
        match protocol.cut(&self.buffer[..self.end]) {
            Ok(Some(frame)) if self.end > 0 => frame.len,
            _ => 0,
        }
    }
}

impl Plain {
    /// The next complete frame, or its length if known.
    fn next<F: Framing>(&mut self, protocol: &mut F) -> Result<Next, Malformed> {
        let rest = &self.bytes[self.start..];
        let frame = if rest.is_empty() { None } else { protocol.cut(rest)? };
        Ok(match frame {
            Some(frame) if frame.len <= rest.len() => {
                let body = self.start + frame.header..self.start + frame.len;
                self.start = body.end;
                Next::Complete((body, frame.answers))
            }
            frame => Next::Announced(frame.map_or(0, |frame| frame.len)),
        })
    }

    /// Drops consumed bytes, and makes room for a frame of this length.
    fn make_room(&mut self, announced: usize) {
        self.bytes.drain(..std::mem::take(&mut self.start));
        let held = self.bytes.len();
        if held == 0 && self.bytes.capacity() > KEEP_OPENED {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(room_for(announced, held) - held);
    }
}

/// The result of [`Plain::next`].
enum Next {
    /// The range of a body, and what the frame answers.
    Complete((Range<usize>, Answers)),
    /// No complete frame; its length, or 0 if unknown.
    Announced(usize),
}

/// How much room to make for something of `announced` bytes, of which `here` have arrived. All at
/// once, but never before a good part has arrived: a header alone must not allocate the largest
/// frame.
fn room_for(announced: usize, here: usize) -> usize {
    announced.min(4 * here.max(ROOM)).max(here)
}
