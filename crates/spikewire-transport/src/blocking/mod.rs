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
//! | here | a caller's commands, and the choice between the two |
//! | `dedicated` | multiplexers used by one caller at a time |
//! | `shared` | the multiplexer shared by many callers; leader and followers |
//! | `waiter` | a follower, its replies, and how it is woken |
//! | `signals` | waiting, with regular checks for signals |

mod dedicated;
#[cfg(all(test, loom))]
mod loom_tests;
mod shared;
mod signals;
mod waiter;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use self::dedicated::{DedicatedMultiplexer, DedicatedMultiplexers};
use self::shared::SharedMultiplexer;
pub use self::signals::{CallerLimits, pause};
use crate::attempts::Attempts;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{CommandError as _, Fault, FaultKind};
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol};
use crate::reply::Outcome;
use crate::shared_reads::ShareReads;
use crate::topology::Target as _;
use crate::upkeep_tasks::UpkeepTask;

/// The ticket of a blocking caller's command.
pub trait BlockingTicket<P: Protocol>: ResponseHandler {
    /// Stores the outcome; must be brief. May run on another caller's thread.
    fn complete(&mut self, outcome: Outcome<'_, P>);
}

/// A caller with commands in flight. Closures only take tickets.
pub trait Caller<P: Protocol, T> {
    /// Takes a completed ticket.
    fn take(&mut self, ticket: T);

    /// When it has more to send, unless its commands have ended by then.
    #[inline(always)]
    fn sends_at(&self) -> Tick {
        Tick::NEVER
    }

    /// What it sends now, when that time has come.
    fn more(&mut self, now: Tick) -> Vec<CommandOf<P, T>> {
        let _ = now;
        Vec::new()
    }

    /// Whether it needs no more replies. Its tickets are then withdrawn.
    #[inline(always)]
    fn is_over(&self) -> bool {
        false
    }
}

impl<P: Protocol, T, F: FnMut(T)> Caller<P, T> for F {
    #[inline(always)]
    fn take(&mut self, ticket: T) {
        self(ticket);
    }
}

/// The node that replied and the attempts it took, or an error.
type CallResult<P> = Result<(Arc<NodeOf<P>>, Attempts), ErrorOf<P>>;

/// The ticket of a caller with one command; holds a copy of its reply.
#[derive(Debug)]
pub struct Single<P: Protocol> {
    body: Vec<u8>,
    details: ReplyDetails,
    outcome: Option<CallResult<P>>,
}

/// Boxed because tickets are moved and few replies need it.
pub type ReplyDetails = Option<Box<RareDetails>>;

/// Additional data that few replies have.
#[derive(Debug, Default)]
pub struct RareDetails {
    /// The request, if the node did not execute it.
    pub returned: Option<Vec<u8>>,
    /// When the reply was delivered, while stages are timed.
    pub answered: Option<Tick>,
}

/// What is known of a reply besides its bytes.
#[derive(Debug)]
pub struct ReplyOrigin<P: Protocol> {
    /// The node that replied.
    pub node: Arc<NodeOf<P>>,
    /// The attempts it took.
    pub attempts: Attempts,
}

impl<P: Protocol> Single<P> {
    /// A ticket that puts the body of the reply into this buffer.
    #[inline(always)]
    pub fn new(body: Vec<u8>) -> Self {
        Self { body, details: None, outcome: None }
    }
}

impl<P: Protocol> ResponseHandler for Single<P> {
    fn returned(&mut self, request: Vec<u8>) {
        self.details.get_or_insert_default().returned = Some(request);
    }

    fn answered_at(&mut self, at: Tick) {
        self.details.get_or_insert_default().answered = Some(at);
    }
}

impl<P: Protocol> BlockingTicket<P> for Single<P> {
    #[inline(always)]
    fn complete(&mut self, outcome: Outcome<'_, P>) {
        self.outcome = Some(outcome.map(|reply| {
            self.body.clear();
            self.body.extend_from_slice(reply.body);
            (reply.node.clone(), reply.attempts)
        }));
    }
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

    /// Sends one command and waits until it has ended, including retries. `single` extracts the
    /// [`Single`] from the command's ticket. The reply is left in `body`, and additional data in
    /// `details`. `interrupted` is called when a signal may have arrived: it runs the signal
    /// handlers, and returns whether the caller gives up.
    #[inline(always)]
    pub fn call(
        &self,
        command: CommandOf<P, T>,
        now: Tick,
        body: &mut Vec<u8>,
        details: &mut ReplyDetails,
        interrupted: Option<&dyn Fn() -> bool>,
        single: impl Fn(T) -> Option<Single<P>>,
    ) -> Result<ReplyOrigin<P>, ErrorOf<P>> {
        let limits = CallerLimits {
            now,
            deadline: command.deadline,
            alone: false,
            punctual: false,
            interrupted,
        };
        // Reads of several threads meet where these share their connections.
        let together = command.target.shares() != ShareReads::Off;
        let mut completed = None;
        // By reference because a command is large: it is moved less often.
        let mut command = std::iter::once(command);
        let run = self.run_where(together, command.by_ref(), limits, |ticket| {
            if let Some(Single { body: filled, details: more, outcome }) = single(ticket) {
                *body = filled;
                *details = more;
                completed = outcome;
            }
        });
        match (run, completed) {
            (Ok(()), Some(outcome)) => {
                outcome.map(|(node, attempts)| ReplyOrigin { node, attempts })
            }
            (Ok(()), None) => {
                Err(Fault::new(FaultKind::Withdrawn, "the call was withdrawn").into())
            }
            // The command ended with the call, so whether it may have been applied is known by now.
            (Err(fault), Some(Err(ended))) => {
                let (attempts, in_doubt) = ended.tried();
                Err(ErrorOf::<P>::from(fault).after(attempts, in_doubt))
            }
            (Err(fault), _) => Err(fault.into()),
        }
    }

    /// Sends commands and waits for all of them; `take` gets their completed tickets. Fails if the
    /// caller was interrupted or there are no more file descriptors; `take` has then been called
    /// with the tickets completed so far.
    pub fn run(
        &self,
        commands: impl ExactSizeIterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        take: impl FnMut(T),
    ) -> Result<(), Fault> {
        self.run_where(false, commands, limits, take)
    }

    /// The same; on connections for all threads if it says so, or if there are many.
    fn run_where(
        &self,
        together: bool,
        commands: impl ExactSizeIterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        mut take: impl FnMut(T),
    ) -> Result<(), Fault> {
        if self.closed.load(Relaxed) {
            reject(commands, take);
            return Ok(());
        }
        let dedicated = if limits.alone || (self.shared.is_idle() && !together) {
            self.dedicated.take(limits.alone)
        } else {
            None
        };
        let Some(dedicated) = dedicated else {
            return self.shared.run(commands, limits, take);
        };
        self.run_dedicated(dedicated?, commands, limits, &mut take)
    }

    /// The same for a caller that may send more commands meanwhile, or need no more replies. It is
    /// always alone, so that nothing delays it.
    pub fn run_alone(
        &self,
        commands: impl Iterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        caller: &mut impl Caller<P, T>,
    ) -> Result<(), Fault> {
        if self.closed.load(Relaxed) {
            reject(commands, |ticket| caller.take(ticket));
            return Ok(());
        }
        let limits = CallerLimits { alone: true, ..limits };
        match self.dedicated.take(true) {
            Some(dedicated) => self.run_dedicated(dedicated?, commands, limits, caller),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn run_dedicated(
        &self,
        mut multiplexer: Box<DedicatedMultiplexer<P, T>>,
        commands: impl Iterator<Item = CommandOf<P, T>>,
        limits: CallerLimits<'_>,
        caller: &mut impl Caller<P, T>,
    ) -> Result<(), Fault> {
        let outcome = multiplexer.run(commands, limits, &self.closed, caller);
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

/// Fails commands because the pool is closed.
fn reject<P: Protocol, T: BlockingTicket<P>>(
    commands: impl Iterator<Item = CommandOf<P, T>>,
    mut take: impl FnMut(T),
) {
    for command in commands {
        let fault = Fault::new(FaultKind::Closed, P::CLOSED);
        let error = command.attempts.annotate(ErrorOf::<P>::from(fault));
        let Some(mut ticket) = command.ticket.into_own() else { continue };
        ticket.complete(Err(error));
        take(ticket);
    }
}

fn no_descriptor(error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Connection, format!("could not create a poller for the call: {error}"))
}
