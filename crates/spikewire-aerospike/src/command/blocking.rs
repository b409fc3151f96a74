//! Blocking commands: the calling threads do all the work.

use std::sync::Arc;

use super::batch::{Batch, Part};
use super::rounds::Rounds;
use super::{Attempts, Command, Router, Target, refresh};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::Policy;
use crate::model::Result;
use crate::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler};
use spikewire_transport::blocking::{BlockingTicket, ReplyDetails, Single};

pub use super::rounds::Interrupted;

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
        if batch.enter_near_cache(&self.cluster) {
            refresh::start(&self.cluster);
        }
        let rounds = Rounds { cluster: &self.cluster, router: &self.router, pool: &self.pool };
        let part = |ticket| match ticket {
            Ticket::Part(part) => Some(*part),
            Ticket::Single(_) => None,
        };
        rounds.run(batch, interrupted, |part| Ticket::Part(Box::new(part)), part)
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}
