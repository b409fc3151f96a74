//! What a driver completes: the future of one call, or a part of a batch.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_aerospike::Error;
use spikewire_aerospike::admin::{AdminTicket, AdminValue, AdminWaiter};
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{BatchExecution, BatchOwner, BatchTicket};
use spikewire_aerospike::transport::{Aerospike, Next, Outcome, ResponseHandler};

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::many::{BatchCall, BatchPlan, NextWindow};
use crate::aerospike::task::AdminSlot;
use crate::bridge::gil_fairness::CommandGuard;
use crate::bridge::promise::Completes;
use crate::errors::to_python;
use crate::stages::Watch;

/// The future that receives a call's outcome.
type Promise = crate::bridge::promise::Promise<Error>;

/// What the outcome of a command completes.
pub enum Ticket {
    /// A future, with the plan for its result.
    One {
        promise: Promise,
        plan: ResponsePlan,
        sent: Option<CommandGuard>,
        /// Timing of the call, if enabled.
        watch: Option<Box<Watch>>,
    },
    /// One node's rows of a batch.
    Part(BatchTicket<Owner>),
    /// A request of an administrative command.
    Question(AdminTicket<Ticket>),
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        match self {
            Self::One { promise, .. } => promise.starts(),
            Self::Part(part) => part.owner().promise.starts() || part.owner().goes_on,
            Self::Question(question) => {
                question.starts();
                true
            }
        }
    }

    fn is_needed(&self) -> bool {
        match self {
            Self::One { promise, .. } => !promise.is_abandoned(),
            Self::Part(part) => part.owner().goes_on || !part.owner().promise.is_abandoned(),
            Self::Question(_) => true,
        }
    }

    fn is_withdrawn(&self) -> bool {
        match self {
            Self::One { .. } => false,
            Self::Part(part) => part.is_withdrawn(),
            Self::Question(question) => question.is_withdrawn(),
        }
    }

    fn answered_at(&mut self, at: Tick) {
        match self {
            // If the reply is copied first, that is a stage of its own.
            Self::One { watch: Some(watch), .. } => watch.on_reply(),
            Self::Part(part) => part.answered_at(at),
            Self::One { .. } | Self::Question(_) => {}
        }
    }

    fn collect(&mut self, messages: &[u8]) {
        match self {
            Self::Part(part) => part.collect(messages),
            Self::Question(question) => question.collect(messages),
            Self::One { .. } => {}
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

impl Completes<Aerospike> for Ticket {
    fn look(&self, look: &mut dyn FnMut(&Py<PyAny>)) {
        match self {
            Self::One { promise, .. } => promise.look(look),
            Self::Part(part) => part.owner().promise.look(look),
            Self::Question(_) => {}
        }
    }

    /// Completes the future, or the part of a batch. The batch's next commands go to `next`.
    fn complete(self, py: Python<'_>, outcome: Outcome<'_>, next: &mut Next<Self>) {
        match self {
            Self::One { promise, plan, sent: _sent, watch: None } => {
                promise.settle(py, plan.finish(py, outcome));
            }
            Self::One { promise, plan, sent: _sent, watch: Some(watch) } => {
                let began = watch.goes_on();
                let value = plan.finish(py, outcome);
                watch.decoded(began);
                promise.settle(py, value);
            }
            Self::Part(part) => part.complete(outcome, next),
            Self::Question(question) => question.complete(outcome, next),
        }
    }
}

/// The future of a batch, and the plan for its result.
pub struct Owner {
    promise: Promise,
    /// Taken when the result is created.
    plan: Mutex<Option<BatchPlan>>,
    /// Timing of the batch, if enabled.
    watch: Option<Box<Watch>>,
    /// Whether it is run to its end even if nobody waits for it.
    goes_on: bool,
}

impl Owner {
    /// Starts a batch. Its first commands go to `next`.
    pub fn start(
        cluster: Arc<Cluster>,
        promise: Promise,
        call: BatchCall,
        watch: Option<Box<Watch>>,
    ) -> Next<Ticket> {
        let BatchCall { rows, plan } = call;
        let goes_on = plan.stage.as_ref().is_some_and(|stage| stage.is_ending());
        let owner = Self { promise, plan: Mutex::new(Some(plan)), watch, goes_on };
        let mut next = Next::default();
        BatchExecution::start(cluster, owner, rows, &mut next);
        next
    }
}

impl BatchOwner for Owner {
    type Ticket = Ticket;

    fn window_done(&self, rows: Batch) -> Option<Batch> {
        // Taken out, because no lock may be held while the next rows of a table are read: that may
        // run Python code.
        let mut plan = self.plan.lock().take()?;
        Python::attach(|py| {
            if let Some(watch) = &self.watch {
                watch.rows_go_on(&rows);
            }
            if plan.more.is_some() && self.promise.is_done(py) {
                // Cancelled: nobody waits for the remaining rows.
                return None;
            }
            match plan.next_window(py, rows) {
                Ok(NextWindow::Send(rows)) => {
                    *self.plan.lock() = Some(plan);
                    Some(rows)
                }
                Ok(NextWindow::Finish(rows)) => {
                    let result = plan.finish(py, rows);
                    if let Some(watch) = &self.watch {
                        watch.decoded(None);
                    }
                    self.promise.settle(py, result);
                    None
                }
                Err(error) => {
                    self.promise.settle(py, Err(error));
                    None
                }
            }
        })
    }
}

/// The future of an administrative command. The slot keeps its value.
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
            self.promise.settle(py, outcome);
        });
    }

    fn is_gone(&self) -> bool {
        Python::attach(|py| self.promise.is_done(py))
    }
}
