//! What a driver completes: the future of a statement.

use pyo3::prelude::*;
use spikewire_cassandra::Error;
use spikewire_cassandra::connection::{Cassandra, Next, Outcome};
use spikewire_cassandra::session::Call;
use spikewire_cassandra::ticket::{self, AnswerWaiter};
use spikewire_transport::Tick;

use super::job::{Job, Progress};
use crate::bridge::gil_fairness::CommandGuard;
use crate::bridge::promise::Completes;
use crate::stages::Watch;

/// The future that receives a statement's result.
pub type Promise = crate::bridge::promise::Promise<Error>;

/// Receives the result of one statement of many.
pub trait Taker: Send + Sync {
    /// Whether the result is still wanted. Does not need the interpreter.
    fn starts(&self) -> bool;

    /// For the garbage collector: calls `look` with the future of an event loop that waits for the
    /// statements.
    fn look(&self, look: &mut dyn FnMut(&Py<PyAny>));

    /// Receives the result.
    fn settle(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>);
}

/// Where a statement's result goes.
pub enum Delivery {
    /// To a future.
    Future(Promise),
    /// To a call with many statements.
    Share(Box<dyn Taker>),
}

impl From<Promise> for Delivery {
    fn from(promise: Promise) -> Self {
        Self::Future(promise)
    }
}

impl Delivery {
    fn starts(&self) -> bool {
        match self {
            Self::Future(promise) => promise.starts(),
            Self::Share(share) => share.starts(),
        }
    }

    fn is_abandoned(&self) -> bool {
        match self {
            Self::Future(promise) => promise.is_abandoned(),
            Self::Share(_) => false,
        }
    }

    fn settle(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        match self {
            Self::Future(promise) => promise.settle(py, outcome),
            Self::Share(share) => share.settle(py, outcome),
        }
    }
}

/// A statement in progress on a driver.
pub type Ticket = ticket::Ticket<PendingStatement>;

/// A command of a driver.
pub type Command = Box<spikewire_cassandra::connection::Command<Ticket>>;

/// What waits for a statement's result, shared by its speculative copies.
pub struct PendingStatement {
    delivery: Delivery,
    job: Job,
    /// Held while the statement is in flight.
    _sent: Option<CommandGuard>,
    /// Timing of the statement, if enabled.
    watch: Option<Box<Watch>>,
}

/// The command that sends a call.
pub fn command(
    call: Call,
    now: Tick,
    delivery: Delivery,
    job: Job,
    (sent, watch): (Option<CommandGuard>, Option<Box<Watch>>),
) -> Command {
    Ticket::command(call, now, PendingStatement { delivery, job, _sent: sent, watch })
}

impl AnswerWaiter for PendingStatement {
    fn starts(&self, follows: bool) -> bool {
        // If the task was cancelled in the meantime, a speculative copy is not worth sending.
        self.delivery.starts() && !(follows && self.delivery.is_abandoned())
    }

    fn answered_at(&mut self, _: Tick) {
        if let Some(watch) = &mut self.watch {
            watch.on_reply();
        }
    }
}

impl Completes<Cassandra> for Ticket {
    fn look(&self, look: &mut dyn FnMut(&Py<PyAny>)) {
        self.look_at(|waiting| match &waiting.delivery {
            Delivery::Future(promise) => promise.look(look),
            Delivery::Share(share) => share.look(look),
        });
    }

    fn complete(self, py: Python<'_>, outcome: Outcome<'_>, next: &mut Next<Self>) {
        self.on_outcome(outcome, next, |waiting, answer| {
            if let Some(watch) = &waiting.watch {
                watch.goes_on();
            }
            let result = match waiting.job.on_reply(py, answer) {
                Ok(Progress::Send(call)) => return Some(call),
                Ok(Progress::Done(result)) => Ok(result),
                Err(error) => Err(error.into()),
            };
            if let Some(watch) = &waiting.watch {
                watch.decoded(None);
            }
            waiting.delivery.settle(py, result);
            None
        });
    }
}
