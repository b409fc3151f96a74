//! Running a multiplexer on an event loop: when commands are written, what follows from their
//! outcomes, when the loop's timer is set, and how it all closes.
//!
//! A [`LoopDriver`] owns a multiplexer and requires two things of its loop ([`EventLoop`]). The
//! loop calls [`LoopDriver::turn`] when the multiplexer's descriptor is readable, and
//! [`LoopDriver::flush`] and [`LoopDriver::expire`] when it was asked to. The driver knows neither
//! the kind of loop nor what is completed.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{Fault, FaultKind};
use crate::multiplexer::Multiplexer;
use crate::protocol::{CommandOf, NodeOf, Protocol};
use crate::reply::Outcome;

/// What a driver requires of its event loop.
pub trait EventLoop {
    /// Requests a call of [`LoopDriver::flush`] soon, after the tasks that are ready to run. Not
    /// repeated until that call.
    fn flush_soon(&self);

    /// Requests a call of [`LoopDriver::expire`] at this time. Replaces a later time requested
    /// before.
    fn wake_at(&self, at: Tick);
}

/// The follow-up work of an outcome.
#[derive(Debug)]
pub struct Next<P: Protocol, T> {
    /// Commands to send next.
    pub commands: Vec<CommandOf<P, T>>,
    /// Tickets to deliver again, each at its time. Their outcome is an error that only says that
    /// the time has come.
    pub pauses: Vec<(Tick, T)>,
}

impl<P: Protocol, T> Default for Next<P, T> {
    fn default() -> Self {
        Self { commands: Vec::new(), pauses: Vec::new() }
    }
}

impl<P: Protocol, T> Next<P, T> {
    fn append(&mut self, mut other: Self) {
        self.commands.append(&mut other.commands);
        self.pauses.append(&mut other.pauses);
    }

    fn each_ticket(&self, look: &mut dyn FnMut(&T)) {
        self.commands.iter().for_each(|command| command.ticket.look(look));
        self.pauses.iter().for_each(|(_, ticket)| look(ticket));
    }

    /// Whether there is no follow-up work.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.pauses.is_empty()
    }
}

/// A multiplexer and the state needed to run it on an event loop. `deliver` is called for each
/// outcome; what it submits, directly or through [`Next`], is sent afterwards.
#[derive(Debug)]
pub struct LoopDriver<P: Protocol, T> {
    state: Mutex<DriverState<P, T>>,
    /// Submitted while the multiplexer was in use, or left for the next flush.
    inbox: Mutex<Next<P, T>>,
    closed: AtomicBool,
    /// Set while a flush is already due, so that nothing needs to request one.
    flush_due: AtomicBool,
    /// The time the loop's timer is set to.
    armed: AtomicU64,
    descriptor: RawFd,
}

#[derive(Debug)]
struct DriverState<P: Protocol, T> {
    multiplexer: Multiplexer<P, T>,
    pauses: Vec<(Tick, T)>,
    /// When the first of them ends.
    pause_ends: Tick,
    /// Commands submitted since the last flush.
    unwritten: usize,
    /// How many of them are written without waiting for the flush.
    burst: usize,
    /// Follow-up work or the contents of the inbox, until it is started. Empty between calls; kept
    /// to reuse its memory.
    next: Next<P, T>,
}

/// The least number of commands for which an early write pays.
const LEAST_BURST: usize = 16;

/// How many commands are written without waiting for more, if so many were in flight before the
/// replies that come now: with half of them, nodes work while the other half is composed.
fn burst_of<P: Protocol>(in_flight: usize) -> usize {
    if P::BURST == usize::MAX { P::BURST } else { (in_flight / 2).clamp(LEAST_BURST, P::BURST) }
}

/// What the driver was called for.
#[derive(Debug, Clone, Copy)]
enum Call {
    Turn(Option<Duration>),
    Flush,
    Expire,
}

impl<P: Protocol, T: ResponseHandler> LoopDriver<P, T> {
    /// A driver of this multiplexer.
    pub fn new(multiplexer: Multiplexer<P, T>) -> Self {
        let descriptor = multiplexer.as_raw_fd();
        Self {
            state: Mutex::new(DriverState {
                multiplexer,
                pauses: Vec::new(),
                pause_ends: Tick::NEVER,
                unwritten: 0,
                burst: P::BURST,
                next: Next::default(),
            }),
            inbox: Mutex::default(),
            closed: AtomicBool::new(false),
            flush_due: AtomicBool::new(false),
            armed: AtomicU64::new(Tick::NEVER.0),
            descriptor,
        }
    }

    /// Sends a command. If nothing is in flight it is written at once, since there is nothing to
    /// share a write with. Otherwise it is written by the next flush, or as soon as there are many.
    /// If the driver is being closed at this moment, the ticket is dropped without being completed,
    /// so dropping it must complete it.
    pub fn submit(
        &self,
        on: &impl EventLoop,
        command: CommandOf<P, T>,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) {
        let Some(mut state) = self.state.try_lock() else {
            // After closing, the command is dropped, which completes its ticket.
            drop(self.post(on, command));
            return;
        };
        // If a flush is due, tasks were just woken: what they submit shares its write.
        let alone = (state.multiplexer.in_flight() == 0 && !self.flush_due.load(SeqCst))
            || self.is_closed();
        state.multiplexer.submit(command, now);
        state.unwritten += 1;
        if alone || state.unwritten >= state.burst {
            if !alone {
                // Many submitted at once are few writes.
                state.burst = P::BURST.min(state.burst.saturating_mul(2));
            }
            state.flush(now, deliver);
        }
        let alarm = state.alarm();
        drop(state);
        if !alone {
            self.flush_soon(on);
        }
        self.arm(on, alarm);
    }

    /// Leaves a command to the next flush; from any thread. Returns it if the driver is closed.
    pub fn post(&self, on: &impl EventLoop, command: CommandOf<P, T>) -> Option<CommandOf<P, T>> {
        {
            let mut inbox = self.inbox.lock();
            if self.is_closed() {
                return Some(command);
            }
            inbox.commands.push(command);
        }
        self.flush_soon(on);
        None
    }

    /// Leaves the commands that start a batch to the next flush; from any thread. Returns them if
    /// the driver is closed.
    pub fn post_all(&self, on: &impl EventLoop, next: Next<P, T>) -> Option<Next<P, T>> {
        {
            let mut inbox = self.inbox.lock();
            if self.is_closed() {
                return Some(next);
            }
            inbox.append(next);
        }
        self.flush_soon(on);
        None
    }

    /// Leaves follow-up work to the next flush, which fails it if the driver is closed.
    pub fn submit_all(&self, on: &impl EventLoop, next: Next<P, T>) {
        if !next.is_empty() {
            self.inbox.lock().append(next);
            self.flush_soon(on);
        }
    }

    /// Waits up to `wait` for replies and delivers them. `Some(ZERO)` does not wait, `None` has no
    /// limit.
    pub fn turn(
        &self,
        on: &impl EventLoop,
        wait: Option<Duration>,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) -> io::Result<()> {
        self.work(on, Call::Turn(wait), deliver)
    }

    /// Writes what was submitted since the last flush.
    pub fn flush(
        &self,
        on: &impl EventLoop,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) {
        self.flush_due.store(false, SeqCst);
        let flushed = self.work(on, Call::Flush, deliver);
        debug_assert!(flushed.is_ok(), "nothing is waited for");
    }

    /// Fails what is overdue, and starts what was delayed until now.
    pub fn expire(
        &self,
        on: &impl EventLoop,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) {
        self.armed.store(Tick::NEVER.0, SeqCst);
        let expired = self.work(on, Call::Expire, deliver);
        debug_assert!(expired.is_ok(), "nothing is waited for");
    }

    /// Fails everything in flight and all follow-up work, until nothing is left. If outcomes are
    /// being delivered, this happens after them. A ticket whose pause ends like this cannot pause
    /// again: it is dropped, so dropping it must complete it.
    pub fn close(
        &self,
        on: &impl EventLoop,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) {
        self.mark_closed();
        match self.state.try_lock() {
            Some(mut state) => self.end(&mut state, deliver),
            // Whoever is using the driver checks when done, but may have checked just before.
            None => self.flush_soon(on),
        }
    }

    /// Closes at the end of the loop, which calls nothing any more. Must not be called from
    /// `deliver`.
    pub fn close_now(&self, deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>)) {
        self.mark_closed();
        self.end(&mut self.state.lock(), deliver);
    }

    /// Closes from another thread than the loop's: it happens in the next flush.
    pub fn close_soon(&self, on: &impl EventLoop) {
        self.mark_closed();
        self.flush_due.store(true, SeqCst);
        on.flush_soon();
    }

    /// Closes without a loop; returns what will not be sent any more.
    pub fn abandon(&self) -> Next<P, T> {
        self.mark_closed();
        std::mem::take(&mut self.inbox.lock())
    }

    fn mark_closed(&self) {
        // Holds the inbox, so that nothing is posted afterwards.
        let _inbox = self.inbox.lock();
        self.closed.store(true, SeqCst);
    }

    /// Calls `look` with all tickets that were not completed, in no particular order; it may see one
    /// twice. Those that another thread, or a caller of this one, is working with are left out.
    pub fn each_ticket(&self, look: &mut dyn FnMut(&T)) {
        if let Some(state) = self.state.try_lock() {
            state.multiplexer.each_ticket(look);
            state.pauses.iter().for_each(|(_, ticket)| look(ticket));
            state.next.each_ticket(look);
        }
        if let Some(inbox) = self.inbox.try_lock() {
            inbox.each_ticket(look);
        }
    }

    /// Calls `look` with the node of each connection, whether it is open, and the requests in flight
    /// on it; with none if another thread, or a caller of this one, is working with them.
    pub fn each_connection(&self, look: &mut dyn FnMut(&NodeOf<P>, bool, usize)) {
        if let Some(state) = self.state.try_lock() {
            state.multiplexer.each_connection(look);
        }
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// Whether a flush was requested and has not happened yet.
    pub fn is_flush_due(&self) -> bool {
        self.flush_due.load(SeqCst)
    }

    /// The time requested last.
    pub fn wakes_at(&self) -> Tick {
        Tick(self.armed.load(SeqCst))
    }

    fn flush_soon(&self, on: &impl EventLoop) {
        if !self.flush_due.swap(true, SeqCst) {
            on.flush_soon();
        }
    }

    /// Sets the loop's timer, unless it already fires early enough.
    fn arm(&self, on: &impl EventLoop, alarm: Tick) {
        if alarm.0 < self.armed.load(SeqCst) && alarm.0 < self.armed.fetch_min(alarm.0, SeqCst) {
            on.wake_at(alarm);
        }
    }

    fn work(
        &self,
        on: &impl EventLoop,
        call: Call,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) -> io::Result<()> {
        // From the first outcome on, nothing that comes in needs to request a flush: that is
        // decided at the end.
        let (mut was_due, mut completed) = (None, 0);
        let mut counted = |ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>| {
            if completed == 0 {
                was_due = Some(self.flush_due.swap(true, SeqCst));
            }
            completed += 1;
            deliver(ticket, outcome, next);
        };
        let (worked, shares, alarm) = {
            let mut state = self.state.lock();
            let worked = match call {
                Call::Turn(wait) => state.turn(wait, &mut counted),
                Call::Expire => {
                    state.expire(Tick::now(), &mut counted);
                    Ok(())
                }
                Call::Flush => Ok(()),
            };
            let mut shares = state.start_next();
            if matches!(call, Call::Flush) {
                std::mem::swap(&mut state.next, &mut *self.inbox.lock());
                state.start_next();
                completed += state.flush(Tick::now(), deliver);
            }
            if self.is_closed() {
                self.end(&mut state, deliver);
            }
            // The tasks just woken run before the flush, so their commands share its write.
            let in_flight = state.multiplexer.in_flight();
            shares |= completed > 1 || (completed == 1 && in_flight > 0);
            (worked, shares, state.alarm())
        };
        match was_due {
            Some(false) if shares => on.flush_soon(),
            None if shares => self.flush_soon(on),
            // A flush is already due, or there is nothing to write.
            Some(true) | None => {}
            Some(false) => {
                self.flush_due.store(false, SeqCst);
                if !self.inbox.lock().is_empty() {
                    self.flush_soon(on);
                }
            }
        }
        self.arm(on, alarm);
        worked
    }

    fn end(
        &self,
        state: &mut DriverState<P, T>,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) {
        loop {
            let DriverState { multiplexer, pauses, next, .. } = state;
            multiplexer.close(&mut |ticket, outcome| deliver(ticket, outcome, next));
            let mut after_pauses = Next::default();
            for (_, ticket) in std::mem::take(pauses) {
                let closed = Fault::new(FaultKind::Closed, "the client was closed");
                deliver(ticket, Err(closed.into()), &mut after_pauses);
            }
            // What a ticket waits for may be due in a driver that cannot go on before this ends.
            after_pauses.pauses.clear();
            next.append(after_pauses);
            next.append(std::mem::take(&mut *self.inbox.lock()));
            if !state.start_next() {
                state.pause_ends = Tick::NEVER;
                return;
            }
        }
    }
}

impl<P: Protocol, T: ResponseHandler> DriverState<P, T> {
    fn alarm(&self) -> Tick {
        self.multiplexer.alarm().min(self.pause_ends)
    }

    fn turn(
        &mut self,
        wait: Option<Duration>,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) -> io::Result<()> {
        let Self { multiplexer, next, burst, .. } = self;
        *burst = burst_of::<P>(multiplexer.in_flight());
        multiplexer.turn(wait, &mut |ticket, outcome| deliver(ticket, outcome, next))
    }

    /// Starts the follow-up work; returns whether there was any.
    #[inline]
    fn start_next(&mut self) -> bool {
        let some = !self.next.is_empty();
        if some {
            self.start(Tick::now());
        }
        some
    }

    fn start(&mut self, now: Tick) {
        for command in self.next.commands.drain(..) {
            self.multiplexer.submit(command, now);
        }
        for (at, ticket) in self.next.pauses.drain(..) {
            self.pause_ends = self.pause_ends.min(at);
            self.pauses.push((at, ticket));
        }
    }

    /// Writes what was submitted, and its follow-up work; returns the number of outcomes.
    fn flush(
        &mut self,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>),
    ) -> usize {
        let mut completed = 0;
        self.unwritten = 0;
        loop {
            let Self { multiplexer, next, .. } = self;
            multiplexer.flush(now, &mut |ticket, outcome| {
                completed += 1;
                deliver(ticket, outcome, next);
            });
            if !self.start_next() {
                return completed;
            }
        }
    }

    fn expire(&mut self, now: Tick, deliver: &mut impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>)) {
        let Self { multiplexer, next, pauses, pause_ends, .. } = self;
        if multiplexer.alarm() <= now {
            multiplexer.expire(now, &mut |ticket, outcome| deliver(ticket, outcome, next));
        }
        if *pause_ends <= now {
            let (ended, pending): (Vec<_>, _) =
                std::mem::take(pauses).into_iter().partition(|(at, _)| *at <= now);
            *pauses = pending;
            *pause_ends = pauses.iter().map(|(at, _)| *at).min().unwrap_or(Tick::NEVER);
            for (_, ticket) in ended {
                let over = Fault::new(FaultKind::Withdrawn, "the pause is over");
                deliver(ticket, Err(over.into()), next);
            }
        }
    }
}

impl<P: Protocol, T> AsRawFd for LoopDriver<P, T> {
    /// Readable when [`LoopDriver::turn`] has something to do.
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor
    }
}
