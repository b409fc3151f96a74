//! Bytes that arrived on a connection, opened where they were sealed, and cut into frames.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::Range;

use crate::protocol::{Answers, Framing, Malformed, Opened};

/// Room offered to every read. A read that fills less than it has drained the socket.
const ROOM: usize = 64 << 10;
/// A buffer that grew beyond this for one large reply is given back once it is empty.
const KEEP: usize = 256 << 10;
/// The same for what was opened: a page of 5,000 rows is half of this, and when one page follows the
/// other, memory that is given back each time is mostly taken from the system and cleared anew.
const KEEP_OPENED: usize = 1 << 20;

/// A connection's receive buffer.
#[derive(Debug)]
pub struct Inbound<F> {
    buffer: Vec<u8>,
    /// Bytes `start..end` have arrived and are not consumed.
    start: usize,
    end: usize,
    /// What was opened; empty where frames come as they are.
    plain: Plain,
    framing: PhantomData<fn(&F)>,
}

/// Frames that had been sealed.
#[derive(Debug, Default)]
struct Plain {
    bytes: Vec<u8>,
    /// Bytes from here on are not consumed.
    start: usize,
    /// Whether the frame that was found last is in here.
    has_latest: bool,
    /// How long the sealed unit is of which a part has come, 0 if that is not known.
    awaited: usize,
}

impl<F> Default for Inbound<F> {
    fn default() -> Self {
        let (buffer, start, end) = (Vec::new(), 0, 0);
        Self { buffer, start, end, plain: Plain::default(), framing: PhantomData }
    }
}

impl<F: Framing> Inbound<F> {
    /// Reads once. Returns the bytes read (0: the peer closed) and whether the socket is drained.
    pub fn fill(&mut self, source: &mut impl Read, protocol: &mut F) -> io::Result<(usize, bool)> {
        self.make_room(protocol);
        let room = &mut self.buffer[self.end..];
        let size = room.len();
        let read = source.read(room)?;
        self.end += read;
        Ok((read, read < size))
    }

    /// The next whole frame's body, as a range for [`Inbound::body`], and what it answers.
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

    /// The same where frames are sealed.
    fn next_opened(
        &mut self,
        protocol: &mut F,
    ) -> Result<Option<(Range<usize>, Answers)>, Malformed> {
        loop {
            let announced = match self.plain.next(protocol)? {
                Next::Found(found) => return Ok(Some(found)),
                Next::Announced(announced) => announced,
            };
            self.plain.awaited = 0;
            if self.start == self.end {
                return Ok(None);
            }
            self.plain.make_room(announced);
            match protocol.open(&self.buffer[self.start..self.end], &mut self.plain.bytes)? {
                Opened::Took(size) => self.consume(size.clamp(1, self.end - self.start)),
                Opened::Awaits(size) => {
                    self.plain.awaited = size;
                    return Ok(None);
                }
            }
        }
    }

    /// The bytes of the frame that [`Inbound::next`] found; valid until it is called again, or
    /// [`Inbound::fill`] is.
    pub fn body(&self, range: Range<usize>) -> &[u8] {
        if F::OPENS && self.plain.has_latest {
            &self.plain.bytes[range]
        } else {
            &self.buffer[range]
        }
    }

    /// Bytes that wait for the rest of their frame.
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
        let wanted = room_for(self.announced(protocol), pending) + ROOM;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }

    /// How long what comes is, as far as that is known.
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
    /// The next whole frame; otherwise how long it is, as far as that is known.
    fn next<F: Framing>(&mut self, protocol: &mut F) -> Result<Next, Malformed> {
        let rest = &self.bytes[self.start..];
        let frame = if rest.is_empty() { None } else { protocol.cut(rest)? };
        Ok(match frame {
            Some(frame) if frame.len <= rest.len() => {
                let body = self.start + frame.header..self.start + frame.len;
                self.start = body.end;
                Next::Found((body, frame.answers))
            }
            frame => Next::Announced(frame.map_or(0, |frame| frame.len)),
        })
    }

    /// Forgets what was consumed, and makes room for a frame of this length.
    fn make_room(&mut self, announced: usize) {
        self.bytes.drain(..std::mem::take(&mut self.start));
        let held = self.bytes.len();
        if held == 0 && self.bytes.capacity() > KEEP_OPENED {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(room_for(announced, held) - held);
    }
}

/// What [`Plain::next`] found.
enum Next {
    /// The range of a body, and what the frame answers.
    Found((Range<usize>, Answers)),
    /// No whole frame; so many bytes will make one, 0 if that is not known.
    Announced(usize),
}

/// Room for something of which so many bytes are announced and so many are here. It is made in one
/// step, but never before a good part has arrived: a header alone must not allocate the largest
/// frame.
fn room_for(announced: usize, here: usize) -> usize {
    announced.min(4 * here.max(ROOM)).max(here)
}
