//! Runs a batch on a driver of many commands: tracks its open parts, the next round, and the next
//! window of a table.
//!
//! The driver's tickets refer to the execution. When one is completed, further commands go to the
//! driver's [`Next`]. A later round waits with a ticket of its own, and its nodes are chosen when
//! the wait is over. So do the rows of slow nodes that a batch with a deadline sends to others.

use std::fmt;
use std::sync::Arc;

use spikewire_sync::Mutex;

use super::batch::{Batch, Part, Withdrawal};
use super::{Router, refresh};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::transport::{Next, Outcome, ResponseHandler as _};

/// The owner of a running batch.
pub trait BatchOwner: Sized {
    /// The driver's ticket type.
    type Ticket: From<BatchTicket<Self>>;

    /// Receives completed rows. Returns the rows of a table's next window, or `None` when the call
    /// is complete.
    fn window_done(&self, rows: Batch) -> Option<Batch>;
}

/// The ticket of one part of a batch.
#[derive(Debug)]
pub struct BatchTicket<O> {
    execution: Arc<BatchExecution<O>>,
    waits_for: Awaited,
}

/// What a ticket waits for.
#[derive(Debug)]
enum Awaited {
    /// The reply of one node.
    Part(Part),
    /// The time of the next round.
    Round,
    /// The time at which rows of slow nodes are sent to others, unless the round is over.
    Hedge(Withdrawal),
}

/// A batch in flight, shared by the tickets of its parts.
pub struct BatchExecution<O> {
    cluster: Arc<Cluster>,
    router: Router,
    progress: Mutex<BatchProgress>,
    owner: O,
}

#[derive(Default)]
struct BatchProgress {
    /// The rows of the current window, until they are complete.
    rows: Option<Batch>,
    /// Number of parts without an outcome.
    open: usize,
}

impl<O: BatchOwner> BatchExecution<O> {
    /// Starts with these rows; commands to send go to `next`.
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

    /// The owner.
    pub fn owner(&self) -> &O {
        &self.owner
    }

    /// Runs windows until one has to wait for something. No lock is held while the owner is called:
    /// producing its rows may take time, or call back here.
    fn go_on(self: &Arc<Self>, mut rows: Option<Batch>, next: &mut Next<O::Ticket>) {
        while let Some(mut window) = rows {
            if window.enter_near_cache(&self.cluster) {
                refresh::start(&self.cluster);
            }
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
        waits_for: Awaited,
        outcome: Outcome<'_>,
        next: &mut Next<O::Ticket>,
    ) {
        let over = {
            let mut progress = self.progress.lock();
            match waits_for {
                // The round is over.
                Awaited::Part(part) if part.is_withdrawn() => return,
                Awaited::Hedge(withdrawal) if withdrawal.is_over() => return,
                Awaited::Part(part) => {
                    progress.open -= 1;
                    let mut goes_on = progress.open > 0;
                    if let Some(rows) = &mut progress.rows {
                        rows.finish(part, outcome);
                        if rows.has_deadline() {
                            goes_on = !rows.is_round_over();
                        }
                    }
                    if goes_on {
                        return;
                    }
                    self.settle(&mut progress, next)
                }
                Awaited::Round => self.round(&mut progress, next),
                Awaited::Hedge(_) => return self.hedge(&mut progress, next),
            }
        };
        if let Some(over) = over {
            let window = self.owner.window_done(over);
            self.go_on(window, next);
        }
    }

    /// Starts the next round; returns the rows if they are complete.
    fn round(
        self: &Arc<Self>,
        progress: &mut BatchProgress,
        next: &mut Next<O::Ticket>,
    ) -> Option<Batch> {
        let rows = progress.rows.as_mut()?;
        let snapshot = self.cluster.snapshot();
        let now = Tick::now();
        let commands = rows.round(&self.router, &snapshot, now, now, |part| {
            BatchTicket { execution: self.clone(), waits_for: Awaited::Part(part) }.into()
        });
        if commands.is_empty() {
            if rows.takes_turn() {
                let ticket = BatchTicket { execution: self.clone(), waits_for: Awaited::Round };
                next.pauses.push((now, ticket.into()));
                return None;
            }
            return self.settle(progress, next);
        }
        let hedges_at = rows.hedges_at();
        progress.open = commands.len();
        next.commands.extend(commands);
        if hedges_at != Tick::NEVER {
            self.wait_for_hedge(progress, hedges_at, next);
        }
        None
    }

    /// Sends the rows of slow nodes to others.
    #[cold]
    fn hedge(self: &Arc<Self>, progress: &mut BatchProgress, next: &mut Next<O::Ticket>) {
        let Some(rows) = progress.rows.as_mut().filter(|_| !self.cluster.is_closed()) else {
            return;
        };
        let snapshot = self.cluster.snapshot();
        let commands = rows.hedge(&self.router, &snapshot, Tick::now(), |part| {
            BatchTicket { execution: self.clone(), waits_for: Awaited::Part(part) }.into()
        });
        let hedges_at = rows.hedges_at();
        progress.open += commands.len();
        next.commands.extend(commands);
        if hedges_at != Tick::NEVER {
            self.wait_for_hedge(progress, hedges_at, next);
        }
    }

    fn wait_for_hedge(
        self: &Arc<Self>,
        progress: &BatchProgress,
        at: Tick,
        next: &mut Next<O::Ticket>,
    ) {
        let Some(withdrawal) = progress.rows.as_ref().and_then(Batch::withdrawal) else { return };
        let waits_for = Awaited::Hedge(withdrawal);
        next.pauses.push((at, BatchTicket { execution: self.clone(), waits_for }.into()));
    }

    /// Continues after a round: schedules another one, or returns the completed rows.
    fn settle(
        self: &Arc<Self>,
        progress: &mut BatchProgress,
        next: &mut Next<O::Ticket>,
    ) -> Option<Batch> {
        let rows = progress.rows.as_mut()?;
        rows.end_round();
        let now = Tick::now();
        match rows.next_round(now, self.cluster.is_closed(), self.cluster.retry_budget()) {
            Some(at) if at <= now => self.round(progress, next),
            Some(at) => {
                let ticket = BatchTicket { execution: self.clone(), waits_for: Awaited::Round };
                next.pauses.push((at, ticket.into()));
                None
            }
            None => {
                rows.count_late(self.cluster.hedging());
                progress.rows.take()
            }
        }
    }
}

impl<O: BatchOwner> BatchTicket<O> {
    /// Processes the outcome of the part; further commands go to `next`.
    pub fn complete(self, outcome: Outcome<'_>, next: &mut Next<O::Ticket>) {
        self.execution.part_done(self.waits_for, outcome, next);
    }

    /// Whether nothing waits for it any more: the rows of its part have come from other nodes.
    pub fn is_withdrawn(&self) -> bool {
        match &self.waits_for {
            Awaited::Part(part) => part.is_withdrawn(),
            Awaited::Hedge(withdrawal) => withdrawal.is_over(),
            Awaited::Round => false,
        }
    }

    /// The owner of the batch.
    pub fn owner(&self) -> &O {
        &self.execution.owner
    }

    /// Records that its reply is about to be delivered, while stages are timed.
    pub fn answered_at(&mut self, at: Tick) {
        if let Awaited::Part(part) = &mut self.waits_for {
            part.answered_at(at);
        }
    }

    /// Processes messages of an incomplete reply to the part.
    pub fn collect(&mut self, messages: &[u8]) {
        if let Awaited::Part(part) = &mut self.waits_for {
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
