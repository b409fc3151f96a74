//! A connection without its socket: bytes to write, received bytes, commands in flight.
//!
//! A [`Pipeline`] does no I/O of its own and reads no clock, so every driver can use it: an event
//! loop through the multiplexer, or a calling thread that reads and writes a socket itself. `C` is
//! the driver's type of a command in flight.
//!
//! | call | when |
//! |---|---|
//! | [`Pipeline::compose`], [`Pipeline::queue`] | a command joins the next write |
//! | [`Pipeline::write`] | at the end of a turn, and whenever the socket is writable again |
//! | [`Pipeline::fill`], then [`Pipeline::next_arrival`] until it returns `None` | the socket is readable |
//! | [`Pipeline::expire`] | a deadline has passed: removes what is overdue |
//! | [`Pipeline::silence_ends`] | to learn when the connection has to be given up |
//! | [`Pipeline::abandon`] | the connection is given up: returns what was in flight, sent or not |
//!
//! When a caller gives up, one rule decides about its request. If no byte of it has been sent, it
//! is withdrawn. If all of it has, it becomes an orphan: its place (or id) stays taken until its
//! reply has arrived and is dropped. If it was sent in part, it is never finished: the connection
//! drains, that is, it writes nothing more and is closed once what was sent before is answered.

mod expiry;

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use crate::clock::Tick;
use crate::health::ReplyTimes;
use crate::in_flight::{Ids, InFlight, Slot};
use crate::inbound::Inbound;
use crate::keys::{OrderKey, Unanswered};
use crate::protocol::{
    Answers, Disposition, Malformed, Protocol, ReplyKind, RequestInfo, RequestKind,
};

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

/// A command given up.
#[derive(Debug)]
pub struct AbandonedCommand<C> {
    /// The command.
    pub command: C,
    /// Whether the whole request was sent, so that it may be executed.
    pub sent: bool,
}

/// A connection's buffers and the requests in flight on it.
#[derive(Debug)]
pub struct Pipeline<P, C> {
    protocol: P,
    inbound: Inbound<P>,
    out: Vec<u8>,
    /// How many bytes of `out` are written.
    written: usize,
    /// How many bytes of `out` are sealed.
    sealed: usize,
    /// Bytes written during the connection's life.
    total_written: u64,
    /// Bytes after the written ones that count as written.
    committed: usize,
    in_flight: InFlight<C>,
    weight: usize,
    unanswered: Unanswered,
    orphans: usize,
    draining: bool,
    last_progress: Tick,
    reply_times: ReplyTimes,
    /// The last write that included bytes of the oldest request: where that request begins, when
    /// its first bytes were written, and when its latest were.
    upload: (u64, Tick, Tick),
    /// Positions in the stream of sent bytes and when they were written, if requested.
    writes: Option<VecDeque<(u64, Tick)>>,
}

impl<P: Protocol, C> Pipeline<P, C> {
    /// The pipeline of a new connection.
    pub fn new(protocol: P, now: Tick) -> Self {
        Self {
            protocol,
            inbound: Inbound::default(),
            out: Vec::new(),
            written: 0,
            sealed: 0,
            total_written: 0,
            committed: 0,
            in_flight: InFlight::new(P::IDS.map(|count| Ids { first: P::FIRST_ID, count })),
            weight: 0,
            unanswered: Unanswered::default(),
            orphans: 0,
            draining: false,
            last_progress: now,
            reply_times: ReplyTimes::default(),
            upload: (u64::MAX, now, now),
            writes: None,
        }
    }

    /// The commands that await a reply.
    pub fn commands(&self) -> impl Iterator<Item = &C> {
        self.in_flight.each().filter_map(|slot| slot.command.as_ref())
    }

    /// What a handshake needs.
    pub fn handshake(&mut self) -> (&mut P, &mut Inbound<P>) {
        (&mut self.protocol, &mut self.inbound)
    }

    /// Requests in flight, including orphans.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Requests in flight that are awaited.
    pub fn awaited(&self) -> usize {
        self.in_flight.len() - self.orphans
    }

    /// Their total weight.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Whether a request with this key is unanswered. Orphans do not count.
    #[inline(always)]
    pub fn is_unanswered(&self, key: OrderKey) -> bool {
        self.unanswered.contains(key)
    }

    /// Whether one more request can be queued.
    pub fn has_room(&self) -> bool {
        !self.draining && !self.in_flight.is_full()
    }

    /// Since when the oldest request waits that holds up others.
    #[inline(always)]
    pub fn oldest(&self) -> Option<Tick> {
        self.in_flight.oldest().map(|slot| slot.since)
    }

    /// Whether a written request is unanswered and holds up those behind it.
    pub fn awaits(&self) -> bool {
        P::IDS.is_none()
            && self.in_flight.front().is_some_and(|slot| slot.end <= self.total_written)
    }

    /// Whether there are bytes to write.
    pub fn has_unsent(&self) -> bool {
        self.written < self.out.len()
    }

    /// Whether bytes have arrived that were not processed yet, or only a part of a frame.
    pub fn has_input(&self) -> bool {
        self.inbound.pending() > 0
    }

    /// Whether the connection gets no more requests, because one was given up half sent (nothing
    /// more is written then) or because it was retired.
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether the connection is of no more use and can be closed without loss.
    pub fn is_drained(&self) -> bool {
        self.draining && self.in_flight.each().all(|slot| slot.command.is_none())
    }

    /// Whether orphans hold so many ids that a new connection is better.
    pub fn has_too_many_orphans(&self) -> bool {
        P::IDS.is_some() && self.orphans > P::ORPHANS
    }

    /// Accepts no more requests from here on; those in flight are still answered. Returns whether
    /// that is new.
    pub fn retire(&mut self) -> bool {
        !std::mem::replace(&mut self.draining, true)
    }

    /// When bytes last arrived, a part of the oldest request was sent, or the first request was
    /// queued on an idle connection.
    pub fn last_progress(&self) -> Tick {
        self.last_progress
    }

    /// How long replies take, as far as is known.
    pub fn reply_times(&self) -> ReplyTimes {
        self.reply_times
    }

    /// Sets how long replies are expected to take before the first of them arrives.
    pub fn expect(&mut self, times: ReplyTimes) {
        self.reply_times = times;
    }

    /// Appends a complete request to the output; must be followed by [`Pipeline::queue`].
    #[inline(always)]
    pub fn compose(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Composed {
        let at = self.out.len();
        write(&mut self.out);
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

    /// Whether [`Arrival::Ended`] reports when a command was written, from the next one on.
    pub fn time_writes(&mut self, enabled: bool) {
        if enabled != self.writes.is_some() {
            self.writes = enabled.then(VecDeque::new);
        }
    }

    /// When the byte before this position was written.
    fn written_at(&self, end: u64) -> Option<Tick> {
        let writes = self.writes.as_ref()?;
        writes.get(writes.partition_point(|(total, _)| *total < end)).map(|(_, at)| *at)
    }

    fn forget_written(&mut self) {
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
            if let Some(front) = self.in_flight.front() {
                let since = self.last_progress.max(front.since);
                self.reply_times.record(since, now, front.is_of_many());
            }
            self.last_progress = now;
        }
        Ok(filled)
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
        range: std::ops::Range<usize>,
    ) -> Result<Option<Arrival<'_, C>>, Malformed> {
        if answers == Answers::Connection {
            let why = self.protocol.close_reason(self.inbound.body(range));
            return Ok(Some(Arrival::Verdict(why)));
        }
        Err(Malformed("a reply that nobody asked for".into()))
    }

    fn part(&mut self, answers: Answers, range: std::ops::Range<usize>) -> Option<Arrival<'_, C>> {
        let command = self.in_flight.answered(answers)?.command.as_mut()?;
        Some(Arrival::More(command, self.inbound.body(range)))
    }
}
