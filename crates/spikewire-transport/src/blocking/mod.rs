//! Calling threads that drive connections themselves.
//!
//! Every call goes through a [`Multiplexer`](super::Multiplexer), so silence, retries, timeouts,
//! closing and the circuit breaker follow the same rules for all callers. Only who waits for the
//! network differs:
//!
//! - Few callers: each has its own multiplexer for the length of the call, so that a call is a
//!   write, a wait and a read without any other thread being involved.
//! - More callers: one multiplexer for all. One thread, the leader, reads for everyone.
//!
//! | file | contents |
//! |---|---|
//! | here | the choice between the two |
//! | `call` | a single command of a caller |
//! | `dedicated` | multiplexers used by one caller at a time |
//! | `shared` | the multiplexer shared by many callers; leader and followers |
//! | `waiter` | a follower, its replies, and how it is woken |
//! | `signals` | waiting, with regular checks for signals |

mod call;
mod dedicated;
#[cfg(all(test, loom))]
mod loom_tests;
mod shared;
mod signals;
mod waiter;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use self::call::{RareDetails, ReplyDetails, ReplyOrigin, Single};
use self::dedicated::DedicatedMultiplexers;
use self::shared::SharedMultiplexer;
pub use self::signals::{CallerLimits, pause};
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{Fault, FaultKind};
use crate::protocol::{CommandOf, ErrorOf, Protocol};
use crate::reply::Outcome;
use crate::upkeep_tasks::UpkeepTask;

/// The ticket of a blocking caller's command.
pub trait BlockingTicket<P: Protocol>: ResponseHandler {
    /// Stores the outcome; must be brief. May run on another caller's thread.
    fn complete(&mut self, outcome: Outcome<'_, P>);
}

/// The connections driven by calling threads.
#[derive(Debug)]
pub struct BlockingPool<P: Protocol, T> {
    dedicated: DedicatedMultiplexers<P, T>,
    shared: SharedMultiplexer<P, T>,
    closed: AtomicBool,
}

impl<P: Protocol, T: BlockingTicket<P>> BlockingPool<P, T> {
    /// A pool without connections; they are opened when commands need them.
    pub fn new(topology: &Arc<P::Topology>) -> Self {
        Self {
            dedicated: DedicatedMultiplexers::new(topology.clone()),
            shared: SharedMultiplexer::new(topology.clone()),
            closed: AtomicBool::new(false),
        }
    }

    /// Sends commands and waits for all of them; `take` gets their completed tickets. Fails if the
    /// caller was interrupted or there are no more file descriptors; `take` has then been called
    /// with the tickets completed so far.
    pub fn run(
        &self,
        commands: impl ExactSizeIterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        mut take: impl FnMut(T),
    ) -> Result<(), Fault> {
        if self.closed.load(Relaxed) {
            for command in commands {
                let fault = Fault::new(FaultKind::Closed, P::CLOSED);
                let error = command.attempts.annotate(ErrorOf::<P>::from(fault));
                let Some(mut ticket) = command.ticket.into_own() else { continue };
                ticket.complete(Err(error));
                take(ticket);
            }
            return Ok(());
        }
        let dedicated = if limits.alone || self.shared.is_idle() {
            self.dedicated.take(limits.alone)
        } else {
            None
        };
        let Some(dedicated) = dedicated else {
            return self.shared.run(commands, limits, take);
        };
        let mut multiplexer = dedicated?;
        let outcome = multiplexer.run(commands, limits, &self.closed, &mut take);
        let reusable = outcome.is_ok() && !self.closed.load(Relaxed);
        self.dedicated.give_back(multiplexer, limits.alone, reusable);
        outcome
    }

    /// Closes idle connections and those of nodes that left, if no caller is using them. To be
    /// called regularly.
    pub fn maintain(&self, now: Tick) {
        self.dedicated.maintain(now);
        self.shared.maintain(now);
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        self.closed.store(true, Relaxed);
        self.dedicated.close();
        self.shared.close();
    }
}

impl<P: Protocol, T: BlockingTicket<P>> UpkeepTask for BlockingPool<P, T>
where
    Self: Send + Sync,
{
    fn run_upkeep(&self, now: Tick) {
        self.maintain(now);
    }
}

fn no_descriptor(error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Connection, format!("could not create a poller for the call: {error}"))
}
