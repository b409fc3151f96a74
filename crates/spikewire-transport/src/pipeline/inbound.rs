//! The way up: received bytes are cut into frames, and each frame finds its command.

use std::io::{self, Read};
use std::marker::PhantomData;
use std::ops::Range;

use super::in_flight::{InFlight, Slot};
use super::plain::{NextFrame, Plain, ROOM, room_for};
use super::{OBSERVE_EVERY, Observation, Pipeline};
use crate::clock::Tick;
use crate::protocol::{
    Answers, Disposition, Framing, Malformed, OpenResult, Protocol, ReplyKind, RequestInfo,
};

/// A buffer that grew beyond this for a large reply is freed once it is empty.
const KEEP: usize = 256 << 10;

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
        // Usually all that arrived was consumed.
        let is_fresh = self.end == 0 && (ROOM..=KEEP).contains(&self.buffer.len());
        if F::OPENS && protocol.opens() || !is_fresh {
            self.make_room(protocol);
        }
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
        if protocol.is_packed() {
            return self.unpack(body, protocol).map(Some);
        }
        self.consume(frame.len);
        Ok(Some((body, frame.answers)))
    }

    /// Takes the packed frame with this body. The one in it is put behind what has arrived, where
    /// the next read may overwrite it.
    #[cold]
    #[inline(never)]
    fn unpack(
        &mut self,
        packed: Range<usize>,
        protocol: &mut F,
    ) -> Result<(Range<usize>, Answers), Malformed> {
        let (start, end) = (self.end, packed.end);
        let len = protocol.unpacked_len(&self.buffer[packed.clone()])?;
        if self.buffer.len() < start + len {
            self.buffer.resize(start + len, 0);
        }
        let (arrived, free) = self.buffer.split_at_mut(start);
        let inner = &mut free[..len];
        protocol.unpack(&arrived[packed], inner)?;
        let frame = protocol.cut(inner)?.filter(|frame| frame.len == len && !protocol.is_packed());
        let frame = frame.ok_or_else(|| Malformed("a packed frame with something else".into()))?;
        self.consume(end - self.start);
        Ok((start + frame.header..start + len, frame.answers))
    }

    /// Like [`Inbound::next`], for sealed frames.
    fn next_opened(
        &mut self,
        protocol: &mut F,
    ) -> Result<Option<(Range<usize>, Answers)>, Malformed> {
        loop {
            let announced = match self.plain.next(protocol)? {
                NextFrame::Complete(frame) => return Ok(Some(frame)),
                NextFrame::Announced(announced) => announced,
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

    #[inline(never)]
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

/// What [`Pipeline::next_arrival`] found.
#[derive(Debug)]
pub enum Arrival<'a, C> {
    /// A part of a command's reply.
    More(&'a mut C, &'a [u8]),
    /// The end of a command's reply; the command has left the pipeline. Also when it was written,
    /// if known.
    Ended(C, &'a [u8], Disposition, Option<Tick>),
    /// A frame that answers no command.
    Event(&'a [u8]),
    /// The server ended the session with the answer to an orphan.
    SessionEnded,
    /// The server ended the session for this reason.
    Verdict(String),
}

impl<P: Protocol, C> Pipeline<P, C> {
    /// Reads once, then calls `now` for the time if anything arrived. Returns the number of bytes
    /// read (0 if the peer closed) and whether the socket is drained.
    pub fn fill(
        &mut self,
        wire: &mut impl Read,
        now: impl FnOnce() -> Tick,
    ) -> io::Result<(usize, bool)> {
        let filled = self.inbound.fill(wire, &mut self.protocol)?;
        if filled.0 > 0 {
            let now = now();
            if now >= self.observes_at {
                self.observe(now);
            }
            self.last_progress = now;
        }
        Ok(filled)
    }

    /// Observes what has arrived now, after some silence.
    #[cold]
    #[inline(never)]
    fn observe(&mut self, now: Tick) {
        if let Some(front) = self.in_flight.front() {
            let since = self.last_progress.max(front.since);
            self.reply_times.record(since, now, front.is_of_many());
        }
        let weight = self.weight;
        self.observation.get_or_insert(Observation { weight, answered: None });
        self.observes_at = now.after(OBSERVE_EVERY);
    }

    /// The next arrival among the received bytes. `TIMED` adds the time when its request was
    /// written.
    // Inlined because a command is large: it is moved once instead of through every return.
    #[inline(always)]
    pub fn next_arrival<const TIMED: bool>(&mut self) -> Result<Option<Arrival<'_, C>>, Malformed> {
        loop {
            let Some((range, answers)) = self.inbound.next(&mut self.protocol)? else {
                return Ok(None);
            };
            if answers == Answers::Event {
                return Ok(Some(Arrival::Event(self.inbound.body(range))));
            }
            let body = self.inbound.body(range.clone());
            let Some(slot) = self.in_flight.answered(answers) else {
                return self.unasked(answers, range);
            };
            let Slot { kind, many, weight: rows, parts, .. } = *slot;
            let request = RequestInfo { kind, many, rows, parts };
            let disposition = self.protocol.classify(body, request)?;
            if disposition.outcome == ReplyKind::More {
                slot.parts += 1;
                if slot.command.is_none() {
                    continue;
                }
                return Ok(self.part(answers, range));
            }
            let Some(slot) = self.in_flight.remove(answers) else { return Ok(None) };
            self.weight -= slot.weight;
            if let Some(observation) = &mut self.observation
                && !slot.is_of_many()
            {
                observation.answered = Some(slot.since);
            }
            self.unanswered.remove(slot.key);
            if let Some(command) = slot.command {
                let written = if TIMED { self.written_at(slot.end) } else { None };
                let body = self.inbound.body(range);
                return Ok(Some(Arrival::Ended(command, body, disposition, written)));
            }
            self.orphans -= 1;
            if disposition.closes {
                return Ok(Some(Arrival::SessionEnded));
            }
        }
    }

    /// Classifies a frame that answers no request in flight.
    #[cold]
    fn unasked(
        &self,
        answers: Answers,
        range: Range<usize>,
    ) -> Result<Option<Arrival<'_, C>>, Malformed> {
        if answers == Answers::Connection {
            let why = self.protocol.close_reason(self.inbound.body(range));
            return Ok(Some(Arrival::Verdict(why)));
        }
        Err(Malformed("a reply that nobody asked for".into()))
    }

    fn part(&mut self, answers: Answers, range: Range<usize>) -> Option<Arrival<'_, C>> {
        let command = self.in_flight.answered(answers)?.command.as_mut()?;
        Some(Arrival::More(command, self.inbound.body(range)))
    }
}

impl<C> InFlight<C> {
    /// The request that a frame answers.
    #[inline(always)]
    pub fn answered(&mut self, answers: Answers) -> Option<&mut Slot<C>> {
        match (self, answers) {
            (Self::InOrder(queue), Answers::Oldest) => queue.front_mut(),
            (Self::ById(by_id), Answers::Id(id)) => by_id.answered(id),
            _ => None,
        }
    }

    /// Removes that request and frees its id.
    #[inline(always)]
    pub fn remove(&mut self, answers: Answers) -> Option<Slot<C>> {
        match (self, answers) {
            (Self::InOrder(queue), Answers::Oldest) => queue.pop_front(),
            (Self::ById(by_id), Answers::Id(id)) => by_id.remove(id),
            _ => None,
        }
    }
}
