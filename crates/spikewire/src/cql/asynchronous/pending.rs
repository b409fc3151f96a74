//! A request under way, and where its answer waits for the task that asked.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_cassandra::connection::{Cassandra, Next, Outcome};
use spikewire_cassandra::execution::{Draft, Execution, Heard};
use spikewire_cassandra::session::Call;
use spikewire_cassandra::speculation::Share;
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_transport::native::Ticket as Completes;
use spikewire_transport::{ResponseHandler, Tick, buffer};

use super::Core;
use crate::cql::result::Raw;
use crate::driving::Cell;

/// The answer to a request, once it has come. The request is sent when it is polled first.
#[derive(Debug)]
pub(super) struct Pending {
    stage: Stage,
    /// Keeps the connections open while something waits.
    core: Arc<Core>,
}

#[derive(Debug)]
enum Stage {
    New(Box<Call>),
    Waiting(Arc<Cell<Result<Raw>>>),
    Over,
}

impl Pending {
    pub fn new(core: Arc<Core>, call: Call) -> Self {
        Self { stage: Stage::New(Box::new(call)), core }
    }
}

impl Future for Pending {
    type Output = Result<Raw>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Raw>> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::New(call) => {
                let cell = Arc::new(Cell::new(context.waker().clone()));
                let (draft, execution) = call.split();
                let waiting = Share::Own(Waiting(Some(cell.clone())));
                let ticket = Ticket { waiting, execution: Box::new(execution) };
                let command = draft.into_command(Tick::now(), ticket);
                self.stage = Stage::Waiting(cell);
                self.core.connections.submit(command);
                Poll::Pending
            }
            Stage::Waiting(cell) => {
                let polled = cell.poll(context);
                if polled.is_pending() {
                    self.stage = Stage::Waiting(cell);
                }
                polled
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

/// A request under way, or a copy of one.
#[derive(Debug)]
pub(super) struct Ticket {
    waiting: Share<Waiting>,
    execution: Box<Execution>,
}

/// Completes a request, once. One that is lost on the way is completed with an error.
#[derive(Debug)]
struct Waiting(Option<Arc<Cell<Result<Raw>>>>);

impl Waiting {
    fn is_gone(&self) -> bool {
        self.0.as_ref().is_none_or(|cell| cell.is_gone())
    }
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        !self.execution.is_left()
    }

    fn is_withdrawn(&self) -> bool {
        self.waiting.ask(Waiting::is_gone).unwrap_or(true)
    }

    fn twin(&mut self) -> Option<Self> {
        let execution = Box::new(self.execution.twin()?);
        Some(Self { waiting: self.waiting.twin(), execution })
    }

    fn returned(&mut self, request: Vec<u8>) {
        self.execution.returned(request);
    }
}

/// What an outcome leads to.
enum Step {
    Done(Result<Raw>),
    Send(Draft),
    Pause(Tick),
}

impl Completes<Cassandra> for Ticket {
    fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let step = match self.execution.hear(outcome) {
            Heard::Done(answer) => Step::Done(answer.map(Raw::of)),
            Heard::Send(draft) => Step::Send(draft),
            Heard::Pause(at) => Step::Pause(at),
            Heard::Left => return,
        };
        match step {
            Step::Done(answer) => {
                if let Some(cell) = self.waiting.take().and_then(|waiting| waiting.0.take()) {
                    drop(cell.fill(answer));
                }
            }
            Step::Send(draft) => next.commands.push(draft.into_command(Tick::now(), self)),
            Step::Pause(at) => next.pauses.push((at, self)),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(cell) = self.0.take() {
            drop(cell.fill(Err(Error::new(Kind::Closed, "the session is closed"))));
        }
    }
}
