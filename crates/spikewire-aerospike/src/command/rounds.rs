//! Runs the rounds of a batch on the calling thread.

use std::sync::Arc;

use spikewire_transport::Protocol as _;
use spikewire_transport::blocking::{BlockingTicket, CallerLimits, pause};
use spikewire_transport::protocol::Sharing;

use super::batch::{Batch, Part};
use super::{Command, Router};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::model::Result;
use crate::transport::{Aerospike, BlockingPool, Outcome};

/// Called when a signal may have arrived: runs its handlers and returns whether the caller gives
/// up.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// What the rounds of a batch run on.
pub(super) struct Rounds<'a, T: BlockingTicket<Aerospike>> {
    pub cluster: &'a Cluster,
    pub router: &'a Router,
    pub pool: &'a Arc<BlockingPool<T>>,
}

impl<T: BlockingTicket<Aerospike>> Rounds<'_, T> {
    /// Runs a batch to completion; `ticket` makes the ticket of a part, and `part` takes it back.
    pub fn run(
        &self,
        batch: &mut Batch,
        interrupted: Interrupted<'_>,
        ticket: impl Fn(Part) -> T,
        part: impl Fn(T) -> Option<Part>,
    ) -> Result<()> {
        let mut at = Tick::now();
        loop {
            let commands = {
                let snapshot = self.cluster.snapshot();
                batch.round(self.router, &snapshot, at, at, &ticket)
            };
            if !commands.is_empty() {
                // Records processed on arrival must not delay other callers; neither must large
                // requests.
                let alone = batch.has_sink() || commands.iter().any(|it| is_large(it));
                let limits =
                    CallerLimits { now: at, deadline: batch.deadline(), alone, interrupted };
                self.pool.run(commands.into_iter(), limits, |ticket| {
                    if let Some(part) = part(ticket) {
                        batch.settle(part);
                    }
                })?;
            }
            let next = batch.next_round(Tick::now(), self.cluster.is_closed());
            let Some(next) = next else { return Ok(()) };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }
}

impl BlockingTicket<Aerospike> for Part {
    fn complete(&mut self, outcome: Outcome<'_>) {
        self.close(outcome);
    }
}

fn is_large<T>(command: &Command<T>) -> bool {
    Aerospike::sharing(command.bytes.len(), command.rows, command.kind) == Sharing::Alone
}
