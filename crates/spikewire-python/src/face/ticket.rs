//! What a driver completes: the future of one call, or a part of a batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::intern;
use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_aerospike::admin::{AdminTicket, AdminWaiter};
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{BatchExecution, BatchOwner, BatchTicket};
use spikewire_aerospike::transport::permits::Permit;
use spikewire_aerospike::transport::{Next, Outcome, ResponseHandler};
use spikewire_aerospike::{Error, Kind};

use super::future::FutureBase;
use crate::admin::task::{AdminSlot, AdminValue};
use crate::call::ResponsePlan;
use crate::errors::to_python;
use crate::forks::forks;
use crate::gil_fairness::CommandGuard;
use crate::many::{BatchCall, BatchPlan, Window};

/// The future that a call's outcome goes to. It is completed in any case: one whose promise is
/// dropped, because a driver ended before its commands did, fails as closed.
pub(super) struct Promise {
    future: Completes,
    is_kept: AtomicBool,
    /// The process of the future.
    born: u32,
}

enum Completes {
    /// An event loop's, on its own thread.
    Loop(Py<PyAny>),
    /// Our own, for any thread.
    Own(Pending),
}

/// A submitted call's future, and its permit, which ends with it.
#[derive(Debug)]
pub(super) struct Pending {
    future: Py<FutureBase>,
    _permit: Option<Permit>,
}

impl Pending {
    pub fn new(future: &Bound<'_, FutureBase>, permit: Option<Permit>) -> Self {
        Self { future: future.clone().unbind(), _permit: permit }
    }
}

impl Promise {
    /// For a future of an event loop.
    pub fn on_loop(future: &Bound<'_, PyAny>) -> Self {
        Self::of(Completes::Loop(future.clone().unbind()))
    }

    /// For a submitted call's future.
    pub fn own(pending: Pending) -> Self {
        Self::of(Completes::Own(pending))
    }

    fn of(future: Completes) -> Self {
        Self { future, is_kept: AtomicBool::new(false), born: forks() }
    }

    /// Whether the call is still wanted. Needs no interpreter.
    fn starts(&self) -> bool {
        match &self.future {
            Completes::Loop(_) => true,
            Completes::Own(own) => own.future.get().starts(),
        }
    }

    fn is_done(&self, py: Python<'_>) -> bool {
        match &self.future {
            Completes::Loop(future) => is_done(future.bind(py)),
            Completes::Own(own) => own.future.get().done(),
        }
    }

    fn tell(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        self.is_kept.store(true, Relaxed);
        match &self.future {
            Completes::Loop(future) => tell(future.bind(py), outcome),
            Completes::Own(own) => FutureBase::settle(own.future.bind(py), outcome),
        }
    }

    /// Fails the future; from any thread.
    fn lose(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_done(py) {
            return Ok(());
        }
        let error = to_python(py, &Error::new(Kind::Closed, "the client was closed"), None);
        let future = match &self.future {
            Completes::Loop(future) => future.bind(py),
            Completes::Own(own) => {
                FutureBase::settle(own.future.bind(py), Err(error));
                return Ok(());
            }
        };
        let event_loop = future.call_method0("get_loop")?;
        // A loop that is closed has no task that could wait.
        if !event_loop.call_method0("is_closed")?.is_truthy()? {
            let fail = future.getattr("set_exception")?;
            event_loop.call_method1("call_soon_threadsafe", (fail, error.into_value(py)))?;
        }
        Ok(())
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if *self.is_kept.get_mut() || self.born != forks() {
            return;
        }
        Python::try_attach(|py| {
            // An error that is on its way up is not this one's.
            let pending = PyErr::take(py);
            if let Err(error) = self.lose(py) {
                error.write_unraisable(py, None);
            }
            if let Some(pending) = pending {
                pending.restore(py);
            }
        });
    }
}

/// What a command's outcome completes.
pub(super) enum Ticket {
    /// A future and what its reply becomes.
    One { promise: Promise, plan: ResponsePlan, sent: Option<CommandGuard> },
    /// One node's rows of a batch.
    Part(BatchTicket<Owner>),
    /// A question of an administrative command.
    Question(AdminTicket<Ticket>),
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        match self {
            Self::One { promise, .. } => promise.starts(),
            Self::Part(part) => part.owner().promise.starts(),
            Self::Question(_) => true,
        }
    }

    fn is_withdrawn(&self) -> bool {
        matches!(self, Self::Question(question) if question.is_withdrawn())
    }

    fn collect(&mut self, messages: &[u8]) {
        if let Self::Part(part) = self {
            part.collect(messages);
        }
    }
}

impl From<BatchTicket<Owner>> for Ticket {
    fn from(part: BatchTicket<Owner>) -> Self {
        Self::Part(part)
    }
}

impl From<AdminTicket<Ticket>> for Ticket {
    fn from(question: AdminTicket<Ticket>) -> Self {
        Self::Question(question)
    }
}

impl Ticket {
    /// Completes the future, or the part of a batch; what the batch sends next goes to `next`.
    pub fn complete(self, py: Python<'_>, outcome: Outcome<'_>, next: &mut Next<Self>) {
        match self {
            Self::One { promise, plan, sent: _sent } => promise.tell(py, plan.finish(py, outcome)),
            Self::Part(part) => part.complete(outcome, next),
            Self::Question(question) => question.complete(outcome, next),
        }
    }
}

fn tell(future: &Bound<'_, PyAny>, outcome: PyResult<Bound<'_, PyAny>>) {
    let py = future.py();
    let told = match outcome {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,)),
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error.into_value(py),)),
    };
    // A future that is done already was cancelled by its owner; the reply is not wanted.
    // Whatever else may go wrong here is not the engine's to handle: let Python report it.
    if let Err(error) = told
        && !is_done(future)
    {
        error.write_unraisable(py, Some(future));
    }
}

fn is_done(future: &Bound<'_, PyAny>) -> bool {
    let done = future.call_method0(intern!(future.py(), "done"));
    done.is_ok_and(|done| done.is_truthy().unwrap_or(false))
}

/// A batch's future, and what becomes of the rows.
pub(super) struct Owner {
    promise: Promise,
    /// Until they have become it.
    plan: Mutex<Option<BatchPlan>>,
}

impl Owner {
    /// Starts a batch; what it sends first goes to `next`.
    pub fn start(cluster: Arc<Cluster>, promise: Promise, call: BatchCall) -> Next<Ticket> {
        let BatchCall { rows, plan } = call;
        let owner = Self { promise, plan: Mutex::new(Some(plan)) };
        let mut next = Next::default();
        BatchExecution::start(cluster, owner, rows, &mut next);
        next
    }
}

impl BatchOwner for Owner {
    type Ticket = Ticket;

    fn window_done(&self, rows: Batch) -> Option<Batch> {
        // Taken out, as no lock may be held while a table's next rows are read: that may run
        // Python code.
        let mut plan = self.plan.lock().take()?;
        Python::attach(|py| {
            if plan.more.is_some() && self.promise.is_done(py) {
                // Cancelled: nothing waits for the rest.
                return None;
            }
            match plan.go_on(py, rows) {
                Ok(Window::Send(rows)) => {
                    *self.plan.lock() = Some(plan);
                    Some(rows)
                }
                Ok(Window::Finish(rows)) => {
                    self.promise.tell(py, plan.finish(py, rows));
                    None
                }
                Err(error) => {
                    self.promise.tell(py, Err(error));
                    None
                }
            }
        })
    }
}

/// The future of an administrative command; the task keeps what it gives.
pub(super) struct AdminPromise {
    promise: Promise,
    slot: Arc<AdminSlot>,
}

impl AdminPromise {
    pub fn new(promise: Promise, slot: Arc<AdminSlot>) -> Self {
        Self { promise, slot }
    }
}

impl AdminWaiter<AdminValue> for AdminPromise {
    fn done(&self, outcome: spikewire_aerospike::Result<AdminValue>) {
        Python::attach(|py| {
            let outcome = match outcome {
                Ok(value) => {
                    self.slot.keep(value);
                    Ok(py.None().into_bound(py))
                }
                Err(error) => Err(to_python(py, &error, None)),
            };
            self.promise.tell(py, outcome);
        });
    }

    fn is_gone(&self) -> bool {
        Python::attach(|py| self.promise.is_done(py))
    }
}
