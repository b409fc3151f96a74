//! Runs the rounds of a batch on the calling thread.

use std::sync::Arc;

use spikewire_transport::Protocol as _;
use spikewire_transport::blocking::{BlockingTicket, Caller, CallerLimits, pause};
use spikewire_transport::protocol::Sharing;

use super::batch::{Batch, Part};
use super::{Command, Router};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::model::Result;
use crate::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler as _};

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
                let (deadline, punctual) = (batch.deadline(), batch.has_deadline());
                let limits = CallerLimits { now: at, deadline, alone, punctual, interrupted };
                let commands = commands.into_iter();
                if punctual {
                    let (ticket, part) = (&ticket, &part);
                    let mut reader = Reader { rounds: self, batch, ticket, part };
                    self.pool.run_alone(commands, limits, &mut reader)?;
                    batch.end_round();
                } else {
                    self.pool.run(commands, limits, |ticket| {
                        if let Some(part) = part(ticket) {
                            batch.settle(part);
                        }
                    })?;
                }
            }
            let budget = self.cluster.retry_budget();
            let next = batch.next_round(Tick::now(), self.cluster.is_closed(), budget);
            let Some(next) = next else {
                batch.count_late(self.cluster.hedging());
                return Ok(());
            };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }
}

/// A caller that reads many records until a deadline.
struct Reader<'a, 'b, T: BlockingTicket<Aerospike>, F, G> {
    rounds: &'a Rounds<'b, T>,
    batch: &'a mut Batch,
    ticket: &'a F,
    part: &'a G,
}

impl<T, F, G> Caller<Aerospike, T> for Reader<'_, '_, T, F, G>
where
    T: BlockingTicket<Aerospike>,
    F: Fn(Part) -> T,
    G: Fn(T) -> Option<Part>,
{
    fn take(&mut self, ticket: T) {
        if let Some(part) = (self.part)(ticket)
            && !part.is_withdrawn()
        {
            self.batch.settle(part);
            if self.batch.is_round_over() {
                self.batch.end_round();
            }
        }
    }

    fn sends_at(&self) -> Tick {
        self.batch.hedges_at()
    }

    fn more(&mut self, now: Tick) -> Vec<Box<Command<T>>> {
        let Rounds { router, cluster, .. } = self.rounds;
        self.batch.hedge(router, &cluster.snapshot(), now, self.ticket)
    }

    fn is_over(&self) -> bool {
        self.batch.is_round_over()
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
