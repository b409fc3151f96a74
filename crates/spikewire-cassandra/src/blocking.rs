//! Statements of calling threads, which do all the work themselves unless a statement may have
//! copies.

mod copies;

use std::convert::Infallible;
use std::sync::Arc;

use spikewire_transport::blocking::{ReplyDetails, ReplyOrigin, Single, pause};
use spikewire_transport::{Fault, Tick, buffer};

use self::copies::CopyThread;
use crate::cluster::Cluster;
use crate::connection::{BlockingPool, Cassandra, Outcome, Reply};
use crate::error::Result;
use crate::execution::{Answer, Draft, ExecutionAction, pause_is_over};
use crate::session::Call;

/// Called when a signal may have arrived: runs the signal handlers, and returns whether the caller
/// gives up.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Runs the statements of calling threads.
#[derive(Debug)]
pub struct BlockingExecutor {
    cluster: Arc<Cluster>,
    pool: Arc<BlockingPool<Single<Cassandra>>>,
    /// Sends statements that may have copies.
    copy_thread: CopyThread,
}

/// The outcome of one request.
#[derive(Debug)]
pub struct BlockingReply {
    answered: Result<ReplyOrigin<Cassandra>>,
    details: ReplyDetails,
    body: Vec<u8>,
}

impl BlockingReply {
    /// The request, if the node did not execute it.
    pub fn take_returned(&mut self) -> Option<Vec<u8>> {
        self.details.as_mut()?.returned.take()
    }

    /// When the reply was delivered, while stages are timed.
    pub fn answered_at(&self) -> Option<Tick> {
        self.details.as_ref()?.answered
    }

    /// The outcome, for [`Execution::on_outcome`](crate::execution::Execution::on_outcome).
    pub fn outcome(&self) -> Outcome<'_> {
        match &self.answered {
            Ok(ReplyOrigin { node, attempts }) => {
                Ok(Reply { body: &self.body, node, attempts: *attempts })
            }
            Err(error) => Err(error.clone()),
        }
    }
}

impl Drop for BlockingReply {
    fn drop(&mut self) {
        buffer::give(std::mem::take(&mut self.body));
    }
}

impl BlockingExecutor {
    /// An executor without connections; they are opened when statements need them.
    pub fn new(cluster: &Arc<Cluster>) -> Self {
        let pool = Arc::new(BlockingPool::new(cluster));
        let weak = Arc::downgrade(&pool);
        cluster.add_upkeep_task(weak);
        Self { cluster: cluster.clone(), pool, copy_thread: CopyThread::default() }
    }

    /// Sends one request and waits for its reply, including retries.
    #[inline]
    pub fn send(&self, draft: Draft, interrupted: Interrupted<'_>) -> BlockingReply {
        let mut body = buffer::take();
        let now = Tick::now();
        let command = draft.into_command(now, Single::new(std::mem::take(&mut body)));
        let mut details = None;
        let answered = self.pool.call(command, now, &mut body, &mut details, interrupted, Some);
        BlockingReply { answered, details, body }
    }

    /// Sends a statement and waits for its answer, including retries and preparation; `read` gets
    /// the answer.
    #[inline]
    pub fn run<T>(
        &self,
        call: Call,
        interrupted: Interrupted<'_>,
        read: impl FnOnce(Result<Answer<'_>>) -> T,
    ) -> T {
        // If the thread cannot be started, the statement has no copies.
        if call.speculates()
            && let Some(thread) = self.copy_thread.get_or_start(&self.cluster)
        {
            return copies::run(thread, &self.cluster, call, interrupted, read);
        }
        let send = |draft| Ok::<_, Infallible>(self.send(draft, interrupted));
        let Ok(outcome) = self.run_steps(call, send, |at| Ok(pause(at, interrupted)), read);
        outcome
    }

    /// The steps of [`Self::run`] for a statement without copies, for hosts that have to do
    /// something around each wait: with `send` for [`Self::send`] and `pause` for [`pause`].
    #[inline]
    pub fn run_steps<T, E>(
        &self,
        call: Call,
        mut send: impl FnMut(Draft) -> Result<BlockingReply, E>,
        mut pause: impl FnMut(Tick) -> Result<Result<(), Fault>, E>,
        read: impl FnOnce(Result<Answer<'_>>) -> T,
    ) -> Result<T, E> {
        let (mut draft, mut execution) = call.split();
        loop {
            let mut reply;
            let mut action = if execution.waits() {
                buffer::give(std::mem::take(&mut draft.bytes));
                execution.on_outcome(Err(pause_is_over()))
            } else {
                reply = send(draft)?;
                self.cluster.metrics().goes_on(reply.answered_at());
                if let Some(request) = reply.take_returned() {
                    execution.returned(request);
                }
                execution.on_outcome(reply.outcome())
            };
            draft = loop {
                match action {
                    ExecutionAction::Done(answer) => return Ok(read(answer)),
                    ExecutionAction::Send(next) => break next,
                    ExecutionAction::Pause(at) => {
                        if let Err(fault) = pause(at)? {
                            return Ok(read(Err(fault.into())));
                        }
                        action = execution.on_outcome(Err(pause_is_over()));
                    }
                    ExecutionAction::Left => return Ok(read(Err(pause_is_over()))),
                }
            };
        }
    }

    /// Closes the connections; waiting callers get an error.
    pub fn close(&self) {
        self.copy_thread.close();
        self.pool.close();
    }
}
