//! The thread behind `submit`: it sends what any thread submits and completes the futures.
//!
//! The interpreter is taken once for all replies of a turn, and not while bytes are moved.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::{Attempts, Command};
use spikewire_aerospike::transport::native::{Native, Receiver};
use spikewire_aerospike::transport::permits::{Permit, Permits, Refused};
use spikewire_aerospike::transport::{Aerospike, Next, Outcome, Reply};
use spikewire_aerospike::{Error, Kind};

use super::ticket::{Owner, Promise, Ticket};
use crate::bridge::background::Background;
use crate::bridge::driver_thread;
use crate::bridge::errors::raise;
use crate::bridge::future::{CompletedBy, FutureBase};
use crate::bridge::gil_fairness;
use crate::bridge::promise::{Completes as _, Pending};
use crate::bridge::signal::detached;
use crate::call::Call;
use crate::errors::to_python;
use crate::many::BatchCall;

/// What was needed for a burst of large replies beyond this (bytes) is given back.
const KEEP: usize = 1 << 20;

/// A client's thread for submitted calls.
pub struct Submitter {
    number: usize,
    cluster: Arc<Cluster>,
    permits: Arc<Permits>,
    native: Native<Ticket>,
}

/// Whether a call may be sent.
enum Entry {
    In(Option<Permit>),
    /// There was no room before the call's deadline.
    Late,
}

impl fmt::Debug for Submitter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Submitter({})", self.number)
    }
}

impl Submitter {
    /// Starts the thread.
    pub fn start(cluster: Arc<Cluster>, limit: usize) -> io::Result<Self> {
        static NUMBERS: AtomicUsize = AtomicUsize::new(1);
        let number = NUMBERS.fetch_add(1, Relaxed);
        let gather = TurnOutcomes { number, done: vec![], bodies: vec![] };
        // The window bounds what can wait for a node, and it makes callers wait, not fail.
        let native = Native::start_with(cluster.clone(), usize::MAX, gather)?;
        Ok(Self { number, cluster, permits: Permits::new(limit), native })
    }

    /// Takes a call and returns its future; waits for room if there is none.
    pub fn submit<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        let Call { bytes, target, policy, plan } = call;
        let start = Tick::now();
        let deadline = spikewire_aerospike::command::deadline(&policy, start);
        let entry = self.enter(py, deadline)?;
        let future =
            FutureBase::create(py, CompletedBy { number: self.number, raise: raise::<Error> })?;
        let Entry::In(permit) = entry else {
            FutureBase::settle(&future, plan.finish(py, Err(self.full())));
            return Ok(future.into_any());
        };
        let promise = Promise::own(Pending::new(&future, permit));
        let ticket = Ticket::One { promise, plan, sent: gil_fairness::command_sent() };
        let command = Command::new(bytes, target, policy, start, ticket);
        drop(self.native.submit(command));
        Ok(future.into_any())
    }

    /// Takes a batch and returns its future; waits for room if there is none.
    pub fn submit_many<'py>(
        &self,
        py: Python<'py>,
        call: BatchCall,
    ) -> PyResult<Bound<'py, PyAny>> {
        let entry = self.enter(py, call.rows.deadline())?;
        let future =
            FutureBase::create(py, CompletedBy { number: self.number, raise: raise::<Error> })?;
        let Entry::In(permit) = entry else {
            FutureBase::settle(&future, Err(to_python(py, &self.full(), None)));
            return Ok(future.into_any());
        };
        let promise = Promise::own(Pending::new(&future, permit));
        // What comes too late is dropped, which completes the future.
        drop(self.native.submit_all(Owner::start(self.cluster.clone(), promise, call)));
        Ok(future.into_any())
    }

    /// The right to send one call. On a driver's own thread it needs no permit: waiting there would
    /// hold up those who make room, and a callback that submits follows on a call that has just
    /// ended.
    fn enter(&self, py: Python<'_>, deadline: Tick) -> PyResult<Entry> {
        if driver_thread::is_any() {
            return Ok(Entry::In(None));
        }
        if let Some(permit) = self.permits.enter() {
            return Ok(Entry::In(Some(permit)));
        }
        let entered = detached(py, |interrupted| self.permits.wait(deadline, interrupted))?;
        match entered {
            Ok(permit) => Ok(Entry::In(Some(permit))),
            Err(Refused::Late) => Ok(Entry::Late),
            Err(Refused::Closed | Refused::Interrupted) => {
                let error = Error::new(Kind::Closed, "the client was closed");
                Err(to_python(py, &error, None))
            }
        }
    }

    fn full(&self) -> Error {
        let message = format!(
            "not sent before the timeout: {} submitted calls are in flight, which is the client's \
             limit (submit_limit)",
            self.permits.limit()
        );
        Error::new(Kind::Timeout, message)
    }
}

impl Background for Submitter {
    /// After the callbacks under way; pending futures fail.
    fn end(&self) {
        self.permits.close();
        self.native.close();
    }
}

/// Keeps the outcomes of a turn until it is over, then completes their futures together.
struct TurnOutcomes {
    number: usize,
    done: Vec<Done>,
    bodies: Vec<u8>,
}

struct Done {
    ticket: Ticket,
    /// Where the reply is among the bodies.
    outcome: Result<(Range<usize>, Arc<Node>, Attempts), Error>,
}

impl Receiver<Aerospike, Ticket> for TurnOutcomes {
    /// Callbacks are Python code, which counts on as much as a main thread has.
    const STACK: usize = 8 << 20;

    fn live(mut self, work: impl FnOnce(&mut Self) + Send) {
        driver_thread::begin(self.number);
        // The thread has one interpreter state all its life.
        Python::try_attach(|py| py.detach(|| work(&mut self)));
    }

    fn take(&mut self, ticket: Ticket, outcome: Outcome<'_>, _: &mut Next<Ticket>) {
        let outcome = outcome.map(|reply| {
            let start = self.bodies.len();
            self.bodies.extend_from_slice(reply.body);
            (start..self.bodies.len(), reply.node.clone(), reply.attempts)
        });
        self.done.push(Done { ticket, outcome });
    }

    fn turned(&mut self, next: &mut Next<Ticket>) {
        if self.done.is_empty() {
            return;
        }
        let (done, bodies) = (&mut self.done, &self.bodies);
        let attached = Python::try_attach(|py| {
            for Done { ticket, outcome } in done.drain(..) {
                match &outcome {
                    Ok((range, node, attempts)) => {
                        let body = &bodies[range.clone()];
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
