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
use spikewire_transport::blocking::{BlockingTicket, CallerLimits, ReplyDetails, Single, pause};
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
        batch.enter_near_cache(&self.cluster);
        self.run_rounds(batch, interrupted)
    }

    /// The same without the near cache.
    pub(crate) fn run_rounds(&self, batch: &mut Batch, interrupted: Interrupted<'_>) -> Result<()> {
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
                let limits =
                    CallerLimits { now: at, deadline: batch.deadline(), alone, interrupted };
                self.pool.run(commands.into_iter(), limits, |ticket| {
                    if let Ticket::Part(part) = ticket {
                        batch.settle(*part);
                    }
                })?;
            }
            let next = batch.next_round(Tick::now(), self.cluster.is_closed());
            let Some(next) = next else { return Ok(()) };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}

fn is_large(command: &Command<Ticket>) -> bool {
    Aerospike::sharing(command.bytes.len(), command.rows, command.kind) == Sharing::Alone
}
