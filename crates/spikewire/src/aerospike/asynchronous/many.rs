//! The future of a batch.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spikewire_aerospike::command::BatchExecution;
use spikewire_aerospike::command::batch::{Batch as Rows, ResultFlags};
use spikewire_aerospike::transaction as engine;
use spikewire_aerospike::transaction::Step;
use spikewire_aerospike::transport::Next;
use spikewire_aerospike::{Error, Result};

use super::AsyncCore;
use super::cell::BatchCell;
use super::steps::RunningSteps;
use crate::aerospike::batch::Batch;
use crate::aerospike::many::ComposedBatch;
use crate::aerospike::span::VerbSpan;

/// The future of the outcomes of many records.
///
/// Works on any executor. The requests are sent when the future is first polled; dropping the
/// future discards the replies.
#[must_use = "a batch is sent when its future is polled"]
pub struct PendingBatch {
    stage: Stage,
    span: VerbSpan,
    /// Keeps the connections open while the future is pending.
    core: Arc<AsyncCore>,
    /// The transaction that it is part of.
    transaction: Option<Arc<engine::Transaction>>,
}

#[expect(clippy::large_enum_variant, reason = "moved once; a box would be an allocation each time")]
enum Stage {
    New(Result<ComposedBatch>),
    Waiting(Arc<BatchExecution<BatchCell>>, ResultFlags<Vec<bool>>),
    /// Part of a transaction.
    Within(Box<RunningSteps<engine::TransactionCall>>, ResultFlags<Vec<bool>>),
    Over,
}

impl PendingBatch {
    pub(super) fn new(
        core: Arc<AsyncCore>,
        many: Result<ComposedBatch>,
        span: VerbSpan,
        transaction: Option<Arc<engine::Transaction>>,
    ) -> Self {
        Self { stage: Stage::New(many), span, core, transaction }
    }

    /// The batch is over.
    fn end(&mut self, rows: Result<Rows>, answered: ResultFlags<Vec<bool>>) -> Result<Batch> {
        if let Ok(rows) = &rows {
            self.core.context.cluster.metrics().goes_on(rows.answered());
        }
        self.span.ended(&rows);
        // The future may be kept longer than the span should last.
        self.span = VerbSpan::default();
        rows.map(|rows| Batch::new(rows, answered))
    }

    fn start(&self, rows: Rows, waker: Waker) -> Arc<BatchExecution<BatchCell>> {
        let mut next = Next::default();
        let cluster = self.core.context.cluster.clone();
        let execution = BatchExecution::start(cluster, BatchCell::new(waker), rows, &mut next);
        self.core.transport.submit_all(next);
        execution
    }
}

impl Future for PendingBatch {
    type Output = Result<Batch>;

    #[expect(clippy::panic, reason = "a future must not be polled after its end")]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Batch>> {
        if let Stage::New(_) = self.stage {
            let Stage::New(many) = std::mem::replace(&mut self.stage, Stage::Over) else {
                unreachable!("it was just looked at")
            };
            let ComposedBatch { rows, answered, .. } = match many {
                Ok(many) => many,
                Err(error) => return Poll::Ready(Err(error)),
            };
            if self.core.context.cluster.is_closed() {
                let error = Error::closed();
                self.span.failed(&error);
                return Poll::Ready(Err(error));
            }
            if let Some(transaction) = self.transaction.take().filter(|_| !rows.is_empty()) {
                match transaction.enter(&self.core.context.cluster, rows) {
                    Ok((call, rows)) => {
                        let running = RunningSteps::new(call, Step::Send(rows));
                        self.stage = Stage::Within(running, answered);
                    }
                    Err(error) => {
                        self.span.failed(&error);
                        return Poll::Ready(Err(error));
                    }
                }
            } else {
                let execution = self.start(rows, context.waker().clone());
                self.stage = Stage::Waiting(execution, answered);
            }
        }
        if matches!(self.stage, Stage::Within(..)) {
            let Stage::Within(mut running, answered) =
                std::mem::replace(&mut self.stage, Stage::Over)
            else {
                unreachable!("it was just looked at")
            };
            let Poll::Ready(rows) = running.poll(&self.core, context) else {
                self.stage = Stage::Within(running, answered);
                return Poll::Pending;
            };
            return Poll::Ready(self.end(rows, answered));
        }
        let Stage::Waiting(execution, _) = &self.stage else { panic!("polled after its answer") };
        let Poll::Ready(rows) = execution.owner().poll(context) else { return Poll::Pending };
        let Stage::Waiting(_, answered) = std::mem::replace(&mut self.stage, Stage::Over) else {
            unreachable!("it was just looked at")
        };
        Poll::Ready(self.end(rows, answered))
    }
}

impl fmt::Debug for PendingBatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PendingBatch").finish_non_exhaustive()
    }
}
