//! Statements of calling threads, which do all the work themselves.

use std::sync::Arc;

use spikewire_transport::blocking::{Answered, Single, pause};
use spikewire_transport::{Tick, buffer};

use crate::cluster::{Cluster, Janitor};
use crate::connection::{BlockingPool, Cassandra, Reply};
use crate::error::{Error, Result};
use crate::execution::{Answer, Draft, Heard};
use crate::session::Call;

/// Asked when a signal may have come: runs its handlers and says whether the caller gives up.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Runs the statements of calling threads.
#[derive(Debug)]
pub struct BlockingExecutor {
    pool: Arc<BlockingPool<Single<Cassandra>>>,
}

impl BlockingExecutor {
    /// Without connections; they are opened when statements need them.
    pub fn new(cluster: &Arc<Cluster>) -> Self {
        let pool = Arc::new(BlockingPool::new(cluster));
        let weak = Arc::downgrade(&pool);
        cluster.add_janitor(weak);
        Self { pool }
    }

    /// Sends a statement and waits for its answer, retries and preparing included; `read` gets it.
    pub fn run<T>(
        &self,
        call: Call,
        interrupted: Interrupted<'_>,
        read: impl FnOnce(Result<Answer<'_>>) -> T,
    ) -> T {
        let Call { bytes, target, policy, mut execution } = call;
        let mut draft = Draft { bytes, target, policy };
        let mut body = buffer::take();
        loop {
            let now = Tick::now();
            let command = draft.into_command(now, Single::new(std::mem::take(&mut body)));
            let mut answered = self.pool.call(command, now, &mut body, interrupted, Some);
            if let Ok(Answered { returned, .. }) = &mut answered
                && let Some(request) = returned.take()
            {
                execution.returned(request);
            }
            let mut heard = match &answered {
                Ok(Answered { node, attempts, .. }) => {
                    execution.hear(Ok(Reply { body: &body, node, attempts: *attempts }))
                }
                Err(error) => execution.hear(Err(error.clone())),
            };
            let next = loop {
                match heard {
                    Heard::Done(answer) => {
                        let read = read(answer);
                        buffer::give(body);
                        return read;
                    }
                    Heard::Send(next) => break next,
                    Heard::Pause(at) => {
                        if let Err(fault) = pause(at, interrupted) {
                            return read(Err(fault.into()));
                        }
                        heard = execution.hear(Err(Error::invalid("the pause is over")));
                    }
                }
            };
            draft = next;
        }
    }

    /// Ends the connections; callers that wait get an error.
    pub fn close(&self) {
        self.pool.close();
    }
}

impl Janitor for BlockingPool<Single<Cassandra>> {
    fn sweep(&self, now: Tick) {
        self.maintain(now);
    }
}
