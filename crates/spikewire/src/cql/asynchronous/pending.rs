//! Pending requests, and cells in which their replies wait for the tasks.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_cassandra::execution::Answer;
use spikewire_cassandra::session::Call;
use spikewire_cassandra::ticket::{self, AnswerReceiver, AnswerWaiter};
use spikewire_cassandra::{Error, Result};
use spikewire_transport::{Tick, buffer};

use super::Core;
use crate::cql::result::Raw;
use crate::driving::Cell;

/// The future of a request, which is sent when it is first polled.
#[derive(Debug)]
pub(super) struct Pending {
    stage: Stage,
    /// Keeps the connections open while the future is pending.
    core: Arc<Core>,
}

#[derive(Debug)]
enum Stage {
    New(Box<Call>),
    Waiting(Arc<Cell<Result<Raw>>>),
    Over,
}

impl Pending {
    pub fn new(core: Arc<Core>, call: Box<Call>) -> Self {
        Self { stage: Stage::New(call), core }
    }
}

impl Future for Pending {
    type Output = Result<Raw>;

    #[expect(clippy::panic, reason = "a future must not be polled after its end")]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Raw>> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(call) => {
                let cell = Arc::new(Cell::new(context.waker().clone()));
                let waiting = Waiting(Some(cell.clone()));
                let command = Ticket::command(*call, Tick::now(), waiting);
                self.stage = Stage::Waiting(cell);
                self.core.connections.submit(command);
                Poll::Pending
            }
            Stage::Waiting(cell) => {
                let Poll::Ready((outcome, answered)) = cell.poll(context) else {
                    self.stage = Stage::Waiting(cell);
                    return Poll::Pending;
                };
                self.core.composer.cluster().metrics().goes_on(answered);
                Poll::Ready(outcome)
            }
            Stage::Over => panic!("polled after its answer"),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Waiting(cell) => drop(cell.abandon()),
            Stage::New(call) => buffer::give(call.bytes),
            Stage::Over => {}
        }
    }
}

/// A request in progress, or a copy of one.
pub(super) type Ticket = ticket::Ticket<Waiting>;

/// Completes a request exactly once. A dropped one is completed with an error.
#[derive(Debug)]
pub(super) struct Waiting(Option<Arc<Cell<Result<Raw>>>>);

impl AnswerWaiter for Waiting {
    fn answered_at(&mut self, at: Tick) {
        if let Some(cell) = &self.0 {
            cell.answered_at(at);
        }
    }

    fn is_withdrawn(&self) -> bool {
        self.0.as_ref().is_none_or(|cell| cell.is_gone())
    }
}

impl AnswerReceiver for Waiting {
    fn take(&mut self, answer: Result<Answer<'_>>, _: &[u8]) {
        if let Some(cell) = self.0.take() {
            drop(cell.fill(answer.map(Raw::of)));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(cell) = self.0.take() {
            drop(cell.fill(Err(Error::closed())));
        }
    }
}
