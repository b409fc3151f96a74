//! The future of one command.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{CachedReply, Command, NearLookup, Prepared, look_up};
use spikewire_aerospike::transaction as engine;
use spikewire_aerospike::transaction::Step;
use spikewire_aerospike::transport::buffer;
use spikewire_aerospike::{Error, Kind, Result};

use super::AsyncCore;
use super::cell::CommandCell;
use super::steps::RunningSteps;
use crate::aerospike::answer::{self, Answer};
use crate::aerospike::span::VerbSpan;
use crate::aerospike::transaction::read;
use crate::driving;

/// The future of a verb of [`AsyncDataset`](super::AsyncDataset).
///
/// Works on any executor. The request is sent when the future is first polled; dropping the future
/// discards the reply.
#[derive(Debug)]
#[must_use = "a command is sent when its future is polled"]
pub struct Pending<A: Answer> {
    stage: Stage,
    /// Taken when the request is sent.
    span: VerbSpan,
    plan: A::Plan,
    /// Keeps the connections open while a future is pending.
    core: Arc<AsyncCore>,
    answer: PhantomData<fn() -> A>,
}

#[derive(Debug)]
enum Stage {
    /// Composed, or rejected.
    New(Result<Prepared>),
    /// Sent.
    Waiting(Arc<CommandCell>),
    /// Composed, for a transaction; boxed because rarely used.
    Entering(Box<(Arc<engine::Transaction>, Prepared)>),
    /// Part of a transaction.
    Within(Box<RunningSteps<engine::TransactionCall>>),
    /// Known without being sent; the task was given back to its executor first.
    Known(CachedReply),
    Over,
}

impl<A: Answer> Pending<A> {
    pub(super) fn new(
        core: Arc<AsyncCore>,
        request: Result<Prepared>,
        plan: A::Plan,
        span: VerbSpan,
    ) -> Self {
        Self { stage: Stage::New(request), span, plan, core, answer: PhantomData }
    }

    /// The same as part of a transaction.
    #[inline]
    pub(super) fn within(mut self, transaction: Option<&Arc<engine::Transaction>>) -> Self {
        if let Some(transaction) = transaction {
            let composed = std::mem::replace(&mut self.stage, Stage::Over);
            self.stage = match composed {
                Stage::New(Ok(request)) => {
                    Stage::Entering(Box::new((transaction.clone(), request)))
                }
                stage => stage,
            };
        }
        self
    }

    /// Begins or goes on in a transaction.
    #[cold]
    fn poll_within(&mut self, stage: Stage, context: &Context<'_>) -> Poll<Result<A>> {
        let mut running = match stage {
            Stage::Entering(entering) => {
                let (transaction, mut request) = *entering;
                match transaction.enter_read(&self.core.context.cluster, &mut request) {
                    Ok(true) => return self.send(request, context),
                    Ok(false) => {}
                    Err(error) => return self.end_within(Err(error)),
                }
                let entered = transaction.enter_one(&self.core.context.cluster, &request);
                buffer::give(request.bytes);
                match entered {
                    Ok((call, rows)) => RunningSteps::new(call, Step::Send(rows)),
                    Err(error) => return self.end_within(Err(error)),
                }
            }
            Stage::Within(running) => running,
            _ => return Poll::Pending,
        };
        let Poll::Ready(rows) = running.poll(&self.core, context) else {
            self.stage = Stage::Within(running);
            return Poll::Pending;
        };
        let answer = rows.and_then(|rows| read(&rows, &self.plan));
        self.end_within(answer)
    }

    fn end_within(&mut self, answer: Result<A>) -> Poll<Result<A>> {
        if let Err(error) = &answer {
            self.span.failed(error);
        }
        self.span = VerbSpan::default();
        Poll::Ready(answer)
    }

    #[inline(always)]
    fn send(&mut self, request: Prepared, context: &Context<'_>) -> Poll<Result<A>> {
        let span = std::mem::take(&mut self.span);
        let (cell, ticket) = CommandCell::new(context.waker().clone(), A::KIND, span);
        let Prepared { bytes, target, policy } = request;
        let command = Command::new(bytes, target, policy, Tick::now(), ticket);
        self.stage = Stage::Waiting(cell);
        self.core.transport.submit(command);
        Poll::Pending
    }

    /// Asks the near cache first.
    #[cold]
    #[inline(never)]
    fn begin_near(&mut self, request: Prepared, context: &Context<'_>) -> Poll<Result<A>> {
        match look_up(&self.core.context.cluster, request) {
            NearLookup::Hit(known) => self.deliver_known(known, context),
            NearLookup::Miss(request) => self.send(request, context),
        }
    }

    /// Completes it without a command, after others had their turn if they should.
    #[cold]
    fn deliver_known(&mut self, known: CachedReply, context: &Context<'_>) -> Poll<Result<A>> {
        if !known.yields() {
            return Poll::Ready(answer::known(&known, &self.plan));
        }
        self.stage = Stage::Known(known);
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<A: Answer> Future for Pending<A> {
    type Output = Result<A>;

    #[expect(clippy::panic, reason = "a future must not be polled after its end")]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<A>> {
        if let Stage::Waiting(cell) = &self.stage {
            let Poll::Ready((outcome, answered)) = cell.poll(context) else { return Poll::Pending };
            self.stage = Stage::Over;
            let metrics = self.core.context.cluster.metrics();
            let at = metrics.goes_on(answered);
            return Poll::Ready(outcome.and_then(|body| {
                let answer = answer::read(&body, &self.plan);
                metrics.decoded(at);
                buffer::give(body);
                answer
            }));
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(Ok(request)) if self.core.context.cluster.has_near_cache() => {
                self.begin_near(request, context)
            }
            Stage::New(Ok(request)) => self.send(request, context),
            Stage::New(Err(error)) => Poll::Ready(Err(error)),
            Stage::Known(known) => Poll::Ready(answer::known(&known, &self.plan)),
            stage @ (Stage::Entering(_) | Stage::Within(_)) => self.poll_within(stage, context),
            Stage::Waiting(_) | Stage::Over => panic!("polled after its answer"),
        }
    }
}

impl<A: Answer> Drop for Pending<A> {
    fn drop(&mut self) {
        match &mut self.stage {
            Stage::Waiting(cell) => cell.abandon(),
            Stage::New(Ok(request)) => buffer::give(std::mem::take(&mut request.bytes)),
            Stage::Entering(entering) => buffer::give(std::mem::take(&mut entering.1.bytes)),
            Stage::New(Err(_)) | Stage::Known(_) | Stage::Within(_) | Stage::Over => {}
        }
    }
}

/// Runs a blocking function on a thread of its own.
pub(super) fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send + 'static {
    driving::on_a_thread(work, |message| Error::new(Kind::Connection, message))
}
