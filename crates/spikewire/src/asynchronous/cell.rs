//! Where the outcome of one command waits for the task that asked for it.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_engine::command::{BatchTicket, ResponseKind};
use spikewire_engine::transport::Next;
use spikewire_engine::transport::native::Ticket as Completes;
use spikewire_engine::transport::{Collect, Outcome, buffer};
use spikewire_engine::{Error, Kind, Result};

use super::many;
use crate::answer;

/// Shared between a future and the command it waits for.
#[derive(Debug)]
pub(super) struct Cell {
    state: Mutex<State>,
    /// Which replies are answers.
    kind: ResponseKind,
}

#[derive(Debug)]
enum State {
    /// The task to wake.
    Waiting(Waker),
    /// The reply's body, or why there is none.
    Done(Result<Vec<u8>>),
    /// The future took the outcome, or was dropped.
    Gone,
}

impl Cell {
    /// A cell that wakes this task, and the ticket that fills it.
    pub fn new(waker: Waker, kind: ResponseKind) -> (Arc<Self>, Ticket) {
        let cell = Arc::new(Self { state: Mutex::new(State::Waiting(waker)), kind });
        (cell.clone(), Ticket(Some(Who::One(cell))))
    }

    /// Takes the outcome, or remembers whom to wake.
    pub fn poll(&self, context: &Context<'_>) -> Poll<Result<Vec<u8>>> {
        let mut state = self.state.lock();
        match &mut *state {
            State::Waiting(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
            State::Done(_) => match std::mem::replace(&mut *state, State::Gone) {
                State::Done(outcome) => Poll::Ready(outcome),
                _ => Poll::Pending,
            },
            State::Gone => Poll::Pending,
        }
    }

    /// The future is gone: the outcome is dropped when it comes.
    pub fn abandon(&self) {
        let former = std::mem::replace(&mut *self.state.lock(), State::Gone);
        if let State::Done(Ok(body)) = former {
            buffer::give(body);
        }
    }

    fn fill(&self, outcome: Result<Vec<u8>>) {
        let mut state = self.state.lock();
        if let State::Waiting(_) = &*state {
            let former = std::mem::replace(&mut *state, State::Done(outcome));
            drop(state);
            if let State::Waiting(waker) = former {
                waker.wake();
            }
        } else if let Ok(body) = outcome {
            buffer::give(body);
        }
    }
}

/// Completes a command, once. A ticket that is lost on the way completes it with an error.
#[derive(Debug)]
pub(crate) struct Ticket(Option<Who>);

/// Who is told.
#[derive(Debug)]
enum Who {
    One(Arc<Cell>),
    /// One node's rows of a batch.
    Part(BatchTicket<many::Owner>),
}

impl From<BatchTicket<many::Owner>> for Ticket {
    fn from(part: BatchTicket<many::Owner>) -> Self {
        Self(Some(Who::Part(part)))
    }
}

impl Collect for Ticket {
    fn collect(&mut self, messages: &[u8]) {
        if let Some(Who::Part(part)) = &mut self.0 {
            part.collect(messages);
        }
    }
}

impl Completes for Ticket {
    fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let cell = match self.0.take() {
            Some(Who::One(cell)) => cell,
            Some(Who::Part(part)) => return part.complete(outcome, next),
            None => return,
        };
        let outcome = outcome.and_then(|reply| {
            answer::check(&reply, cell.kind)?;
            // The engine has just given the request's buffer back on this thread: it carries the
            // reply to the task, which decodes it and gives the buffer back on its own thread.
            let mut body = buffer::take();
            body.extend_from_slice(reply.body);
            Ok(body)
        });
        cell.fill(outcome);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        match self.0.take() {
            Some(Who::One(cell)) => cell.fill(Err(closed())),
            Some(Who::Part(part)) => part.owner().lost(),
            None => {}
        }
    }
}

pub(super) fn closed() -> Error {
    Error::new(Kind::Closed, "the client is closed")
}
