//! Blocking commands: the calling threads do all the work.

use std::sync::Arc;

use super::batch::{Batch, Part};
use super::{Attempts, Command, Router, Target};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::Policy;
use crate::model::Result;
use crate::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler};
use spikewire_transport::Protocol as _;
use spikewire_transport::blocking::{
    BlockingTicket, Caller, CallerLimits, ReplyDetails, Single, pause,
};
use spikewire_transport::protocol::Sharing;

/// Called when a signal may have arrived: runs its handlers and returns whether the caller gives
/// up.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Executes blocking commands.
#[derive(Debug)]
pub struct BlockingExecutor {
    cluster: Arc<Cluster>,
    router: Router,
    pool: Arc<BlockingPool<Ticket>>,
}

/// The ticket of a request.
#[derive(Debug)]
enum Ticket {
    Single(Single<Aerospike>),
    /// Boxed to keep commands small.
    Part(Box<Part>),
}

impl ResponseHandler for Ticket {
    fn answered_at(&mut self, at: Tick) {
        match self {
            Self::Single(single) => single.answered_at(at),
            Self::Part(part) => part.answered_at(at),
        }
    }

    fn is_withdrawn(&self) -> bool {
        matches!(self, Self::Part(part) if part.is_withdrawn())
    }

    fn collect(&mut self, messages: &[u8]) {
        if let Self::Part(part) = self {
            part.collect(messages);
        }
    }
}

impl BlockingTicket<Aerospike> for Ticket {
    fn complete(&mut self, outcome: Outcome<'_>) {
        match self {
            Self::Single(single) => single.complete(outcome),
            Self::Part(part) => part.close(outcome),
        }
    }
}

impl BlockingExecutor {
    /// Starts without connections; commands open them on demand.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let router = Router::new(cluster.options().racks.clone());
        let pool = Arc::new(BlockingPool::new(&cluster));
        let weak = Arc::downgrade(&pool);
        cluster.add_upkeep_task(weak);
        Self { cluster, router, pool }
    }

    /// Sends one request and waits for its reply, including retries. The reply message is left in
    /// `body`; returns the node that replied and the cost of the command. `details` receives the time
    /// when the reply was delivered, while stages are timed.
    #[inline(always)]
    pub fn run(
        &self,
        bytes: Vec<u8>,
        target: Target,
        policy: Policy,
        body: &mut Vec<u8>,
        interrupted: Interrupted<'_>,
        details: &mut ReplyDetails,
    ) -> Result<(Arc<Node>, Attempts)> {
        let ticket = Ticket::Single(Single::new(std::mem::take(body)));
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, ticket);
        let single = |ticket| match ticket {
            Ticket::Single(single) => Some(single),
            Ticket::Part(_) => None,
        };
        let answered = self.pool.call(command, now, body, details, interrupted, single)?;
        Ok((answered.node, answered.attempts))
    }

    /// Runs a batch to completion. Rows fail individually; the call as a whole fails only if the
    /// caller was interrupted or no file descriptor is left.
    pub fn run_batch(&self, batch: &mut Batch, interrupted: Interrupted<'_>) -> Result<()> {
        let mut at = Tick::now();
        loop {
            let commands = {
                let snapshot = self.cluster.snapshot();
                batch.round(&self.router, &snapshot, at, at, |part| Ticket::Part(Box::new(part)))
            };
            if !commands.is_empty() {
                // Records processed on arrival must not delay other callers; neither must large
                // requests.
                let alone = batch.has_sink() || commands.iter().any(|it| is_large(it));
                let (deadline, punctual) = (batch.deadline(), batch.has_deadline());
                let limits = CallerLimits { now: at, deadline, alone, punctual, interrupted };
                let commands = commands.into_iter();
                if punctual {
                    self.pool.run_alone(commands, limits, &mut Reader { executor: self, batch })?;
                    batch.end_round();
                } else {
                    self.pool.run(commands, limits, |ticket| {
                        if let Ticket::Part(part) = ticket {
                            batch.settle(*part);
                        }
                    })?;
                }
            }
            let next = batch.next_round(Tick::now(), self.cluster.is_closed());
            let Some(next) = next else {
                batch.count_late(self.cluster.hedging());
                return Ok(());
            };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}

/// A caller that reads many records until a deadline.
struct Reader<'a> {
    executor: &'a BlockingExecutor,
    batch: &'a mut Batch,
}

impl Caller<Aerospike, Ticket> for Reader<'_> {
    fn take(&mut self, ticket: Ticket) {
        if let Ticket::Part(part) = ticket
            && !part.is_withdrawn()
        {
            self.batch.settle(*part);
            if self.batch.is_round_over() {
                self.batch.end_round();
            }
        }
    }

    fn sends_at(&self) -> Tick {
        self.batch.hedges_at()
    }

    fn more(&mut self, now: Tick) -> Vec<Box<Command<Ticket>>> {
        let BlockingExecutor { router, cluster, .. } = self.executor;
        let ticket = |part| Ticket::Part(Box::new(part));
        self.batch.hedge(router, &cluster.snapshot(), now, ticket)
    }

    fn is_over(&self) -> bool {
        self.batch.is_round_over()
    }
}

fn is_large(command: &Command<Ticket>) -> bool {
    Aerospike::sharing(command.bytes.len(), command.rows, command.kind) == Sharing::Alone
}
