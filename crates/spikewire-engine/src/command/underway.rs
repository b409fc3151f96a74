//! A batch that a driver of many commands runs: which of its parts are open, and when the next
//! round is due. The driver's tickets name the batch; it sends what a [`Step`] gives it.

use std::fmt;
use std::sync::Arc;

use spikewire_sync::Mutex;

use super::batch::{Batch, Part};
use super::{Command, Router};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::transport::Outcome;

/// A batch on its way, shared by the tickets of its parts.
pub struct Underway {
    cluster: Arc<Cluster>,
    router: Router,
    progress: Mutex<Progress>,
}

struct Progress {
    /// The rows, until the batch is over.
    rows: Option<Batch>,
    /// Parts without an outcome.
    open: usize,
}

/// What a driver does next for a batch.
#[derive(Debug)]
pub enum Step<T> {
    /// Other parts are still open.
    Wait,
    /// These commands are to be sent.
    Send(Vec<Command<T>>),
    /// Every row is answered, or failed for good.
    Over(Batch),
}

impl Underway {
    /// A batch that was not started yet.
    pub fn new(cluster: Arc<Cluster>, rows: Batch) -> Arc<Self> {
        let router = Router::new(cluster.options().racks.clone());
        let progress = Mutex::new(Progress { rows: Some(rows), open: 0 });
        Arc::new(Self { cluster, router, progress })
    }

    /// The first round; `ticket` makes the ticket of a part.
    pub fn start<T>(&self, ticket: impl FnMut(Part) -> T) -> Step<T> {
        self.round(&mut self.progress.lock(), Tick::now(), ticket)
    }

    /// Takes what came of a part.
    pub fn finish<T>(
        &self,
        part: Part,
        outcome: Outcome<'_>,
        ticket: impl FnMut(Part) -> T,
    ) -> Step<T> {
        let mut progress = self.progress.lock();
        progress.open -= 1;
        let open = progress.open;
        let Some(rows) = &mut progress.rows else { return Step::Wait };
        rows.finish(part, outcome);
        if open > 0 {
            return Step::Wait;
        }
        let next = rows.again(Tick::now());
        self.next(&mut progress, next, ticket)
    }

    fn round<T>(
        &self,
        progress: &mut Progress,
        start: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Step<T> {
        let Some(rows) = &mut progress.rows else { return Step::Wait };
        let snapshot = self.cluster.snapshot();
        let commands = rows.round(&self.router, &snapshot, Tick::now(), start, &mut ticket);
        if commands.is_empty() {
            // No row could be sent anywhere: perhaps in the next round.
            let next = rows.again(Tick::now());
            return self.next(progress, next, ticket);
        }
        progress.open = commands.len();
        Step::Send(commands)
    }

    fn next<T>(
        &self,
        progress: &mut Progress,
        at: Option<Tick>,
        ticket: impl FnMut(Part) -> T,
    ) -> Step<T> {
        match at {
            Some(at) => self.round(progress, at, ticket),
            None => progress.rows.take().map_or(Step::Wait, Step::Over),
        }
    }
}

impl fmt::Debug for Underway {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Underway")
            .field("open", &self.progress.lock().open)
            .finish_non_exhaustive()
    }
}
