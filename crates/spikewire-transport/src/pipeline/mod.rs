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
//!
//! | module | contents |
//! |---|---|
//! | here | its state, and what there is to ask about it |
//! | `outbound`, `inbound` | the way down, from a request to the socket; the way up, from there to its command |
//! | `in_flight` | the requests in flight, in order or by id |
//! | `plain` | frames that were sealed |
//! | `expiry` | commands that nobody waits for any more |

mod expiry;
mod in_flight;
mod inbound;
mod outbound;
mod plain;

use std::collections::VecDeque;
use std::time::Duration;

use self::in_flight::{Ids, InFlight};
pub use self::inbound::{Arrival, Inbound};
pub use self::outbound::{Composed, Request};
use crate::clock::Tick;
use crate::health::ReplyTimes;
use crate::keys::{OrderKey, Unanswered};
use crate::protocol::Protocol;

/// A command given up.
#[derive(Debug)]
pub struct AbandonedCommand<C> {
    /// The command.
    pub command: C,
    /// Whether the whole request was sent, so that it may be executed.
    pub sent: bool,
}

/// How often what arrives is observed. Silence that lasted longer always is.
const OBSERVE_EVERY: Duration = Duration::from_millis(2);

/// What arrived says about how busy the node is.
#[derive(Debug, Clone, Copy)]
pub struct Observation {
    /// The weight of what was in flight before.
    pub weight: usize,
    /// When the request about one record was queued that was answered last, if one was.
    pub answered: Option<Tick>,
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
    /// Bytes of requests that were withdrawn before they were written.
    withdrawn: u64,
    in_flight: InFlight<C>,
    weight: usize,
    unanswered: Unanswered,
    orphans: usize,
    draining: bool,
    last_progress: Tick,
    reply_times: ReplyTimes,
    /// What is being observed of what arrives, and from when on there is something to observe.
    observation: Option<Observation>,
    observes_at: Tick,
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
            withdrawn: 0,
            in_flight: InFlight::new(P::IDS.map(|count| Ids { first: P::FIRST_ID, count })),
            weight: 0,
            unanswered: Unanswered::default(),
            orphans: 0,
            draining: false,
            last_progress: now,
            reply_times: ReplyTimes::default(),
            observation: None,
            observes_at: Tick::default(),
            upload: (u64::MAX, now, now),
            writes: None,
        }
    }

    /// The same for a connection from which this has arrived already.
    pub(crate) fn with_inbound(self, inbound: Inbound<P>) -> Self {
        Self { inbound, ..self }
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

    /// Where the next request will begin, as [`Pipeline::is_unsent`] understands it.
    pub fn end(&self) -> u64 {
        self.total_written + (self.out.len() - self.written) as u64 + self.withdrawn
    }

    /// Whether no byte of the request that began there was written. `committed` bytes after the
    /// written ones count as written. Requests withdrawn later may make it `false` too early.
    pub fn is_unsent(&self, position: u64, committed: usize) -> bool {
        self.total_written + committed as u64 + self.withdrawn <= position
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

    /// Whether what arrived last is observed.
    #[inline(always)]
    pub fn observes(&self) -> bool {
        self.observation.is_some()
    }

    /// What was observed since the last call, if anything was.
    pub fn take_observation(&mut self) -> Option<Observation> {
        self.observation.take()
    }

    /// What arrives next is observed, however soon that is.
    pub fn observe_next(&mut self) {
        self.observes_at = Tick::default();
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
}
