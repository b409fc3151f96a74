//! One connection without its socket: what is to be written, what has come, what is in flight.
//!
//! A [`Pipeline`] does no I/O of its own and knows no clock, so that every driver can use it: an
//! event loop through the multiplexer, or a calling thread that reads and writes a socket itself.
//! `C` is a command in flight, whatever that is to the driver.
//!
//! | call | when |
//! |---|---|
//! | [`Pipeline::compose`], [`Pipeline::queue`] | a command joins the next write |
//! | [`Pipeline::write`] | at the end of a turn, and whenever the socket has room again |
//! | [`Pipeline::fill`], then [`Pipeline::next_arrival`] until it gives nothing | the socket is readable |
//! | [`Pipeline::expire`] | a deadline has come: takes out what is overdue |
//! | [`Pipeline::silence_ends`] | to know when the connection has to be given up |
//! | [`Pipeline::abandon`] | the connection is given up: what was in flight, sent or not |
//!
//! What a caller that gives up leaves behind follows one rule. A request of which nothing has
//! left is withdrawn. One that has left becomes an orphan: its place (its id) stays taken until
//! its answer has come and is dropped. One that has left in part is never finished: the connection
//! drains, that is, it writes nothing more, and is closed when what was sent before is answered.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::time::Duration;

use crate::clock::Tick;
use crate::in_flight::{Ids, InFlight, Slot};
use crate::inbound::Inbound;
use crate::protocol::{Answers, Asked, Disposition, Malformed, Protocol, ReplyKind};

/// Room kept in an empty output buffer; what a burst needed beyond it is given back.
const KEEP_OUT: usize = 256 << 10;

/// Where a request that was composed begins.
#[derive(Debug)]
pub struct Composed(usize);

/// What there is to know of a request in flight.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// Whether its answer may be several frames.
    pub many: bool,
    /// How much it counts against the connection's depth.
    pub weight: usize,
    /// When it must be over.
    pub deadline: Tick,
}

/// How many writes are remembered: those of what is in flight, and some.
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
    /// A part of a command's answer.
    More(&'a mut C, &'a [u8]),
    /// The end of a command's answer, which is out of the pipeline now; and when the command was
    /// written, where that is known.
    Ended(C, &'a [u8], Disposition, Option<Tick>),
    /// A frame that answers no command.
    Event(&'a [u8]),
    /// The server ended the session with the answer to an orphan.
    SessionEnded,
    /// The server ends the session, for this reason.
    Verdict(String),
}

/// Something given up.
#[derive(Debug)]
pub struct Abandoned<C> {
    /// The command.
    pub command: C,
    /// Whether the whole request had left, so that it may be executed.
    pub sent: bool,
}

/// A connection's buffers and what is in flight on it.
#[derive(Debug)]
pub struct Pipeline<P, C> {
    protocol: P,
    inbound: Inbound<P>,
    out: Vec<u8>,
    /// Bytes of `out` that are written.
    written: usize,
    /// Bytes of `out` that are sealed.
    sealed: usize,
    /// Bytes written over the connection's life.
    total_written: u64,
    /// Bytes behind the written ones that are as good as written.
    committed: usize,
    in_flight: InFlight<C>,
    weight: usize,
    orphans: usize,
    draining: bool,
    last_progress: Tick,
    /// Where the request begins that was the oldest when bytes of it were written last, when its
    /// first ones were, and when the last ones.
    upload: (u64, Tick, Tick),
    /// Where the stream of sent bytes was at which time, while that is asked for.
    writes: Option<VecDeque<(u64, Tick)>>,
}

impl<P: Protocol, C> Pipeline<P, C> {
    /// Of a new connection.
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
            orphans: 0,
            draining: false,
            last_progress: now,
            upload: (u64::MAX, now, now),
            writes: None,
        }
    }

    /// What a handshake needs.
    pub fn handshake(&mut self) -> (&mut P, &mut Inbound<P>) {
        (&mut self.protocol, &mut self.inbound)
    }

    /// Requests in flight, orphans included.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Requests in flight that are waited for.
    pub fn awaited(&self) -> usize {
        self.in_flight.len() - self.orphans
    }

    /// What they weigh together.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Whether one more request can be queued.
    pub fn has_room(&self) -> bool {
        !self.draining && !self.in_flight.is_full()
    }

    /// Since when the oldest request waits that others wait for as well.
    #[inline]
    pub fn oldest(&self) -> Option<Tick> {
        self.in_flight.oldest().map(|slot| slot.since)
    }

    /// Whether a request was written and not answered that stands in the way of those behind it.
    pub fn awaits(&self) -> bool {
        P::IDS.is_none()
            && self.in_flight.front().is_some_and(|slot| slot.end <= self.total_written)
    }

    /// Whether bytes wait to be written.
    pub fn has_unsent(&self) -> bool {
        self.written < self.out.len()
    }

    /// Whether bytes have come that are not looked at yet, or only a part of a frame.
    pub fn has_input(&self) -> bool {
        self.inbound.pending() > 0
    }

    /// Whether the connection gets no more requests, because one was given up half sent (nothing
    /// more is written then) or because it was retired.
    pub fn is_draining(&self) -> bool {
        self.draining
    }

    /// Whether the connection can be closed without a loss, and is of no more use.
    pub fn is_drained(&self) -> bool {
        self.draining && self.in_flight.each().all(|slot| slot.command.is_none())
    }

    /// Whether orphans hold so many ids that a new connection is the better one.
    pub fn has_too_many_orphans(&self) -> bool {
        P::IDS.is_some() && self.orphans > P::ORPHANS
    }

    /// From here on it gets no more requests; those that it has are answered. Whether that is new.
    pub fn retire(&mut self) -> bool {
        !std::mem::replace(&mut self.draining, true)
    }

    /// When bytes last came, a part of the oldest request left, or the first request was queued on
    /// an idle connection.
    pub fn last_progress(&self) -> Tick {
        self.last_progress
    }

    /// Appends a whole request to the output; [`Pipeline::queue`] follows.
    #[inline(always)]
    pub fn compose(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Composed {
        let at = self.out.len();
        write(&mut self.out);
        Composed(at)
    }

    /// Queues a composed request for the next write. There must be room.
    #[inline(always)]
    pub fn queue(&mut self, composed: Composed, request: Request, command: C, now: Tick) {
        debug_assert!(self.has_room(), "the caller looks first");
        if self.in_flight.len() == 0 {
            self.last_progress = now;
        }
        let Composed(at) = composed;
        let (start, end) = (self.position(at), self.position(self.out.len()));
        let Request { many, weight, deadline } = request;
        self.weight += weight;
        let command = Some(command);
        let (since, sealed, parts) = (now, false, 0);
        let slot = Slot { start, end, since, many, parts, weight, sealed, command };
        let id = self.in_flight.push(slot);
        self.protocol.stamp(&mut self.out[at..], id, deadline.since(now));
    }

    /// Position in the stream of sent bytes of a byte of `out`.
    fn position(&self, at: usize) -> u64 {
        self.total_written + (at - self.written) as u64
    }

    /// Writes what is queued, as far as the socket takes it; `true` when nothing is left.
    pub fn write(&mut self, wire: &mut impl Write, now: Tick) -> io::Result<bool> {
        if P::SEALS && self.sealed < self.out.len() && self.protocol.seals() {
            self.seal();
        }
        // Requests behind one that was sent leave also when the node is silent: that they do is
        // no sign of life.
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

    /// Whether [`Arrival::Ended`] is to say when a command was written, from the next one on.
    pub fn time_writes(&mut self, wanted: bool) {
        if wanted != self.writes.is_some() {
            self.writes = wanted.then(VecDeque::new);
        }
    }

    /// When the byte before this one was written.
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

    /// Wraps what was queued since the last time: from here on its requests leave together.
    fn seal(&mut self) {
        let from = self.sealed;
        let start = self.position(from);
        self.protocol.seal(&mut self.out, from);
        self.sealed = self.out.len();
        let end = self.position(self.sealed);
        self.in_flight.visit_since(start, |slot| (slot.end, slot.sealed) = (end, true));
    }

    /// Reads once; `now` is asked for the time afterwards, if something came. Returns the bytes
    /// read (0: the peer closed) and whether the socket is drained.
    pub fn fill(
        &mut self,
        wire: &mut impl Read,
        now: impl FnOnce() -> Tick,
    ) -> io::Result<(usize, bool)> {
        let filled = self.inbound.fill(wire, &mut self.protocol)?;
        if filled.0 > 0 {
            self.last_progress = now();
        }
        Ok(filled)
    }

    /// The next thing among the bytes that came. `TIMED`: with the time when it was written.
    // Inlined, for a command is large: it is moved once instead of through every return.
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
            let asked = Asked { many: slot.many, weight: slot.weight, parts: slot.parts };
            let disposition = self.protocol.classify(body, asked)?;
            if disposition.outcome == ReplyKind::More {
                slot.parts += 1;
                if slot.command.is_none() {
                    continue;
                }
                return Ok(self.part(answers, range));
            }
            let Some(slot) = self.in_flight.remove(answers) else { return Ok(None) };
            self.weight -= slot.weight;
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

    /// What a frame is that answers no request in flight.
    #[cold]
    fn unasked(
        &self,
        answers: Answers,
        range: std::ops::Range<usize>,
    ) -> Result<Option<Arrival<'_, C>>, Malformed> {
        if answers == Answers::Connection {
            let why = self.protocol.verdict(self.inbound.body(range));
            return Ok(Some(Arrival::Verdict(why)));
        }
        Err(Malformed("a reply that nobody asked for".into()))
    }

    fn part(&mut self, answers: Answers, range: std::ops::Range<usize>) -> Option<Arrival<'_, C>> {
        let command = self.in_flight.answered(answers)?.command.as_mut()?;
        Some(Arrival::More(command, self.inbound.body(range)))
    }

    /// So many bytes behind the written ones cannot be taken back any more: a part of them may have
    /// left, in a form that the server can make nothing of before it has the rest.
    pub fn commit(&mut self, bytes: usize) {
        self.committed = bytes;
    }

    /// Takes out the commands that are `over`. Returns those that were queued behind a request
    /// that was given up half sent, and of which nothing has left: they go elsewhere.
    pub fn expire(
        &mut self,
        over: impl Fn(&C) -> bool,
        mut take: impl FnMut(Abandoned<C>),
    ) -> Vec<C> {
        let mut displaced = Vec::new();
        let is_over = |slot: &Slot<C>| slot.command.as_ref().is_some_and(&over);
        if !self.in_flight.each().any(is_over) {
            return displaced;
        }
        let begun = self.total_written + self.committed as u64;
        let Self { in_flight, out, written, total_written, weight, orphans, draining, .. } = self;
        let mut withdrawn = 0;
        // Sealed requests leave together: none of them can be taken out alone.
        let half_sent =
            |slot: &Slot<C>, total: u64| slot.end > total && (slot.start < begun || slot.sealed);
        let drains = in_flight.each().any(|slot| is_over(slot) && half_sent(slot, *total_written));
        *draining |= drains;
        in_flight.rebuild(|mut slot| {
            slot.start -= withdrawn;
            slot.end -= withdrawn;
            let over = is_over(&slot);
            if slot.end <= *total_written {
                if over && let Some(command) = slot.command.take() {
                    *orphans += 1;
                    take(Abandoned { command, sent: true });
                }
                return Some(slot);
            }
            if !over && !drains {
                return Some(slot);
            }
            *weight -= slot.weight;
            if !drains {
                let at = *written + (slot.start - *total_written) as usize;
                let len = (slot.end - slot.start) as usize;
                out.drain(at..at + len);
                withdrawn += len as u64;
            }
            match slot.command {
                Some(command) if over => take(Abandoned { command, sent: false }),
                command => displaced.extend(command),
            }
            None
        });
        if drains {
            self.forget_written();
        }
        displaced
    }

    /// When the connection must be given up if nothing comes: the limit of the oldest command
    /// (`None`: it has none), or some time for the answer to an orphan.
    #[inline(always)]
    pub fn silence_ends(&self, limit: impl Fn(&C) -> Option<Duration>) -> Tick {
        let Some(front) = self.in_flight.front() else { return Tick::NEVER };
        let ends = self.silence_of(front, &limit);
        if P::IDS.is_some()
            && front.command.is_none()
            && let Some(oldest) = self.in_flight.oldest()
        {
            // It does not wait for the answer to the orphan, and may have less patience.
            return ends.min(self.silence_of(oldest, &limit));
        }
        ends
    }

    /// Since when nothing has come while the oldest request in flight waits for its answer;
    /// [`Tick::NEVER`] where nothing is waited for.
    pub fn silent_since(&self) -> Tick {
        let oldest = self.in_flight.front().filter(|slot| slot.end <= self.total_written);
        oldest.map_or(Tick::NEVER, |slot| self.last_progress.max(slot.since))
    }

    #[inline(always)]
    fn silence_of(&self, slot: &Slot<C>, limit: &impl Fn(&C) -> Option<Duration>) -> Tick {
        let limit = slot.command.as_ref().map_or(Some(P::PATIENCE), limit);
        // The system takes bytes long before they arrive: what took its time to leave may take as
        // long to get there.
        let is_sent = slot.end <= self.total_written;
        let (start, first, last) = self.upload;
        let uploaded = is_sent && slot.start == start;
        let on_its_way = if uploaded { last.since(first) } else { Duration::ZERO };
        let since = self.last_progress.max(slot.since);
        limit.map_or(Tick::NEVER, |limit| since.after(limit.saturating_add(on_its_way)))
    }

    /// The earliest time that `of` finds for a command in flight.
    pub fn earliest(&self, of: impl Fn(&C) -> Tick) -> Tick {
        let mut earliest = Tick::NEVER;
        self.in_flight.visit(|slot| {
            if let Some(command) = &slot.command {
                earliest = earliest.min(of(command));
            }
        });
        earliest
    }

    /// Empties the pipeline of a connection that is given up.
    pub fn abandon(&mut self) -> Vec<Abandoned<C>> {
        let mut all = Vec::new();
        let written = self.total_written;
        self.in_flight.rebuild(|slot| {
            let sent = slot.end <= written;
            all.extend(slot.command.map(|command| Abandoned { command, sent }));
            None
        });
        (self.weight, self.orphans) = (0, 0);
        all
    }
}
