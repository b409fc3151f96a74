//! Batches of a transaction that are sent one after the other, by whoever polls for their end.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_aerospike::Result;
use spikewire_aerospike::command::BatchExecution;
use spikewire_aerospike::command::batch::Batch as Rows;
use spikewire_aerospike::transaction::{Step, Steps};
use spikewire_aerospike::transport::Next;

use super::AsyncCore;
use super::cell::BatchCell;

/// Steps on their way.
pub(super) struct RunningSteps<S: Steps> {
    steps: S,
    next: Option<Step<S::Output>>,
    execution: Option<Arc<BatchExecution<BatchCell>>>,
}

impl<S: Steps> RunningSteps<S> {
    /// Begins with this step, once it is polled.
    pub fn new(steps: S, first: Step<S::Output>) -> Box<Self> {
        Box::new(Self { steps, next: Some(first), execution: None })
    }

    /// Their end. Must not be polled again after that.
    pub fn poll(
        &mut self,
        core: &Arc<AsyncCore>,
        context: &Context<'_>,
    ) -> Poll<Result<S::Output>> {
        loop {
            if let Some(execution) = &self.execution {
                let Poll::Ready(rows) = execution.owner().poll(context) else {
                    return Poll::Pending;
                };
                self.execution = None;
                match rows {
                    Ok(rows) => self.next = Some(self.steps.next(rows)),
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            match self.next.take() {
                Some(Step::Send(rows)) => self.execution = Some(start(core, rows, context)),
                Some(Step::Done(output)) => return Poll::Ready(Ok(output)),
                None => return Poll::Pending,
            }
        }
    }
}

fn start(
    core: &Arc<AsyncCore>,
    rows: Rows,
    context: &Context<'_>,
) -> Arc<BatchExecution<BatchCell>> {
    let mut next = Next::default();
    let cluster = core.context.cluster.clone();
    let cell = BatchCell::new(context.waker().clone());
    let execution = BatchExecution::start(cluster, cell, rows, &mut next);
    core.transport.submit_all(next);
    execution
}

impl<S: Steps> fmt::Debug for RunningSteps<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunningSteps").finish_non_exhaustive()
    }
}
