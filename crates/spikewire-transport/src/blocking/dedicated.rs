//! Multiplexers that are used by one caller at a time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use spikewire_sync::Mutex;

use super::signals::{CallerLimits, SignalCheck};
use super::{BlockingTicket, Caller, no_descriptor};
use crate::clock::Tick;
use crate::fault::Fault;
use crate::multiplexer::{Multiplexer, Poller, REVALIDATE_AFTER_IDLE};
use crate::protocol::{CommandOf, Protocol};
use crate::reply::Outcome;
use crate::topology::Topology as _;

/// How long a read waits for a reply before its caller looks at signals, and at how long the node has
/// been silent: a little longer than the shortest silence that makes it suspected.
const LONGEST_READ: Duration = Duration::from_millis(32);

/// How many idle multiplexers are kept.
const KEEP: usize = 64;

/// The idle multiplexers, and how many are in use.
#[derive(Debug)]
pub(super) struct DedicatedMultiplexers<P: Protocol, T> {
    topology: Arc<P::Topology>,
    /// How many callers that could use the shared multiplexer may use one at a time.
    most: AtomicUsize,
    pool: Mutex<IdleMultiplexers<P, T>>,
}

#[derive(Debug)]
struct IdleMultiplexers<P: Protocol, T> {
    /// The last one was used last and is taken first.
    idle: Vec<Box<DedicatedMultiplexer<P, T>>>,
    /// In use by callers that could use the shared multiplexer.
    in_use: usize,
}

/// A multiplexer and its poller.
#[derive(Debug)]
pub(super) struct DedicatedMultiplexer<P: Protocol, T> {
    multiplexer: Multiplexer<P, T>,
    poller: Poller,
    last_used: Tick,
}

impl<P: Protocol, T: BlockingTicket<P>> DedicatedMultiplexers<P, T> {
    pub fn new(topology: Arc<P::Topology>) -> Self {
        let most = AtomicUsize::new(topology.dedicated_callers());
        let pool = Mutex::new(IdleMultiplexers { idle: Vec::new(), in_use: 0 });
        Self { topology, most, pool }
    }

    /// A multiplexer that no other caller uses; `None` if as many are in use as the topology allows.
    /// A caller that must be alone always gets one.
    pub fn take(&self, alone: bool) -> Option<Result<Box<DedicatedMultiplexer<P, T>>, Fault>> {
        let idle = {
            let mut pool = self.pool.lock();
            if !alone {
                if pool.in_use >= self.most.load(Relaxed) {
                    return None;
                }
                pool.in_use += 1;
            }
            pool.idle.pop()
        };
        let multiplexer = match idle {
            Some(idle) => Ok(idle),
            None => DedicatedMultiplexer::new(self.topology.clone()).map(Box::new),
        };
        if multiplexer.is_err() && !alone {
            self.pool.lock().in_use -= 1;
        }
        Some(multiplexer.map_err(|error| no_descriptor(&error)))
    }

    /// Returns a multiplexer; it is dropped with its connections unless `reusable`.
    pub fn give_back(&self, used: Box<DedicatedMultiplexer<P, T>>, alone: bool, reusable: bool) {
        let mut pool = self.pool.lock();
        if !alone {
            pool.in_use -= 1;
        }
        if reusable && pool.idle.len() < KEEP {
            pool.idle.push(used);
            return;
        }
        drop(pool);
        drop(used);
    }

    /// Maintains the connections that no caller uses.
    pub fn maintain(&self, now: Tick) {
        // Nodes have come or gone.
        self.most.store(self.topology.dedicated_callers(), Relaxed);
        let mut idle = std::mem::take(&mut self.pool.lock().idle);
        for dedicated in &mut idle {
            dedicated.maintain(now);
        }
        // Those returned in the meantime were used last.
        let mut pool = self.pool.lock();
        idle.append(&mut pool.idle);
        pool.idle = idle;
    }

    /// Closes the connections that no caller uses.
    pub fn close(&self) {
        let idle = std::mem::take(&mut self.pool.lock().idle);
        drop(idle);
    }
}

impl<P: Protocol, T: BlockingTicket<P>> DedicatedMultiplexer<P, T> {
    fn new(topology: Arc<P::Topology>) -> io::Result<Self> {
        let mut multiplexer = Multiplexer::new(topology)?;
        let poller = multiplexer.detach_poller();
        let poller = poller.ok_or_else(|| io::Error::other("a new multiplexer has a poller"))?;
        Ok(Self { multiplexer, poller, last_used: Tick::now() })
    }

    /// Sends commands and waits until all are completed.
    pub fn run(
        &mut self,
        commands: impl Iterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        closed: &AtomicBool,
        caller: &mut impl Caller<P, T>,
    ) -> Result<(), Fault> {
        let Self { multiplexer, poller, last_used } = self;
        let mut now = limits.now;
        if last_used.after(REVALIDATE_AFTER_IDLE) <= now {
            look(multiplexer, poller, &mut deliver_to(caller));
        }
        for command in commands {
            multiplexer.submit(command, now);
        }
        multiplexer.flush(now, &mut deliver_to(caller));
        let mut signals = SignalCheck::new(limits.interrupted, now);
        let mut in_turns = true;
        while multiplexer.in_flight() > 0 {
            if closed.load(Relaxed) {
                multiplexer.close(&mut deliver_to(caller));
                break;
            }
            if multiplexer.alarm() <= now {
                look(multiplexer, poller, &mut deliver_to(caller));
                multiplexer.expire(now, &mut deliver_to(caller));
                if multiplexer.in_flight() == 0 {
                    break;
                }
            }
            if caller.sends_at() <= now {
                for command in caller.more(now) {
                    multiplexer.submit(command, now);
                }
                multiplexer.flush(now, &mut deliver_to(caller));
            }
            let waited;
            // Reads may end late.
            let awaited = if limits.punctual {
                None
            } else {
                multiplexer.awaited(now, limits.deadline, LONGEST_READ)
            };
            let awaited = awaited.filter(|awaited| awaited.is_only || in_turns);
            let before = multiplexer.in_flight();
            (waited, now) = if let Some(awaited) = awaited {
                multiplexer.wait_in_read(awaited, &mut deliver_to(caller))
            } else {
                let wait = signals.bound(multiplexer.alarm().min(caller.sends_at()).since(now));
                let waited = poller.wait(Some(wait));
                (waited, multiplexer.handle(poller, &mut deliver_to(caller)))
            };
            if multiplexer.take_superseded() || caller.is_over() && multiplexer.in_flight() > 0 {
                multiplexer.expire(now, &mut deliver_to(caller));
            }
            // Others must not wait for a connection that is slow or has much data.
            in_turns &= multiplexer.in_flight() < before;
            match waited {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => signals.hurry(),
                Err(error) => return Err(no_descriptor(&error)),
            }
            if signals.is_due(now)
                && let Err(error) = signals.look()
            {
                multiplexer.close(&mut deliver_to(caller));
                return Err(error);
            }
        }
        *last_used = now;
        Ok(())
    }

    fn maintain(&mut self, now: Tick) {
        look(&mut self.multiplexer, &mut self.poller, &mut |_, _| {});
        self.multiplexer.expire(now, &mut |_, _| {});
    }
}

/// Completes tickets, which their caller takes.
#[inline(always)]
fn deliver_to<P: Protocol, T: BlockingTicket<P>>(
    caller: &mut impl Caller<P, T>,
) -> impl FnMut(T, Outcome<'_, P>) {
    |mut ticket, outcome| {
        ticket.complete(outcome);
        caller.take(ticket);
    }
}

/// Takes what has arrived, without waiting for more. If the poll fails, the next wait reports it.
fn look<P: Protocol, T: BlockingTicket<P>>(
    multiplexer: &mut Multiplexer<P, T>,
    poller: &mut Poller,
    deliver: &mut impl FnMut(T, Outcome<'_, P>),
) {
    let _ = poller.wait(Some(Duration::ZERO));
    multiplexer.handle(poller, deliver);
}
