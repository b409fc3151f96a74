//! What a driver completes: the future of one call, or a part of a batch.

use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;

use spikewire_engine::clock::Tick;
use spikewire_engine::cluster::Cluster;
use spikewire_engine::command::batch::{Batch as Rows, Part};
use spikewire_engine::command::{Command, Router};
use spikewire_engine::transport::{Collect, Outcome};

use crate::call::Plan;
use crate::many::{ManyCall, ManyPlan, Next};

/// Who is told how a command ended.
pub(super) enum Ticket {
    /// A future and what its reply becomes.
    One { future: Py<PyAny>, plan: Plan },
    /// One node's rows of a batch.
    Part { batch: Arc<Many>, part: Part },
}

impl Collect for Ticket {
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
            Self::One { future, plan } => tell(future.bind(py), plan.finish(py, outcome)),
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

/// A batch under way on an event loop.
pub(super) struct Many {
    future: Py<PyAny>,
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
        future: Py<PyAny>,
        call: ManyCall,
    ) -> Vec<Command<Ticket>> {
        let router = Router::new(cluster.options().racks.clone());
        let progress = Progress { work: Some((call.rows, call.plan)), open: 0 };
        let batch = Arc::new(Self { future, cluster, router, progress: Mutex::new(progress) });
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
            let future = self.future.bind(py);
            if plan.more.is_some() && is_done(future) {
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
                    tell(future, plan.finish(py, rows));
                    return Vec::new();
                }
                Err(error) => {
                    tell(future, Err(error));
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
