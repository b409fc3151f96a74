//! The future of a batch.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_engine::Result;
use spikewire_engine::command::batch::Batch as Rows;
use spikewire_engine::command::{BatchExecution, BatchOwner};
use spikewire_engine::transport::Next;

use super::Core;
use super::cell::{Ticket, closed};
use crate::batch::Batch;
use crate::many::{Answered, Many};

/// The outcomes of many records, once they have all come.
///
/// Works on any executor. The requests are sent when the future is first polled; dropping the
/// future abandons the answers.
#[must_use = "a batch is sent when its future is polled"]
pub struct PendingBatch {
    stage: Stage,
    /// Keeps the connections open while something waits.
    core: Arc<Core>,
}

enum Stage {
    New(Result<Many>),
    Waiting(Arc<BatchExecution<Owner>>, Answered),
    Over,
}

/// Where the outcome waits for the future.
#[derive(Debug)]
pub(super) struct Owner(Mutex<Waiting>);

#[derive(Debug)]
struct Waiting {
    waker: Waker,
    rows: Option<Result<Rows>>,
}

impl PendingBatch {
    pub(super) fn new(core: Arc<Core>, many: Result<Many>) -> Self {
        Self { stage: Stage::New(many), core }
    }

    fn start(&self, rows: Rows, waker: Waker) -> Arc<BatchExecution<Owner>> {
        let owner = Owner(Mutex::new(Waiting { waker, rows: None }));
        let mut next = Next::default();
        let cluster = self.core.tools.cluster.clone();
        let execution = BatchExecution::start(cluster, owner, rows, &mut next);
        self.core.transport.submit_all(next);
        execution
    }
}

impl Future for PendingBatch {
    type Output = Result<Batch>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Batch>> {
        if let Stage::New(_) = self.stage {
            let Stage::New(many) = std::mem::replace(&mut self.stage, Stage::Over) else {
                unreachable!("it was just looked at")
            };
            let Many { rows, answered } = match many {
                Ok(many) => many,
                Err(error) => return Poll::Ready(Err(error)),
            };
            if self.core.tools.cluster.is_closed() {
                return Poll::Ready(Err(closed()));
            }
            let execution = self.start(rows, context.waker().clone());
            self.stage = Stage::Waiting(execution, answered);
        }
        let Stage::Waiting(execution, _) = &self.stage else { panic!("polled after its answer") };
        let rows = {
            let mut waiting = execution.owner().0.lock();
            waiting.waker.clone_from(context.waker());
            waiting.rows.take()
        };
        let Some(rows) = rows else { return Poll::Pending };
        let Stage::Waiting(_, answered) = std::mem::replace(&mut self.stage, Stage::Over) else {
            unreachable!("it was just looked at")
        };
        Poll::Ready(rows.map(|rows| Batch::new(rows, answered)))
    }
}

impl BatchOwner for Owner {
    type Ticket = Ticket;

    fn window_done(&self, rows: Rows) -> Option<Rows> {
        self.tell(Ok(rows));
        None
    }
}

impl Owner {
    /// A part was lost with the thread or task that should have completed it.
    pub fn lost(&self) {
        self.tell(Err(closed()));
    }

    fn tell(&self, rows: Result<Rows>) {
        let waker = {
            let mut waiting = self.0.lock();
            if waiting.rows.is_some() {
                return;
            }
            waiting.rows = Some(rows);
            waiting.waker.clone()
        };
        waker.wake();
    }
}

impl fmt::Debug for PendingBatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PendingBatch").finish_non_exhaustive()
    }
}
