//! The future of one command.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{CachedReply, Command, NearLookup, Prepared, look_up};
use spikewire_aerospike::transport::buffer;
use spikewire_aerospike::{Error, Kind, Result};

use super::AsyncCore;
use super::cell::CommandCell;
use crate::aerospike::answer::{self, Answer};
use crate::aerospike::span::VerbSpan;
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
            Stage::Waiting(_) | Stage::Over => panic!("polled after its answer"),
        }
    }
}

impl<A: Answer> Drop for Pending<A> {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Waiting(cell) => cell.abandon(),
            Stage::New(Ok(request)) => buffer::give(request.bytes),
            Stage::New(Err(_)) | Stage::Known(_) | Stage::Over => {}
        }
    }
}

/// Runs a blocking function on a thread of its own.
pub(super) fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send + 'static {
    driving::on_a_thread(work, |message| Error::new(Kind::Connection, message))
}
