//! Commands of blocking callers: the calling threads do all the work.

use std::sync::Arc;

use super::batch::{Batch, Part};
use super::{Attempts, Command, Router, Target};
use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor, Node};
use crate::error::{Error, Kind, Result};
use crate::options::Policy;
use crate::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler};
use spikewire_transport::Protocol as _;
use spikewire_transport::blocking::{BlockingTicket, CallerLimits, pause};
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
    Single {
        body: Vec<u8>,
        outcome: Option<Result<(Arc<Node>, Attempts)>>,
    },
    /// Apart, so that every command is small.
    Part(Box<Part>),
}

impl ResponseHandler for Ticket {
    fn collect(&mut self, messages: &[u8]) {
        if let Self::Part(part) = self {
            part.collect(messages);
        }
    }
}

impl BlockingTicket<Aerospike> for Ticket {
    fn complete(&mut self, outcome: Outcome<'_>) {
        match self {
            Self::Single { body, outcome: kept } => {
                *kept = Some(outcome.map(|reply| {
                    body.clear();
                    body.extend_from_slice(reply.body);
                    (reply.node.clone(), reply.attempts)
                }));
            }
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
        let ticket = Ticket::Single { body: std::mem::take(body), outcome: None };
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, ticket);
        let limits = CallerLimits { now, deadline: command.deadline, alone: false, interrupted };
        let mut completed = None;
        // Lent, for a command is large: it is moved less often.
        let run = self.pool.run(&mut std::iter::once(command), limits, |ticket| {
            if let Ticket::Single { body: filled, outcome } = ticket {
                *body = filled;
                completed = outcome;
            }
        });
        match (run, completed) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(Error::new(Kind::Interrupted, "the call was withdrawn")),
            // The command ended with the call: whether it may have been applied is known by now.
            (Err(fault), Some(Err(ended))) => {
                Err(Error::from(fault).after(ended.attempts(), ended.in_doubt()))
            }
            (Err(fault), _) => Err(fault.into()),
        }
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

impl Janitor for BlockingPool<Ticket> {
    fn sweep(&self, now: Tick) {
        self.maintain(now);
    }
}

fn is_large(command: &Command<Ticket>) -> bool {
    Aerospike::sharing(command.bytes.len(), command.rows) == Sharing::Alone
}
