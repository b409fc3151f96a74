//! The thread behind `submit`: it sends what any thread submits and completes the futures.
//!
//! The interpreter is taken once for all replies of a turn, and not while bytes are moved.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::prelude::*;
use spikewire_transport::driver::Next;
use spikewire_transport::native::{Native, Receiver};
use spikewire_transport::permits::{Permit, Permits, Refused};
use spikewire_transport::protocol::{CommandOf, ErrorOf, NodeOf};
use spikewire_transport::{Attempts, Fault, FaultKind, LoopDriver, Outcome, Protocol, Reply, Tick};

use super::background::{Background, BackgroundSlot};
use super::driver_thread;
use super::errors::{Raise, closed, raise};
use super::future::{CompletedBy, FutureBase};
use super::promise::{Completes, Pending, Promise};
use super::signal::detached;

/// What was needed for a burst of large replies beyond this (bytes) is given back.
const KEEP: usize = 1 << 20;

/// A client's thread for submitted calls.
pub struct Submitter<P: Protocol, T: Completes<P>> {
    number: usize,
    permits: Arc<Permits>,
    native: Native<P, T>,
}

/// A call on its way in: its future, and the promise to complete it, or why it is not sent.
pub struct Entry<'py, E: Raise> {
    pub future: Bound<'py, FutureBase>,
    pub promise: Result<Promise<E>, E>,
}

impl<P: Protocol, T: Completes<P> + 'static> Submitter<P, T>
where
    ErrorOf<P>: Raise,
    LoopDriver<P, T>: Send + Sync,
    TurnOutcomes<P, T>: Send,
{
    /// The thread in a client's place for it, started when it is the first time; no more than
    /// `limit` calls are in flight at once.
    pub fn of<'a>(
        py: Python<'_>,
        slot: &'a BackgroundSlot,
        topology: &Arc<P::Topology>,
        limit: usize,
    ) -> PyResult<&'a Self>
    where
        Self: Background,
    {
        slot.get_or_start(|| Self::start(topology.clone(), limit)).map_err(|error| {
            let message = format!("no thread to drive submitted calls: {error}");
            raise::<ErrorOf<P>>(py, Fault::new(FaultKind::Connection, message))
        })
    }

    fn start(topology: Arc<P::Topology>, limit: usize) -> io::Result<Self> {
        static NUMBERS: AtomicUsize = AtomicUsize::new(1);
        let number = NUMBERS.fetch_add(1, Relaxed);
        let gather = TurnOutcomes { number, done: vec![], bodies: vec![] };
        // The window bounds what can wait for a node, and it makes callers wait, not fail.
        let native = Native::start_with(topology, usize::MAX, gather)?;
        Ok(Self { number, permits: Permits::new(limit), native })
    }
}

impl<P: Protocol, T: Completes<P>> Submitter<P, T>
where
    ErrorOf<P>: Raise,
{
    /// Lets a call in; waits for room until its deadline. Raises what a signal handler raises
    /// meanwhile, and when the client is closed.
    pub fn enter<'py>(&self, py: Python<'py>, deadline: Tick) -> PyResult<Entry<'py, ErrorOf<P>>> {
        let permit = self.permit(py, deadline)?;
        let by = CompletedBy { number: self.number, raise: raise::<ErrorOf<P>> };
        let future = FutureBase::create(py, by)?;
        let promise = match permit {
            Ok(permit) => Ok(Promise::own(Pending::new(&future, permit))),
            Err(Late) => Err(self.full()),
        };
        Ok(Entry { future, promise })
    }

    /// Sends a command of a call that was let in.
    pub fn send(&self, command: CommandOf<P, T>) {
        // One that comes too late is dropped, which completes the future.
        drop(self.native.submit(command));
    }

    /// Sends what work of several steps begins with.
    pub fn send_all(&self, next: Next<P, T>) {
        drop(self.native.submit_all(next));
    }

    /// The right to send one call. On a driver's own thread it needs no permit: waiting there would
    /// hold up those who make room, and a callback that submits follows on a call that has just
    /// ended.
    fn permit(&self, py: Python<'_>, deadline: Tick) -> PyResult<Result<Option<Permit>, Late>> {
        if driver_thread::is_any() {
            return Ok(Ok(None));
        }
        if let Some(permit) = self.permits.enter() {
            return Ok(Ok(Some(permit)));
        }
        let permits = &self.permits;
        match detached(py, |interrupted| permits.wait(deadline, interrupted))? {
            Ok(permit) => Ok(Ok(Some(permit))),
            Err(Refused::Late) => Ok(Err(Late)),
            Err(Refused::Closed | Refused::Interrupted) => Err(closed::<ErrorOf<P>>(py)),
        }
    }

    fn full(&self) -> ErrorOf<P> {
        let message = format!(
            "not sent before the timeout: {} submitted calls are in flight, which is the client's \
             limit (submit_limit)",
            self.permits.limit()
        );
        Fault::new(FaultKind::Timeout, message).into()
    }
}

/// There was no room before a call's deadline.
struct Late;

impl<P: Protocol, T: Completes<P>> fmt::Debug for Submitter<P, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Submitter({})", self.number)
    }
}

impl<P: Protocol, T: Completes<P> + 'static> Background for Submitter<P, T>
where
    Self: Send + Sync,
{
    /// After the callbacks under way; pending futures fail.
    fn end(&self) {
        self.permits.close();
        self.native.close();
    }
}

/// Keeps the outcomes of a turn until it is over, then completes their futures together.
pub struct TurnOutcomes<P: Protocol, T> {
    number: usize,
    done: Vec<Done<P, T>>,
    bodies: Vec<u8>,
}

struct Done<P: Protocol, T> {
    ticket: T,
    outcome: Result<Kept<P>, ErrorOf<P>>,
}

/// A reply that waits for the interpreter.
struct Kept<P: Protocol> {
    /// Where it is among the bodies.
    place: Range<usize>,
    node: Arc<NodeOf<P>>,
    attempts: Attempts,
}

impl<P: Protocol, T: Completes<P> + 'static> Receiver<P, T> for TurnOutcomes<P, T>
where
    Self: Send,
{
    /// Callbacks are Python code, which counts on as much as a main thread has.
    const STACK: usize = 8 << 20;

    fn live(mut self, work: impl FnOnce(&mut Self) + Send) {
        driver_thread::begin(self.number);
        // The thread has one interpreter state all its life.
        Python::try_attach(|py| py.detach(|| work(&mut self)));
    }

    fn take(&mut self, ticket: T, outcome: Outcome<'_, P>, _: &mut Next<P, T>) {
        let outcome = outcome.map(|reply| {
            let start = self.bodies.len();
            self.bodies.extend_from_slice(reply.body);
            let place = start..self.bodies.len();
            Kept { place, node: reply.node.clone(), attempts: reply.attempts }
        });
        self.done.push(Done { ticket, outcome });
    }

    fn turned(&mut self, next: &mut Next<P, T>) {
        if self.done.is_empty() {
            return;
        }
        let (done, bodies) = (&mut self.done, &self.bodies);
        let attached = Python::try_attach(|py| {
            for Done { ticket, outcome } in done.drain(..) {
                match &outcome {
                    Ok(Kept { place, node, attempts }) => {
                        let body = &bodies[place.clone()];
                        let reply = Reply { body, node, attempts: *attempts };
                        ticket.complete(py, Ok(reply), next);
                    }
                    Err(error) => ticket.complete(py, Err(error.clone()), next),
                }
            }
        });
        if attached.is_none() {
            // The interpreter is gone, and its objects are not ours to touch.
            std::mem::forget(std::mem::take(done));
        }
        if self.bodies.capacity() > KEEP {
            self.bodies = Vec::new();
        } else {
            self.bodies.clear();
        }
    }
}
