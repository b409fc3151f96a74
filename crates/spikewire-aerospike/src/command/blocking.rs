//! Commands of blocking callers: the calling threads do all the work.

use std::sync::Arc;

use super::batch::{Batch, Part};
use super::{Attempts, Command, Router, Target};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::error::Result;
use crate::options::Policy;
use crate::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler};
use spikewire_transport::Protocol as _;
use spikewire_transport::blocking::{Aside, BlockingTicket, CallerLimits, Single, pause};
use spikewire_transport::protocol::Sharing;

/// Asked when a signal may have come: runs its handlers and says whether the caller gives up.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Runs the commands of blocking callers.
#[derive(Debug)]
pub struct BlockingExecutor {
    cluster: Arc<Cluster>,
    router: Router,
    pool: Arc<BlockingPool<Ticket>>,
}

/// What a caller gets back for a request.
#[derive(Debug)]
enum Ticket {
    Single(Single<Aerospike>),
    /// Apart, so that every command is small.
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
    /// Without connections; they are opened when commands need them.
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let router = Router::new(cluster.options().racks.clone());
        let pool = Arc::new(BlockingPool::new(&cluster));
        let weak = Arc::downgrade(&pool);
        cluster.add_janitor(weak);
        Self { cluster, router, pool }
    }

    /// Sends one request and waits for its reply, retries included. The reply's message is left
    /// in `body`; returns the node that answered and what it took.
    pub fn run(
        &self,
        bytes: Vec<u8>,
        target: Target,
        policy: Policy,
        body: &mut Vec<u8>,
        interrupted: Interrupted<'_>,
    ) -> Result<(Arc<Node>, Attempts)> {
        let mut aside = None;
        let answered = self.run_timed(bytes, target, policy, body, interrupted, &mut aside);
        if let Some(aside) = aside {
            self.cluster.metrics().goes_on(aside.answered);
        }
        answered
    }

    /// The same for a host that times more than that its thread goes on: `aside` says when the reply
    /// was handed over, while stages are timed.
    #[inline(always)]
    pub fn run_timed(
        &self,
        bytes: Vec<u8>,
        target: Target,
        policy: Policy,
        body: &mut Vec<u8>,
        interrupted: Interrupted<'_>,
        aside: &mut Aside,
    ) -> Result<(Arc<Node>, Attempts)> {
        let ticket = Ticket::Single(Single::new(std::mem::take(body)));
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, ticket);
        let single = |ticket| match ticket {
            Ticket::Single(single) => Some(single),
            Ticket::Part(_) => None,
        };
        let answered = self.pool.call(command, now, body, aside, interrupted, single)?;
        Ok((answered.node, answered.attempts))
    }

    /// Runs a batch to its end. Rows fail each on their own; this fails as a whole only when the
    /// caller was interrupted or no descriptor is left.
    pub fn run_batch(&self, batch: &mut Batch, interrupted: Interrupted<'_>) -> Result<()> {
        let mut at = Tick::now();
        loop {
            let commands = {
                let snapshot = self.cluster.snapshot();
                batch.round(&self.router, &snapshot, at, at, |part| Ticket::Part(Box::new(part)))
            };
            if !commands.is_empty() {
                // Records that are taken as they come must not hold up other callers, and large
                // requests would.
                let alone = batch.has_sink() || commands.iter().any(|it| is_large(it));
                let limits =
                    CallerLimits { now: at, deadline: batch.deadline(), alone, interrupted };
                self.pool.run(commands.into_iter(), limits, |ticket| {
                    if let Ticket::Part(part) = ticket {
                        batch.settle(*part);
                    }
                })?;
            }
            let next = batch.again(Tick::now(), self.cluster.is_closed());
            let Some(next) = next else { return Ok(()) };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }

    /// Ends the connections; callers that wait get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}

fn is_large(command: &Command<Ticket>) -> bool {
    Aerospike::sharing(command.bytes.len(), command.rows) == Sharing::Alone
}
