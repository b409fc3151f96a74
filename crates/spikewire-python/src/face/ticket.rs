//! What a driver completes: the future of one call, or a part of a batch.

use std::sync::Arc;

use pyo3::intern;
use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_engine::clock::Tick;
use spikewire_engine::cluster::Cluster;
use spikewire_engine::command::batch::{Batch as Rows, Part};
use spikewire_engine::command::{Command, Router};
use spikewire_engine::transport::{Collect, Outcome};

use super::future::FutureBase;
use super::window::Permit;
use crate::call::Plan;
use crate::many::{ManyCall, ManyPlan, Next};

/// The future that a call's outcome goes to.
pub(super) enum Promise {
    /// An event loop's, on its own thread.
    Loop(Py<PyAny>),
    /// Our own, for any thread.
    Own(Pending),
}

/// A future of ours, and its right to be in flight, which ends with it.
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
    /// Whether somebody still wants the call sent. Needs no interpreter.
    fn starts(&self) -> bool {
        match self {
            Self::Loop(_) => true,
            Self::Own(own) => own.future.get().starts(),
        }
    }

    fn is_done(&self, py: Python<'_>) -> bool {
        match self {
            Self::Loop(future) => is_done(future.bind(py)),
            Self::Own(own) => own.future.get().done(),
        }
    }

    fn tell(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        match self {
            Self::Loop(future) => tell(future.bind(py), outcome),
            Self::Own(own) => FutureBase::settle(own.future.bind(py), outcome),
        }
    }
}

/// Who is told how a command ended.
pub(super) enum Ticket {
    /// A future and what its reply becomes.
    One { promise: Promise, plan: Plan },
    /// One node's rows of a batch.
    Part { batch: Arc<Many>, part: Part },
}

impl Collect for Ticket {
    fn starts(&mut self) -> bool {
        match self {
            Self::One { promise, .. } => promise.starts(),
            Self::Part { batch, .. } => batch.promise.starts(),
        }
    }

    fn collect(&mut self, messages: &[u8]) {
        if let Self::Part { part, .. } = self {
            part.collect(messages);
        }
    }
}

impl Ticket {
    /// Completes the future, or the part of a batch; what the batch wants sent next goes to `more`.
    pub fn complete(self, py: Python<'_>, outcome: Outcome<'_>, more: &Mutex<Vec<Command<Self>>>) {
        match self {
            Self::One { promise, plan } => promise.tell(py, plan.finish(py, outcome)),
            Self::Part { batch, part } => {
                let next = batch.part_done(py, part, outcome);
                if !next.is_empty() {
                    more.lock().extend(next);
                }
            }
        }
    }
}

fn tell(future: &Bound<'_, PyAny>, outcome: PyResult<Bound<'_, PyAny>>) {
    let py = future.py();
    let told = match outcome {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,)),
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error.into_value(py),)),
    };
    // A future that is done already was cancelled by its owner; nobody waits for the reply.
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

/// A batch under way.
pub(super) struct Many {
    promise: Promise,
    cluster: Arc<Cluster>,
    router: Router,
    progress: Mutex<Progress>,
}

struct Progress {
    /// Rows and plan, until they become the result.
    work: Option<(Rows, ManyPlan)>,
    /// Parts without an outcome.
    open: usize,
}

impl Many {
    /// Starts a batch; returns the commands of its first round.
    pub fn start(
        py: Python<'_>,
        cluster: Arc<Cluster>,
        promise: Promise,
        call: ManyCall,
    ) -> Vec<Command<Ticket>> {
        let router = Router::new(cluster.options().racks.clone());
        let progress = Progress { work: Some((call.rows, call.plan)), open: 0 };
        let batch = Arc::new(Self { promise, cluster, router, progress: Mutex::new(progress) });
        let first = batch.round(Tick::now());
        if first.is_empty() { batch.go_on(py) } else { first }
    }

    fn part_done(
        self: &Arc<Self>,
        py: Python<'_>,
        part: Part,
        outcome: Outcome<'_>,
    ) -> Vec<Command<Ticket>> {
        {
            let mut progress = self.progress.lock();
            progress.open -= 1;
            if let Some((rows, _)) = &mut progress.work {
                rows.finish(part, outcome);
            }
            if progress.open > 0 {
                return Vec::new();
            }
        }
        self.go_on(py)
    }

    /// The next round, or the end.
    fn go_on(self: &Arc<Self>, py: Python<'_>) -> Vec<Command<Ticket>> {
        loop {
            let again = match &mut self.progress.lock().work {
                Some((rows, _)) => rows.again(Tick::now()),
                None => return Vec::new(),
            };
            if let Some(at) = again {
                let next = self.round(at);
                if !next.is_empty() {
                    return next;
                }
                continue;
            }
            // Taken out, as no lock may be held while a table's next rows are read: whoever makes
            // them may run Python code.
            let Some((rows, mut plan)) = self.progress.lock().work.take() else {
                return Vec::new();
            };
            if plan.more.is_some() && self.promise.is_done(py) {
                // Cancelled: nobody waits for the rest.
                return Vec::new();
            }
            match plan.go_on(py, rows) {
                Ok(Next::Send(rows)) => {
                    self.progress.lock().work = Some((rows, plan));
                    let next = self.round(Tick::now());
                    if !next.is_empty() {
                        return next;
                    }
                }
                Ok(Next::Finish(rows)) => {
                    self.promise.tell(py, plan.finish(py, rows));
                    return Vec::new();
                }
                Err(error) => {
                    self.promise.tell(py, Err(error));
                    return Vec::new();
                }
            }
        }
    }

    fn round(self: &Arc<Self>, start: Tick) -> Vec<Command<Ticket>> {
        let snapshot = self.cluster.snapshot();
        let mut progress = self.progress.lock();
        let Some((rows, _)) = &mut progress.work else { return Vec::new() };
        let ticket = |part| Ticket::Part { batch: self.clone(), part };
        let commands = rows.round(&self.router, &snapshot, Tick::now(), start, ticket);
        progress.open = commands.len();
        commands
    }
}
