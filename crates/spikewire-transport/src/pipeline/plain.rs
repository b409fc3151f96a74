//! Received bytes that were sealed, once they are opened; and how much room what arrives gets.

use std::ops::Range;

use crate::protocol::{Answers, Framing, Malformed};

/// Room offered to every read. A read that fills less than it has drained the socket.
pub const ROOM: usize = 64 << 10;
/// A buffer that grew beyond this is freed once it is empty. A page of 5,000 rows takes half of
/// this; if the buffer were freed after each page, most of its memory would be mapped and zeroed
/// again for the next.
const KEEP_OPENED: usize = 1 << 20;

/// Frames that were sealed.
#[derive(Debug, Default)]
pub struct Plain {
    pub bytes: Vec<u8>,
    /// Bytes from here on are not consumed yet.
    pub start: usize,
    /// Whether the latest frame is in here.
    pub has_latest: bool,
    /// Length of the sealed unit that has arrived in part, 0 if unknown.
    pub awaited: usize,
}

impl Plain {
    /// The next complete frame, or its length if known.
    pub fn next<F: Framing>(&mut self, protocol: &mut F) -> Result<NextFrame, Malformed> {
        let rest = &self.bytes[self.start..];
        let frame = if rest.is_empty() { None } else { protocol.cut(rest)? };
        Ok(match frame {
            Some(frame) if frame.len <= rest.len() => {
                let body = self.start + frame.header..self.start + frame.len;
                self.start = body.end;
                NextFrame::Complete((body, frame.answers))
            }
            frame => NextFrame::Announced(frame.map_or(0, |frame| frame.len)),
        })
    }

    /// Drops consumed bytes, and makes room for a frame of this length.
    pub fn make_room(&mut self, announced: usize) {
        self.bytes.drain(..std::mem::take(&mut self.start));
        let held = self.bytes.len();
        if held == 0 && self.bytes.capacity() > KEEP_OPENED {
            self.bytes = Vec::new();
        }
        self.bytes.reserve(room_for(announced, held) - held);
    }
}

/// The result of [`Plain::next`].
pub enum NextFrame {
    /// The range of a body, and what the frame answers.
    Complete((Range<usize>, Answers)),
    /// No complete frame; its length, or 0 if unknown.
    Announced(usize),
}

/// How much room to make for something of `announced` bytes, of which `here` have arrived. All at
/// once, but never before a good part has arrived: a header alone must not allocate the largest
/// frame.
pub fn room_for(announced: usize, here: usize) -> usize {
    announced.min(4 * here.max(ROOM)).max(here)
}
