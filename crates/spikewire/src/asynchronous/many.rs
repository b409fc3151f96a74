//! The future of a batch.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_engine::Result;
use spikewire_engine::command::batch::{Batch as Rows, Part};
use spikewire_engine::command::{Command, Step, Underway};
use spikewire_engine::transport::Outcome;

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
    /// Keeps the connections open while somebody waits.
    core: Arc<Core>,
}

enum Stage {
    New(Result<Many>),
    Waiting(Arc<Shared>, Answered),
    Over,
}

/// Shared between the future and the parts of its batch.
pub(super) struct Shared {
    underway: Underway,
    core: Weak<Core>,
    state: Mutex<State>,
}

struct State {
    waker: Waker,
    rows: Option<Result<Rows>>,
}

impl PendingBatch {
    pub(super) fn new(core: Arc<Core>, many: Result<Many>) -> Self {
        Self { stage: Stage::New(many), core }
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
            let state = State { waker: context.waker().clone(), rows: None };
            let shared = Arc::new(Shared {
                underway: Underway::new(self.core.tools.cluster.clone()),
                core: Arc::downgrade(&self.core),
                state: Mutex::new(state),
            });
            self.stage = Stage::Waiting(shared.clone(), answered);
            let step = shared.underway.start(rows, |part| shared.ticket(part));
            shared.go_on(step);
        }
        let Stage::Waiting(shared, _) = &self.stage else { panic!("polled after its answer") };
        let rows = {
            let mut state = shared.state.lock();
            state.waker.clone_from(context.waker());
            state.rows.take()
        };
        let Some(rows) = rows else { return Poll::Pending };
        let Stage::Waiting(_, answered) = std::mem::replace(&mut self.stage, Stage::Over) else {
            unreachable!("it was just looked at")
        };
        Poll::Ready(rows.map(|rows| Batch::new(rows, answered)))
    }
}

impl Shared {
    fn ticket(self: &Arc<Self>, part: Part) -> Ticket {
        Ticket::part(self.clone(), part)
    }

    /// Takes what came of a part.
    pub fn part_done(self: &Arc<Self>, part: Part, outcome: Outcome<'_>) {
        let step = self.underway.finish(part, outcome, |part| self.ticket(part));
        self.go_on(step);
    }

    /// A part was lost with the thread or task that should have completed it.
    pub fn lost(&self) {
        self.tell(Err(closed()));
    }

    fn go_on(self: &Arc<Self>, step: Step<Ticket>) {
        match step {
            Step::Wait => {}
            Step::Send(commands) => self.send(commands),
            Step::Over(rows) => self.tell(Ok(rows)),
        }
    }

    fn send(&self, commands: Vec<Command<Ticket>>) {
        // Without the core nobody waits any more, and the tickets say so when they are dropped.
        if let Some(core) = self.core.upgrade() {
            commands.into_iter().for_each(|command| core.transport.submit(command));
        }
    }

    fn tell(&self, rows: Result<Rows>) {
        let waker = {
            let mut state = self.state.lock();
            if state.rows.is_some() {
                return;
            }
            state.rows = Some(rows);
            state.waker.clone()
        };
        waker.wake();
    }
}

impl fmt::Debug for PendingBatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PendingBatch").finish_non_exhaustive()
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.underway.fmt(out)
    }
}
