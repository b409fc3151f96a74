//! What a driver completes: the future of a statement.

use pyo3::prelude::*;
use spikewire_cassandra::Error;
use spikewire_cassandra::connection::{Cassandra, Next, Outcome};
use spikewire_cassandra::execution::{Draft, Execution, Heard};
use spikewire_cassandra::session::Call;
use spikewire_cassandra::speculation::Share;
use spikewire_transport::{ResponseHandler, Tick};

use super::job::{Job, Progress};
use crate::bridge::gil_fairness::CommandGuard;
use crate::bridge::promise::Completes;

/// The future that a statement's result goes to.
pub type Promise = crate::bridge::promise::Promise<Error>;

/// What takes the result of one statement of many.
pub trait Taker: Send + Sync {
    /// Whether the result is still wanted. Needs no interpreter.
    fn starts(&self) -> bool;

    /// Takes the result.
    fn tell(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>);
}

/// Where a statement's result goes.
pub enum Delivery {
    /// A future.
    Future(Promise),
    /// One of many.
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

    fn is_given_up(&self) -> bool {
        match self {
            Self::Future(promise) => promise.is_given_up(),
            Self::Share(_) => false,
        }
    }

    fn tell(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        match self {
            Self::Future(promise) => promise.tell(py, outcome),
            Self::Share(share) => share.tell(py, outcome),
        }
    }
}

/// A statement under way on a driver.
pub struct Ticket {
    waiting: Share<Waiting>,
    execution: Execution,
}

/// What waits for a statement, shared by its copies.
struct Waiting {
    delivery: Delivery,
    job: Job,
    sent: Option<CommandGuard>,
}

/// A command of a driver.
pub type Command = Box<spikewire_cassandra::connection::Command<Ticket>>;

/// What follows an outcome.
#[expect(clippy::large_enum_variant, reason = "moved once; a box would be an allocation each time")]
enum Step<'py> {
    Told(Progress<'py>),
    Send(Draft),
    Pause(Tick),
}

impl Ticket {
    /// The command that carries a call.
    pub fn command(
        call: Call,
        now: Tick,
        delivery: Delivery,
        job: Job,
        sent: Option<CommandGuard>,
    ) -> Command {
        let Call { bytes, target, policy, execution } = call;
        let waiting = Share::Own(Waiting { delivery, job, sent });
        let ticket = Self { waiting, execution };
        Draft { bytes, target, policy }.into_command(now, ticket)
    }
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        // A copy is not worth sending for a task that was cancelled meanwhile.
        let follows = self.execution.follows();
        let wanted =
            |delivery: &Delivery| delivery.starts() && !(follows && delivery.is_given_up());
        !self.execution.is_left()
            && self.waiting.ask(|waiting| wanted(&waiting.delivery)).unwrap_or(false)
    }

    fn is_withdrawn(&self) -> bool {
        self.execution.is_left()
    }

    fn twin(&mut self) -> Option<Self> {
        let execution = self.execution.twin()?;
        Some(Self { waiting: self.waiting.twin(), execution })
    }

    fn returned(&mut self, request: Vec<u8>) {
        self.execution.returned(request);
    }
}

impl Completes<Cassandra> for Ticket {
    fn complete(mut self, py: Python<'_>, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let step = match self.execution.hear(outcome) {
            Heard::Done(answer) => match self.waiting.take() {
                Some(waiting) => Step::Told(waiting.job.answered(py, answer)),
                None => return,
            },
            Heard::Send(draft) => Step::Send(draft),
            Heard::Pause(at) => Step::Pause(at),
            Heard::Left => return,
        };
        match step {
            Step::Told(Progress::Done(result)) => {
                if let Some(waiting) = self.waiting.take() {
                    waiting.delivery.tell(py, result);
                }
            }
            Step::Told(Progress::Send(call)) => {
                let Some(waiting) = self.waiting.into_own() else { return };
                let Waiting { delivery, job, sent } = waiting;
                next.commands.push(Self::command(call, Tick::now(), delivery, job, sent));
            }
            Step::Send(draft) => next.commands.push(draft.into_command(Tick::now(), self)),
            Step::Pause(at) => next.pauses.push((at, self)),
        }
    }
}
