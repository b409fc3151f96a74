//! Cells in which outcomes of commands and batches wait for their tasks.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_aerospike::admin::AdminTicket;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::batch::Batch;
use spikewire_aerospike::command::{BatchOwner, BatchTicket, ResponseKind};
use spikewire_aerospike::transport::Next;
use spikewire_aerospike::transport::native::Ticket as Completes;
use spikewire_aerospike::transport::{Aerospike, Outcome, ResponseHandler, buffer};
use spikewire_aerospike::{Error, Result};

use crate::aerospike::answer;
use crate::aerospike::span::VerbSpan;
use crate::driving;

/// Shared by a future and its command.
#[derive(Debug)]
pub(super) struct CommandCell {
    /// The reply's body, or the error.
    outcome: driving::Cell<Result<Vec<u8>>>,
    /// Which replies are results and not errors.
    kind: ResponseKind,
    span: VerbSpan,
}

impl CommandCell {
    /// A cell that wakes this task, and the ticket that fills it.
    pub fn new(waker: Waker, kind: ResponseKind, span: VerbSpan) -> (Arc<Self>, Ticket) {
        let cell = Arc::new(Self { outcome: driving::Cell::new(waker), kind, span });
        (cell.clone(), Ticket(Some(TicketTarget::One(cell))))
    }

    /// Takes the outcome, and the time of its delivery if stages are timed; or stores the waker.
    pub fn poll(&self, context: &Context<'_>) -> Poll<(Result<Vec<u8>>, Option<Tick>)> {
        self.outcome.poll(context)
    }

    /// The future was dropped: the outcome will be discarded.
    pub fn abandon(&self) {
        if let Some(Ok(body)) = self.outcome.abandon() {
            buffer::give(body);
        }
    }

    fn fill(&self, outcome: Result<Vec<u8>>) {
        if let Err(error) = &outcome {
            self.span.failed(error);
        }
        if let Some(Ok(body)) = self.outcome.fill(outcome) {
            buffer::give(body);
        }
    }
}

/// Holds the outcome of a batch for its future.
#[derive(Debug)]
pub(super) struct BatchCell(Mutex<BatchOutcome>);

#[derive(Debug)]
struct BatchOutcome {
    waker: Waker,
    rows: Option<Result<Batch>>,
}

impl BatchCell {
    /// A cell that wakes this task.
    pub fn new(waker: Waker) -> Self {
        Self(Mutex::new(BatchOutcome { waker, rows: None }))
    }

    /// Takes the outcome, or stores the waker.
    pub fn poll(&self, context: &Context<'_>) -> Poll<Result<Batch>> {
        let mut waiting = self.0.lock();
        waiting.waker.clone_from(context.waker());
        waiting.rows.take().map_or(Poll::Pending, Poll::Ready)
    }

    fn fill(&self, rows: Result<Batch>) {
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

impl BatchOwner for BatchCell {
    type Ticket = Ticket;

    fn window_done(&self, rows: Batch) -> Option<Batch> {
        self.fill(Ok(rows));
        None
    }
}

/// Completes a command exactly once. A dropped ticket completes it with an error.
#[derive(Debug)]
pub(crate) struct Ticket(Option<TicketTarget>);

/// What a ticket completes.
#[derive(Debug)]
enum TicketTarget {
    One(Arc<CommandCell>),
    /// A part of a batch.
    Part(BatchTicket<BatchCell>),
    /// A request of an administrative command.
    Question(AdminTicket<Ticket>),
}

impl From<BatchTicket<BatchCell>> for Ticket {
    fn from(part: BatchTicket<BatchCell>) -> Self {
        Self(Some(TicketTarget::Part(part)))
    }
}

impl From<AdminTicket<Ticket>> for Ticket {
    fn from(question: AdminTicket<Ticket>) -> Self {
        Self(Some(TicketTarget::Question(question)))
    }
}

impl ResponseHandler for Ticket {
    fn is_withdrawn(&self) -> bool {
        match &self.0 {
            Some(TicketTarget::Part(part)) => part.is_withdrawn(),
            Some(TicketTarget::Question(question)) => question.is_withdrawn(),
            Some(TicketTarget::One(_)) | None => false,
        }
    }

    fn answered_at(&mut self, at: Tick) {
        match &mut self.0 {
            Some(TicketTarget::One(cell)) => cell.outcome.answered_at(at),
            Some(TicketTarget::Part(part)) => part.answered_at(at),
            Some(TicketTarget::Question(_)) | None => {}
        }
    }

    fn starts(&mut self) -> bool {
        if let Some(TicketTarget::Question(question)) = &self.0 {
            question.starts();
        }
        true
    }

    fn collect(&mut self, messages: &[u8]) {
        match &mut self.0 {
            Some(TicketTarget::Part(part)) => part.collect(messages),
            Some(TicketTarget::Question(question)) => question.collect(messages),
            Some(TicketTarget::One(_)) | None => {}
        }
    }
}

impl Completes<Aerospike> for Ticket {
    fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let cell = match self.0.take() {
            Some(TicketTarget::One(cell)) => cell,
            Some(TicketTarget::Part(part)) => return part.complete(outcome, next),
            Some(TicketTarget::Question(question)) => return question.complete(outcome, next),
            None => return,
        };
        let outcome = outcome.and_then(|reply| {
            cell.span.answered(reply.body, reply.node);
            answer::check(&reply, cell.kind)?;
            // The engine has just returned the request's buffer on this thread: it carries the
            // reply to the task, which decodes it and returns the buffer on its own thread.
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
            Some(TicketTarget::One(cell)) => cell.fill(Err(Error::closed())),
            Some(TicketTarget::Part(part)) => part.owner().fill(Err(Error::closed())),
            // These handle being dropped themselves.
            Some(TicketTarget::Question(_)) | None => {}
        }
    }
}
