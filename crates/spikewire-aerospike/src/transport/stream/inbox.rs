//! The receive buffer of a query's connection: a window of bounded size, split into messages.
//!
//! Frames of a query are up to 128 MiB long and contain thousands of records. They are read in
//! pieces, so that memory use does not depend on their size: the window grows only for a single
//! record that is larger, while that is buffered.

use std::io::{self, Read};

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::error_details::ErrorDetails;
use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header, Kind};
use spikewire_aerospike_protocol::message::{Message, field};
use spikewire_aerospike_protocol::query::{Answer, PlanReply};
use spikewire_aerospike_protocol::result_code::ResultCode;

#[derive(Debug)]
pub(super) struct Inbox {
    /// Bytes to read ahead of the caller.
    window: usize,
    buffer: Vec<u8>,
    /// Bytes `start..end` have arrived but have not been consumed.
    start: usize,
    end: usize,
    /// Bytes of the current frame that have not been consumed.
    frame: usize,
    /// What the node said about the failure that ended its reply.
    details: Option<Box<ErrorDetails>>,
}

impl Inbox {
    pub fn new(window: usize) -> Self {
        Self { window, buffer: Vec::new(), start: 0, end: 0, frame: 0, details: None }
    }

    /// Reads once into the free space. Returns the number of bytes (0: the peer closed) and whether
    /// they filled the space.
    pub fn fill(&mut self, source: &mut impl Read) -> io::Result<(usize, bool)> {
        self.make_room();
        let room = &mut self.buffer[self.end..];
        let size = room.len();
        let read = source.read(room)?;
        self.end += read;
        Ok((read, read == size))
    }

    /// The next complete message.
    pub fn next(&mut self) -> Result<Option<Answer<'_>>, Malformed> {
        if !self.enter_frame()? {
            return Ok(None);
        }
        let have = (self.end - self.start).min(self.frame);
        match Answer::parse(&self.buffer[self.start..self.start + have]) {
            Ok((answer, used)) => {
                if let Answer::End(code) = answer
                    && code != ResultCode::OK
                {
                    self.details = details(&self.buffer[self.start..self.start + used]);
                }
                self.start += used;
                self.frame -= used;
                Ok(Some(answer))
            }
            Err(error) if error.is_cut() && have < self.frame => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes what the node said about the failure that ended its reply, if it said anything.
    pub fn take_details(&mut self) -> Option<ErrorDetails> {
        self.details.take().map(|details| *details)
    }

    /// The reply to a request for a plan: one frame.
    pub fn next_plan(&mut self) -> Result<Option<PlanReply>, Malformed> {
        if !self.enter_frame()? || self.end - self.start < self.frame {
            return Ok(None);
        }
        let body = &self.buffer[self.start..self.start + self.frame];
        let reply = PlanReply::parse(body)?;
        if matches!(reply, PlanReply::Failed(_)) {
            self.details = details(body);
        }
        self.start += self.frame;
        self.frame = 0;
        Ok(Some(reply))
    }

    /// Passes the header of the next frame that is not empty; false: it has not arrived.
    fn enter_frame(&mut self) -> Result<bool, Malformed> {
        while self.frame == 0 {
            let Some(header) = Header::parse(&self.buffer[self.start..self.end])? else {
                return Ok(false);
            };
            if header.kind != Kind::Message {
                return Err(Malformed::new("answer of a query", "not a message frame"));
            }
            self.start += HEADER_LEN;
            self.frame = header.len;
        }
        Ok(true)
    }

    /// Whether the buffer is empty, so that another request's reply can follow.
    pub fn is_clean(&self) -> bool {
        self.start == self.end && self.frame == 0
    }

    fn make_room(&mut self) {
        let pending = self.end - self.start;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, pending);
        if pending < self.window / 2 {
            if self.buffer.len() > self.window {
                self.buffer.truncate(self.window);
                self.buffer.shrink_to_fit();
            }
            self.buffer.resize(self.window, 0);
        } else if pending == self.buffer.len() {
            // A record is larger than the buffer: allocate only as much more as has already
            // arrived.
            self.buffer.resize(pending * 2, 0);
        }
    }
}

/// What a message says about a failure beyond its code.
#[cold]
fn details(message: &[u8]) -> Option<Box<ErrorDetails>> {
    let (message, _) = Message::parse(message).ok()?;
    message.field(field::ERROR_DETAILS).and_then(ErrorDetails::read).map(Box::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::WINDOW;
    use spikewire_aerospike_protocol::frame;
    use spikewire_aerospike_protocol::key::Digest;
    use spikewire_aerospike_protocol::message::write_op;
    use spikewire_aerospike_protocol::query::answer::write_end;
    use spikewire_aerospike_protocol::query::{Point, Row};

    fn record(number: u8, value: &[u8], out: &mut Vec<u8>) {
        let mut ops = Vec::new();
        write_op(&mut ops, 1, b"a", 4, value);
        let point = Point { digest: Digest([number; 20]), value: 0 };
        let row = Row {
            point,
            set: b"demo",
            key: None,
            generation: 1,
            void_time: 0,
            op_count: 1,
            ops: &ops,
        };
        row.write(b"test", false, false, out);
    }

    fn framed(bodies: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        for body in bodies {
            let start = frame::begin(&mut out, Kind::Message);
            out.extend_from_slice(body);
            frame::finish(&mut out, start);
        }
        out
    }

    /// Returns its bytes in pieces of the given size.
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
    fn records_survive_any_cutting() {
        let mut many = Vec::new();
        (0..9).for_each(|number| record(number, &[number; 100], &mut many));
        let mut large = Vec::new();
        record(9, &vec![9; 3 * WINDOW], &mut large);
        record(10, b"", &mut large);
        let mut last = Vec::new();
        write_end(ResultCode::OK, &mut last);
        let bytes = framed(&[many, Vec::new(), large, last]);
        for piece in [1, 7, 8, 97, 1000, 65_536, 1 << 20] {
            let mut inbox = Inbox::new(WINDOW);
            let mut source = Drip(&bytes, piece);
            let mut digests = Vec::new();
            let mut ended = false;
            while inbox.fill(&mut source).unwrap().0 > 0 {
                assert!(inbox.buffer.len() <= 8 * WINDOW);
                while let Some(answer) = inbox.next().unwrap() {
                    match answer {
                        Answer::Row(row) => digests.push(row.point.digest.0[0]),
                        Answer::End(code) => ended = code == ResultCode::OK,
                        Answer::Partition(..) => panic!("{answer:?}"),
                    }
                }
            }
            assert_eq!(digests, (0..11).collect::<Vec<_>>(), "pieces of {piece}");
            assert!(ended && inbox.is_clean());
            assert!(inbox.buffer.len() <= WINDOW, "the room of the large record is given back");
        }
    }

    #[test]
    fn a_large_announced_length_allocates_little() {
        let mut inbox = Inbox::new(WINDOW);
        let header = Header { kind: Kind::Message, len: frame::MAX_BODY }.to_bytes();
        inbox.fill(&mut &header[..]).unwrap();
        assert!(inbox.next().unwrap().is_none());
        assert!(inbox.buffer.len() <= WINDOW);
    }

    #[test]
    fn replies_that_are_not_records_are_rejected() {
        for bytes in [&b"HTTP/1.1 400 Bad Request"[..], &framed(&[vec![1; 30]])[..]] {
            let mut inbox = Inbox::new(WINDOW);
            inbox.fill(&mut &bytes[..]).unwrap();
            assert!(inbox.next().is_err());
        }
    }
}
