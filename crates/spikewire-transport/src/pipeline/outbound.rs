//! The way down: requests join the output, which is written to the socket.

use std::collections::VecDeque;
use std::io::{self, Write};

use super::Pipeline;
use super::in_flight::{InFlight, Slot};
use crate::clock::Tick;
use crate::keys::OrderKey;
use crate::protocol::{Protocol, RequestKind};

/// Capacity kept in an empty output buffer; what a burst needed beyond it is freed.
const KEEP_OUT: usize = 256 << 10;

/// Where a composed request begins.
#[derive(Debug)]
pub struct Composed(usize);

/// Properties of a request in flight.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// What it asks for.
    pub kind: RequestKind,
    /// Whether its reply may consist of several frames.
    pub many: bool,
    /// How much it counts against the connection's depth.
    pub weight: usize,
    /// When it times out.
    pub deadline: Tick,
    /// What it is about, if its order among others is kept.
    pub key: OrderKey,
}

/// How many writes are remembered: enough for what is in flight, and some.
const WRITES: usize = 1024;

#[cold]
fn note(writes: &mut VecDeque<(u64, Tick)>, total: u64, now: Tick) {
    if writes.len() == WRITES {
        writes.pop_front();
    }
    writes.push_back((total, now));
}

impl<P: Protocol, C> Pipeline<P, C> {
    /// Appends a complete request to the output; must be followed by [`Pipeline::queue`].
    #[inline(always)]
    pub fn compose(&mut self, request: &[u8], kind: RequestKind) -> Composed {
        let at = self.out.len();
        self.protocol.write_request(request, kind, &mut self.out);
        Composed(at)
    }

    /// Queues a composed request for the next write. There must be room. Returns whether an earlier
    /// one with its key is unanswered.
    #[inline(always)]
    pub fn queue(&mut self, composed: Composed, request: Request, command: C, now: Tick) -> bool {
        debug_assert!(self.has_room(), "the caller looks first");
        if self.in_flight.len() == 0 {
            self.last_progress = now;
        }
        let Composed(at) = composed;
        let (start, end) = (self.position(at), self.position(self.out.len()));
        let Request { kind, many, weight, deadline, key } = request;
        self.weight += weight;
        let is_behind = self.unanswered.add(key);
        let command = Some(command);
        let (since, sealed, parts) = (now, false, 0);
        let slot = Slot { start, end, since, kind, many, parts, weight, key, sealed, command };
        let id = self.in_flight.push(slot);
        self.protocol.stamp(&mut self.out[at..], id, deadline.since(now));
        is_behind
    }

    /// Position in the stream of sent bytes of a byte of `out`.
    fn position(&self, at: usize) -> u64 {
        self.total_written + (at - self.written) as u64
    }

    /// Writes what is queued, as far as the socket accepts it; returns whether everything was
    /// written.
    pub fn write(&mut self, wire: &mut impl Write, now: Tick) -> io::Result<bool> {
        if P::SEALS && self.sealed < self.out.len() && self.protocol.seals() {
            self.seal();
        }
        // Requests behind one that was sent are written even if the node is silent, so that is no
        // sign of life.
        let oldest = self.in_flight.front().filter(|slot| slot.end > self.total_written);
        let uploads = oldest.map(|slot| slot.start);
        while self.written < self.out.len() {
            match wire.write(&self.out[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => {
                    self.written += size;
                    self.total_written += size as u64;
                    if let Some(start) = uploads {
                        self.last_progress = now;
                        let first = if self.upload.0 == start { self.upload.1 } else { now };
                        self.upload = (start, first, now);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.forget_written();
        if let Some(writes) = &mut self.writes {
            note(writes, self.total_written, now);
        }
        Ok(true)
    }

    pub(super) fn forget_written(&mut self) {
        (self.written, self.sealed) = (0, 0);
        if self.out.capacity() > KEEP_OUT {
            self.out = Vec::new();
        } else {
            self.out.clear();
        }
    }

    /// Seals what was queued since the last time: its requests are sent together from here on.
    fn seal(&mut self) {
        let from = self.sealed;
        let start = self.position(from);
        self.protocol.seal(&mut self.out, from);
        self.sealed = self.out.len();
        let end = self.position(self.sealed);
        self.in_flight.visit_since(start, |slot| (slot.end, slot.sealed) = (end, true));
    }
}

impl<C> InFlight<C> {
    /// Adds a request and returns its id (0 for replies in order). There must be room.
    // Inlined because a command is large: it is moved once instead of through every return.
    #[inline(always)]
    pub fn push(&mut self, slot: Slot<C>) -> u16 {
        match self {
            Self::InOrder(queue) => {
                queue.push_back(slot);
                0
            }
            Self::ById(by_id) => by_id.push(slot),
        }
    }
}
