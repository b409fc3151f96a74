//! The future of one command.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::{Command, Prepared};
use spikewire_aerospike::transport::buffer;
use spikewire_aerospike::{Error, Kind, Result};

use super::Core;
use super::cell::Cell;
use crate::answer::{self, Answer};

/// The answer to a verb of [`AsyncDataset`](super::AsyncDataset), once it has come.
///
/// Works on any executor. The request is sent when the future is first polled; dropping the future
/// abandons the answer.
#[derive(Debug)]
#[must_use = "a command is sent when its future is polled"]
pub struct Pending<A: Answer> {
    stage: Stage,
    plan: A::Plan,
    /// Keeps the connections open while a future is pending.
    core: Arc<Core>,
    answer: PhantomData<fn() -> A>,
}

#[derive(Debug)]
enum Stage {
    /// Composed, or refused.
    New(Result<Prepared>),
    /// Sent.
    Waiting(Arc<Cell>),
    Over,
}

impl<A: Answer> Pending<A> {
    pub(super) fn new(core: Arc<Core>, request: Result<Prepared>, plan: A::Plan) -> Self {
        Self { stage: Stage::New(request), plan, core, answer: PhantomData }
    }
}

impl<A: Answer> Future for Pending<A> {
    type Output = Result<A>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<A>> {
        if let Stage::Waiting(cell) = &self.stage {
            let Poll::Ready(outcome) = cell.poll(context) else { return Poll::Pending };
            self.stage = Stage::Over;
            return Poll::Ready(outcome.and_then(|body| {
                let answer = answer::read(&body, &self.plan);
                buffer::give(body);
                answer
            }));
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(Ok(request)) => {
                let (cell, ticket) = Cell::new(context.waker().clone(), A::KIND);
                let Prepared { bytes, target, policy } = request;
                let command = Command::new(bytes, target, policy, Tick::now(), ticket);
                self.stage = Stage::Waiting(cell);
                self.core.transport.submit(command);
                Poll::Pending
            }
            Stage::New(Err(error)) => Poll::Ready(Err(error)),
            Stage::Waiting(_) | Stage::Over => panic!("polled after its answer"),
        }
    }
}

impl<A: Answer> Drop for Pending<A> {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Waiting(cell) => cell.abandon(),
            Stage::New(Ok(request)) => buffer::give(request.bytes),
            Stage::New(Err(_)) | Stage::Over => {}
        }
    }
}

/// Runs something that blocks on a thread of its own: connecting and the like, which is rare. It is
/// given a check whether its future still exists.
pub(super) fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send + 'static {
    let shared = Arc::new(Mutex::new((None, None::<Waker>)));
    let mut work = Some(work);
    std::future::poll_fn(move |context| {
        if let Some(work) = work.take() {
            let shared = shared.clone();
            let started =
                std::thread::Builder::new().name("spikewire-start".into()).spawn(move || {
                    let outcome = work(&|| Arc::strong_count(&shared) > 1);
                    let mut shared = shared.lock();
                    shared.0 = Some(outcome);
                    let waker = shared.1.take();
                    drop(shared);
                    waker.map(Waker::wake)
                });
            if let Err(error) = started {
                let message = format!("no thread to do it on: {error}");
                return Poll::Ready(Err(Error::new(Kind::Connection, message)));
            }
        }
        let mut shared = shared.lock();
        let Some(outcome) = shared.0.take() else {
            shared.1 = Some(context.waker().clone());
            return Poll::Pending;
        };
        Poll::Ready(outcome)
    })
}
