//! The thread behind `submit`: it sends what any thread submits and completes the futures.
//!
//! It attaches to the interpreter once for all replies of a turn, and not while bytes are moved.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::prelude::*;
use spikewire_transport::driver::Next;
use spikewire_transport::keys::KeysInFlight;
use spikewire_transport::native::{Native, Receiver};
use spikewire_transport::permits::{Permit, PermitError, Permits};
use spikewire_transport::protocol::{CommandOf, ErrorOf, NodeOf};
use spikewire_transport::{
    Attempts, Fault, FaultKind, LoopDriver, OrderKey, Outcome, Protocol, Reply, Tick,
};

use super::background::{Background, BackgroundSlot};
use super::driver_thread;
use super::errors::{Raise, closed, raise};
use super::future::{CompletedBy, FutureBase};
use super::promise::{Completes, Pending, Promise};
use super::python_code::PythonCode;
use super::signal::detached;

/// Buffers that grew beyond this many bytes for a burst of large replies are freed.
const KEEP: usize = 1 << 20;

/// A client's thread for submitted calls.
pub struct Submitter<P: Protocol, T: Completes<P>> {
    number: usize,
    permits: Arc<Permits>,
    keys: Arc<KeysInFlight>,
    native: Native<P, T>,
}

/// A call that was let in: its future, and the promise to complete it, or why it is not sent.
pub struct SubmittedCall<'py, E: Raise> {
    pub future: Bound<'py, FutureBase>,
    pub promise: Result<Promise<E>, E>,
}

impl<P: Protocol, T: Completes<P> + 'static> Submitter<P, T>
where
    ErrorOf<P>: Raise,
    LoopDriver<P, T>: Send + Sync,
    TurnOutcomes<P, T>: Send,
{
    /// The client's thread, started on first use. At most `limit` calls are in flight at once.
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
        // The window bounds what can wait for a node, and makes callers wait instead of failing.
        let native = Native::start_with(topology, usize::MAX, gather)?;
        Ok(Self { number, permits: Permits::new(limit), keys: KeysInFlight::new(), native })
    }
}

impl<P: Protocol, T: Completes<P>> Submitter<P, T>
where
    ErrorOf<P>: Raise,
{
    /// Lets a call with this key in, waiting for a free place until its deadline. Fails with what a
    /// signal handler raises in the meantime, or if the client is closed.
    pub fn enter<'py>(
        &self,
        py: Python<'py>,
        deadline: Tick,
        key: OrderKey,
    ) -> PyResult<SubmittedCall<'py, ErrorOf<P>>> {
        let permit = self.permit(py, deadline)?;
        let by = CompletedBy { number: self.number, raise: raise::<ErrorOf<P>> };
        let future = FutureBase::create(py, by)?;
        let promise = match permit {
            Ok(permit) => Ok(Promise::own(Pending::new(&future, permit, self.keys.add(key)))),
            Err(DeadlinePassed) => Err(self.full()),
        };
        Ok(SubmittedCall { future, promise })
    }

    /// Sends a command of a call that was let in.
    pub fn send(&self, command: CommandOf<P, T>) {
        // If it comes too late it is dropped, which completes the future.
        drop(self.native.submit(command));
    }

    /// Sends the first commands of a procedure with several steps.
    pub fn send_all(&self, next: Next<P, T>) {
        drop(self.native.submit_all(next));
    }

    /// The permit to send one call. A driver's own thread needs none: waiting there would block
    /// those who free places, and a callback that submits follows a call that has just ended.
    fn permit(
        &self,
        py: Python<'_>,
        deadline: Tick,
    ) -> PyResult<Result<Option<Permit>, DeadlinePassed>> {
        if driver_thread::is_any() {
            return Ok(Ok(None));
        }
        if let Some(permit) = self.permits.enter() {
            return Ok(Ok(Some(permit)));
        }
        let permits = &self.permits;
        match detached(py, |interrupted| permits.wait(deadline, interrupted))? {
            Ok(permit) => Ok(Ok(Some(permit))),
            Err(PermitError::Late) => Ok(Err(DeadlinePassed)),
            Err(PermitError::Closed | PermitError::Interrupted) => Err(closed::<ErrorOf<P>>(py)),
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

/// Waits for a submitted call. An exception from a signal handler ends the call.
pub fn wait_for<'py>(future: &Bound<'py, FutureBase>) -> PyResult<Bound<'py, PyAny>> {
    let result = FutureBase::result(future, None);
    if !future.get().done() {
        FutureBase::cancel(future);
    }
    result
}

/// No place became free before the deadline of a call.
struct DeadlinePassed;

impl<P: Protocol, T: Completes<P>> fmt::Debug for Submitter<P, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Submitter({})", self.number)
    }
}

impl<P: Protocol, T: Completes<P> + 'static> Background for Submitter<P, T>
where
    Self: Send + Sync,
{
    /// Waits for callbacks in progress. Pending futures fail.
    fn end(&self) {
        self.permits.close();
        self.native.close();
    }

    fn has_in_flight(&self, key: OrderKey) -> bool {
        self.keys.contains(key)
    }
}

/// Collects the outcomes of a turn, then completes their futures together.
pub struct TurnOutcomes<P: Protocol, T> {
    number: usize,
    done: Vec<StoredOutcome<P, T>>,
    bodies: Vec<u8>,
}

struct StoredOutcome<P: Protocol, T> {
    ticket: T,
    outcome: Result<StoredReply<P>, ErrorOf<P>>,
}

/// A reply that is waiting for the interpreter.
struct StoredReply<P: Protocol> {
    /// The position of its body among all bodies.
    place: Range<usize>,
    node: Arc<NodeOf<P>>,
    attempts: Attempts,
}

impl<P: Protocol, T: Completes<P> + 'static> Receiver<P, T> for TurnOutcomes<P, T>
where
    Self: Send,
{
    /// Callbacks are Python code, which expects a stack as large as a main thread's.
    const STACK: usize = 8 << 20;

    fn live(mut self, work: impl FnOnce(&mut Self) + Send) {
        driver_thread::begin(self.number);
        // The thread keeps one interpreter state for its whole life.
        Python::try_attach(|py| py.detach(|| work(&mut self)));
    }

    fn take(&mut self, ticket: T, outcome: Outcome<'_, P>, _: &mut Next<P, T>) {
        let outcome = outcome.map(|reply| {
            let start = self.bodies.len();
            self.bodies.extend_from_slice(reply.body);
            let place = start..self.bodies.len();
            StoredReply { place, node: reply.node.clone(), attempts: reply.attempts }
        });
        self.done.push(StoredOutcome { ticket, outcome });
    }

    fn on_turn_end(&mut self, next: &mut Next<P, T>) {
        if self.done.is_empty() {
            return;
        }
        let (done, bodies) = (&mut self.done, &self.bodies);
        let attached = Python::try_attach(|py| {
            let _code = PythonCode::enter(py);
            for StoredOutcome { ticket, outcome } in done.drain(..) {
                match &outcome {
                    Ok(StoredReply { place, node, attempts }) => {
                        let body = &bodies[place.clone()];
                        let reply = Reply { body, node, attempts: *attempts };
                        ticket.complete(py, Ok(reply), next);
                    }
                    Err(error) => ticket.complete(py, Err(error.clone()), next),
                }
            }
        });
        if attached.is_none() {
            // The interpreter is gone. Its objects must not be touched.
            std::mem::forget(std::mem::take(done));
        }
        if self.bodies.capacity() > KEEP {
            self.bodies = Vec::new();
        } else {
            self.bodies.clear();
        }
    }
}
