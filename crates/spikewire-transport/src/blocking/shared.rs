//! One multiplexer for many calling threads.
//!
//! The first caller is the leader: it waits for all connections, takes every reply, wakes the
//! callers that have all of theirs, and passes leadership on when its own commands are completed.
//! The followers write their requests themselves, unless the leader is awake and about to, and
//! sleep until their last reply has arrived. So a call costs its thread one sleep, and requests
//! submitted while a connection awaits replies share the next write.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use spikewire_sync::atomic::{AtomicUsize, Ordering::Relaxed};
use spikewire_sync::{Mutex, MutexGuard, thread};

use super::signals::{CallerLimits, SignalCheck};
use super::waiter::{SharedTicket, Waiter};
use super::{BlockingTicket, no_descriptor};
use crate::clock::Tick;
use crate::fault::Fault;
use crate::multiplexer::{Multiplexer, Poller, REVALIDATE_AFTER_IDLE};
use crate::protocol::{CommandOf, Protocol};
use crate::reply::Outcome;

/// How long an overdue follower waits before it checks again.
const OVERDUE_RECHECK: Duration = Duration::from_millis(1);

/// The longest wait of a leader, because closing a client does not wake it.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Takes the outcome of a command.
type Deliver<'a, P, T> = &'a mut dyn FnMut(SharedTicket<T>, Outcome<'_, P>);

/// The connections shared by all callers.
#[derive(Debug)]
pub(super) struct SharedMultiplexer<P: Protocol, T> {
    inner: Arc<Inner<P, T>>,
}

#[derive(Debug)]
struct Inner<P: Protocol, T> {
    topology: Arc<P::Topology>,
    /// `None` until the first call. Never locked while waiting for the network.
    multiplexer: Mutex<Option<Multiplexer<P, SharedTicket<T>>>>,
    /// Held by the leader for as long as it leads.
    lead: Mutex<Lead>,
    queue: Mutex<CallerQueue<P, T>>,
    callers: AtomicUsize,
}

/// What the leader waits with.
#[derive(Debug, Default)]
struct Lead {
    poller: Option<Poller>,
    /// When the latest leader finished.
    ended: Tick,
}

#[derive(Debug)]
struct CallerQueue<P: Protocol, T> {
    has_leader: bool,
    /// Requests not submitted yet.
    commands: Vec<CommandOf<P, SharedTicket<T>>>,
    /// All callers, latest last.
    callers: Vec<Arc<Waiter<T>>>,
}

impl<P: Protocol, T: BlockingTicket<P>> SharedMultiplexer<P, T> {
    pub fn new(topology: Arc<P::Topology>) -> Self {
        let queue = CallerQueue { has_leader: false, commands: Vec::new(), callers: Vec::new() };
        Self {
            inner: Arc::new(Inner {
                topology,
                multiplexer: Mutex::default(),
                lead: Mutex::default(),
                queue: Mutex::new(queue),
                callers: AtomicUsize::new(0),
            }),
        }
    }

    /// Whether there is no caller at the moment.
    pub fn is_idle(&self) -> bool {
        self.inner.callers.load(Relaxed) == 0
    }

    /// Sends commands, at least one, and waits until all are completed.
    pub fn run(
        &self,
        commands: impl ExactSizeIterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        take: impl FnMut(T),
    ) -> Result<(), Fault> {
        let inner = &*self.inner;
        let waiter = Waiter::new(commands.len());
        let shared = |ticket| SharedTicket { ticket, waiter: waiter.clone() };
        inner.callers.fetch_add(1, Relaxed);
        let leads = {
            let mut queue = inner.queue.lock();
            queue.commands.extend(commands.filter_map(|command| command.map(shared)));
            queue.enter(&waiter)
        };
        if !leads {
            inner.submit();
        }
        let outcome = inner.attend(&waiter, limits);
        if outcome.is_err() {
            waiter.withdraw();
            inner.expire();
        }
        inner.leave(&waiter);
        inner.callers.fetch_sub(1, Relaxed);
        waiter.take(take);
        outcome
    }

    /// Maintains the connections.
    pub fn maintain(&self, now: Tick) {
        if let Some(slot) = self.inner.multiplexer.try_lock() {
            work(slot, |multiplexer, mut deliver| multiplexer.expire(now, &mut deliver));
        }
        self.inner.submit();
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        work(self.inner.multiplexer.lock(), |multiplexer, mut deliver| {
            multiplexer.close(&mut deliver);
        });
        self.inner.submit();
    }
}

impl<P: Protocol, T> Drop for SharedMultiplexer<P, T> {
    /// In a forked child, a thread of the parent may have been using this during the fork: what it
    /// held is then leaked.
    fn drop(&mut self) {
        let Inner { multiplexer, lead, queue, .. } = &*self.inner;
        let held = multiplexer.try_lock().is_none()
            || lead.try_lock().is_none()
            || queue.try_lock().is_none();
        if held {
            std::mem::forget(self.inner.clone());
        }
    }
}

impl<P: Protocol, T> CallerQueue<P, T> {
    /// Adds a caller; returns whether it leads.
    fn enter(&mut self, waiter: &Arc<Waiter<T>>) -> bool {
        self.callers.push(waiter.clone());
        let leads = !std::mem::replace(&mut self.has_leader, true);
        if leads {
            waiter.make_leader();
        }
        leads
    }
}

impl<P: Protocol, T: BlockingTicket<P>> Inner<P, T> {
    /// Runs a caller as leader or follower until all its commands are completed.
    fn attend(&self, waiter: &Arc<Waiter<T>>, limits: CallerLimits<'_>) -> Result<(), Fault> {
        let mut signals = SignalCheck::new(limits.interrupted, Tick::now());
        while !waiter.is_done() {
            if waiter.is_leader() {
                self.lead(waiter, &mut signals)?;
            } else {
                self.follow(waiter, limits.deadline, &signals);
            }
            if !waiter.is_done() && signals.is_due(Tick::now()) {
                // Others must not wait for a signal handler, in particular one that makes a call
                // itself.
                self.leave(waiter);
                signals.look()?;
                self.queue.lock().enter(waiter);
            }
        }
        Ok(())
    }

    /// Waits for all replies until the leader's own have arrived, or until it is time to check for
    /// signals.
    fn lead(&self, waiter: &Arc<Waiter<T>>, signals: &mut SignalCheck<'_>) -> Result<(), Fault> {
        let mut lead = self.lead.lock();
        let Lead { poller, ended } = &mut *lead;
        if let Some(poller) = poller
            && ended.after(REVALIDATE_AFTER_IDLE) <= Tick::now()
        {
            // If the poll fails, the next wait reports it.
            let _ = poller.wait(Some(Duration::ZERO));
        }
        loop {
            let (now, wait) = self.turn(poller)?;
            self.submit();
            *ended = now;
            if waiter.is_done() || signals.is_due(now) {
                return Ok(());
            }
            let Some(poller) = poller else { continue };
            match poller.wait(Some(signals.bound(wait.min(LONGEST_WAIT)))) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => signals.hurry(),
                Err(error) => return Err(no_descriptor(&error)),
            }
        }
    }

    /// Takes what has arrived and sends what is queued. Returns how long to wait at most until the
    /// next call.
    fn turn(&self, poller: &mut Option<Poller>) -> Result<(Tick, Duration), Fault> {
        let mut slot = self.multiplexer.lock();
        if slot.is_none() {
            let new = Multiplexer::new(self.topology.clone());
            let mut new = new.map_err(|error| no_descriptor(&error))?;
            new.share();
            *slot = Some(new);
        }
        let wait = work(slot, |multiplexer, mut deliver| {
            let now = match poller {
                Some(poller) => multiplexer.handle(poller, &mut deliver),
                none => {
                    *none = multiplexer.detach_poller();
                    Tick::now()
                }
            };
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut deliver);
            }
            self.take_in(multiplexer, now, deliver);
            (now, multiplexer.alarm().since(now))
        });
        Ok(wait.unwrap_or_default())
    }

    /// Sends what is queued, unless another thread is doing so, which will check again.
    fn submit(&self) {
        while !self.queue.lock().commands.is_empty() {
            let Some(slot) = self.multiplexer.try_lock() else { return };
            if slot.is_none() {
                // The first leader is about to create it.
                return;
            }
            work(slot, |multiplexer, deliver| self.take_in(multiplexer, Tick::now(), deliver));
        }
    }

    fn take_in(
        &self,
        multiplexer: &mut Multiplexer<P, SharedTicket<T>>,
        now: Tick,
        mut deliver: Deliver<'_, P, T>,
    ) {
        let commands = std::mem::take(&mut self.queue.lock().commands);
        if !commands.is_empty() {
            for command in commands {
                multiplexer.submit(command, now);
            }
            multiplexer.flush(now, &mut deliver);
        }
    }

    /// Waits until all replies have arrived, this thread becomes the leader, or it is time to check
    /// for signals.
    fn follow(&self, waiter: &Waiter<T>, deadline: Tick, signals: &SignalCheck<'_>) {
        loop {
            let now = Tick::now();
            if waiter.is_needed() || signals.is_due(now) {
                return;
            }
            let span = if deadline <= now {
                self.expire();
                OVERDUE_RECHECK
            } else {
                deadline.since(now)
            };
            match signals.bound(span) {
                Duration::MAX => thread::park(),
                span => thread::park_timeout(span),
            }
        }
    }

    /// Ends what is overdue or withdrawn.
    fn expire(&self) {
        work(self.multiplexer.lock(), |multiplexer, mut deliver| {
            let now = Tick::now();
            self.take_in(multiplexer, now, deliver);
            multiplexer.expire(now, &mut deliver);
        });
        self.submit();
    }

    /// Removes a caller from the list. If it leads, the latest waiting caller becomes the leader,
    /// because that one will lead for the longest.
    fn leave(&self, waiter: &Arc<Waiter<T>>) {
        let mut queue = self.queue.lock();
        queue.callers.retain(|other| !Arc::ptr_eq(other, waiter));
        if waiter.resign() {
            let next = queue.callers.iter().rev().find(|other| !other.is_done()).cloned();
            queue.has_leader = next.is_some();
            if let Some(next) = next {
                next.make_leader();
                drop(queue);
                next.wake();
            }
        }
    }
}

/// Uses the multiplexer, unlocks it, and wakes the callers that are done.
fn work<P: Protocol, T: BlockingTicket<P>, R>(
    mut slot: MutexGuard<'_, Option<Multiplexer<P, SharedTicket<T>>>>,
    work: impl FnOnce(&mut Multiplexer<P, SharedTicket<T>>, Deliver<'_, P, T>) -> R,
) -> Option<R> {
    let mut done = Vec::new();
    let mut deliver =
        |ticket: SharedTicket<T>, outcome: Outcome<'_, P>| done.extend(ticket.complete(outcome));
    let result = slot.as_mut().map(|multiplexer| work(multiplexer, &mut deliver));
    drop(slot);
    done.iter().for_each(|waiter: &Arc<Waiter<T>>| waiter.wake());
    result
}
