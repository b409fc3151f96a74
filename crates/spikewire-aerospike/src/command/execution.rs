//! A batch that a driver of many commands runs: which of its parts are open, when the next round is
//! due, and which window of a table comes next.
//!
//! The driver's tickets name the execution. When one is completed, what is sent next goes to the
//! driver's [`Next`]. A later round waits with a ticket of its own, and its nodes are chosen when
//! the wait is over.

use std::fmt;
use std::sync::Arc;

use spikewire_sync::Mutex;

use super::Router;
use super::batch::{Batch, Part};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::transport::{Next, Outcome, ResponseHandler as _};

/// Who a batch is run for.
pub trait BatchOwner: Sized {
    /// What a driver completes when a part is through.
    type Ticket: From<BatchTicket<Self>>;

    /// Takes rows that are through. Gives those of a table's next window, or `None` when the caller
    /// has its answer.
    fn window_done(&self, rows: Batch) -> Option<Batch>;
}

/// One part of a batch, and the batch.
#[derive(Debug)]
pub struct BatchTicket<O> {
    execution: Arc<BatchExecution<O>>,
    /// `None` for the ticket of a pause.
    part: Option<Part>,
}

/// A batch in flight, shared by the tickets of its parts.
pub struct BatchExecution<O> {
    cluster: Arc<Cluster>,
    router: Router,
    progress: Mutex<Progress>,
    owner: O,
}

#[derive(Default)]
struct Progress {
    /// The rows of the present window, until they are through.
    rows: Option<Batch>,
    /// Parts without an outcome.
    open: usize,
}

impl<O: BatchOwner> BatchExecution<O> {
    /// Starts with these rows; what is to be sent goes to `next`.
    pub fn start(
        cluster: Arc<Cluster>,
        owner: O,
        rows: Batch,
        next: &mut Next<O::Ticket>,
    ) -> Arc<Self> {
        let router = Router::new(cluster.options().racks.clone());
        let execution = Arc::new(Self { cluster, router, progress: Mutex::default(), owner });
        execution.go_on(Some(rows), next);
        execution
    }

    /// Who it is run for.
    pub fn owner(&self) -> &O {
        &self.owner
    }

    /// Runs the next windows until one has something to wait for. No lock is held when the owner is
    /// asked: where its rows come from may take time, or come back here.
    fn go_on(self: &Arc<Self>, mut rows: Option<Batch>, next: &mut Next<O::Ticket>) {
        while let Some(window) = rows {
            let over = {
                let mut progress = self.progress.lock();
                debug_assert!(progress.rows.is_none(), "one window after the other");
                progress.rows = Some(window);
                self.round(&mut progress, next)
            };
            rows = over.and_then(|over| self.owner.window_done(over));
        }
    }

    fn part_done(
        self: &Arc<Self>,
        part: Option<Part>,
        outcome: Outcome<'_>,
        next: &mut Next<O::Ticket>,
    ) {
        let over = {
            let mut progress = self.progress.lock();
            if let Some(part) = part {
                progress.open -= 1;
                if let Some(rows) = &mut progress.rows {
                    rows.finish(part, outcome);
                }
                if progress.open > 0 {
                    return;
                }
                self.settle(&mut progress, next)
            } else {
                self.round(&mut progress, next)
            }
        };
        if let Some(over) = over {
            let window = self.owner.window_done(over);
            self.go_on(window, next);
        }
    }

    /// The next round; the rows, if they are through.
    fn round(
        self: &Arc<Self>,
        progress: &mut Progress,
        next: &mut Next<O::Ticket>,
    ) -> Option<Batch> {
        let rows = progress.rows.as_mut()?;
        let snapshot = self.cluster.snapshot();
        let now = Tick::now();
        let commands = rows.round(&self.router, &snapshot, now, now, |part| {
            BatchTicket { execution: self.clone(), part: Some(part) }.into()
        });
        if commands.is_empty() {
            return self.settle(progress, next);
        }
        progress.open = commands.len();
        next.commands.extend(commands);
        None
    }

    /// What follows a round: another one at its time, or the rows are through.
    fn settle(
        self: &Arc<Self>,
        progress: &mut Progress,
        next: &mut Next<O::Ticket>,
    ) -> Option<Batch> {
        let rows = progress.rows.as_mut()?;
        let now = Tick::now();
        match rows.again(now, self.cluster.is_closed()) {
            Some(at) if at <= now => self.round(progress, next),
            Some(at) => {
                let ticket = BatchTicket { execution: self.clone(), part: None };
                next.pauses.push((at, ticket.into()));
                None
            }
            None => progress.rows.take(),
        }
    }
}

impl<O: BatchOwner> BatchTicket<O> {
    /// Takes the outcome of the part; what is sent next goes to `next`.
    pub fn complete(self, outcome: Outcome<'_>, next: &mut Next<O::Ticket>) {
        self.execution.part_done(self.part, outcome, next);
    }

    /// Who the batch is run for.
    pub fn owner(&self) -> &O {
        &self.execution.owner
    }

    /// Its reply is about to be handed over, while stages are timed.
    pub fn answered_at(&mut self, at: Tick) {
        if let Some(part) = &mut self.part {
            part.answered_at(at);
        }
    }

    /// Takes messages of the part's reply before its end.
    pub fn collect(&mut self, messages: &[u8]) {
        if let Some(part) = &mut self.part {
            part.collect(messages);
        }
    }
}

impl<O> fmt::Debug for BatchExecution<O> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("BatchExecution")
            .field("open", &self.progress.lock().open)
            .finish_non_exhaustive()
    }
}
