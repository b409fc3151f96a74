//! A batch that a driver of many commands runs: which of its parts are open, and when the next
//! round is due. The driver's tickets name the batch; it sends what a [`Step`] gives it.
//!
//! A table goes in windows: when the rows of one are over, the next ones are started in their
//! place.

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

#[derive(Default)]
struct Progress {
    /// The rows, from their start until they are over.
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
    /// Without rows yet.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let router = Router::new(cluster.options().racks.clone());
        Self { cluster, router, progress: Mutex::default() }
    }

    /// The first round of these rows; `ticket` makes the ticket of a part. Rows before them must
    /// be over.
    pub fn start<T>(&self, rows: Batch, ticket: impl FnMut(Part) -> T) -> Step<T> {
        let mut progress = self.progress.lock();
        debug_assert!(progress.rows.is_none(), "one window after the other");
        progress.rows = Some(rows);
        self.round(&mut progress, Tick::now(), ticket)
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
        match rows.again(Tick::now(), self.cluster.is_closed()) {
            Some(at) => self.round(&mut progress, at, ticket),
            None => progress.rows.take().map_or(Step::Wait, Step::Over),
        }
    }

    /// The round that starts at `at`, or the first one after it that has something to send.
    fn round<T>(
        &self,
        progress: &mut Progress,
        mut at: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Step<T> {
        while let Some(rows) = &mut progress.rows {
            let snapshot = self.cluster.snapshot();
            let commands = rows.round(&self.router, &snapshot, Tick::now(), at, &mut ticket);
            if !commands.is_empty() {
                progress.open = commands.len();
                return Step::Send(commands);
            }
            // No row could be sent anywhere: perhaps in the next round.
            match rows.again(Tick::now(), self.cluster.is_closed()) {
                Some(next) => at = next,
                None => return progress.rows.take().map_or(Step::Wait, Step::Over),
            }
        }
        Step::Wait
    }
}

impl fmt::Debug for Underway {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Underway")
            .field("open", &self.progress.lock().open)
            .finish_non_exhaustive()
    }
}
