//! What a driver completes: the promise of a statement.

use spikewire_cassandra::connection::{Cassandra, Command, Next, Outcome};
use spikewire_cassandra::execution::{Draft, Execution, Heard};
use spikewire_cassandra::session::Call;
use spikewire_cassandra::speculation::Share;
use spikewire_cassandra::{Error, Kind};
use spikewire_transport::{ResponseHandler, Tick};

use super::job::{Done, Job, Progress};
use super::rows;
use super::statement::shown_prepared;
use super::value::Reading;
use crate::call::settle;
use crate::environment::Environment;
use crate::js::Env;
use crate::outbox::{self, Completes, Finish};

/// A promise that is to be settled.
pub type Pledge = outbox::Pledge<Finished>;

/// Where what is over waits for JavaScript.
pub type Outbox = outbox::Outbox<Finished>;

/// A statement that is over.
#[derive(Debug)]
pub struct Finished {
    slot: u32,
    reading: Reading,
    result: Result<Done, Error>,
}

impl Finish for Finished {
    fn hand_over(self, env: Env<'_>, environment: &Environment) {
        let Self { slot, reading, result } = self;
        let made = match result {
            Ok(Done::Rows(rows)) => rows::result(env, environment, reading, &rows),
            Ok(Done::Prepared(known)) => shown_prepared(env, environment, &known),
            Err(error) => Err(error.into()),
        };
        settle(env, environment, slot, made);
    }

    fn closed(slot: u32) -> Self {
        let error = Error::new(Kind::Closed, "the session was closed");
        Self { slot, reading: Reading::default(), result: Err(error) }
    }
}

/// A statement under way on a driver.
#[derive(Debug)]
pub struct Ticket {
    waiting: Share<Waiting>,
    execution: Execution,
}

/// What waits for a statement, shared by its copies.
#[derive(Debug)]
struct Waiting {
    pledge: Pledge,
    job: Job,
    reading: Reading,
}

/// What follows an outcome.
enum Step {
    Told(Progress),
    Send(Draft),
    Pause(Tick),
}

impl Ticket {
    /// The command that carries a call.
    #[inline]
    pub fn command(
        call: Call,
        now: Tick,
        pledge: Pledge,
        job: Job,
        reading: Reading,
    ) -> Box<Command<Self>> {
        let (draft, execution) = call.split();
        let waiting = Share::Own(Waiting { pledge, job, reading });
        draft.into_command(now, Self { waiting, execution })
    }

    /// Takes an outcome; what waits for JavaScript, if it was the last one.
    #[inline]
    fn step(mut self, outcome: Outcome<'_>, next: &mut Next<Self>) -> Option<(Pledge, Finished)> {
        let step = match self.execution.hear(outcome) {
            Heard::Done(answer) => Step::Told(self.waiting.take()?.job.answered(answer)),
            Heard::Send(draft) => Step::Send(draft),
            Heard::Pause(at) => Step::Pause(at),
            Heard::Left => return None,
        };
        match step {
            Step::Told(Progress::Done(result)) => {
                let Waiting { pledge, reading, .. } = self.waiting.into_own()?;
                return Some((pledge, Finished { slot: 0, reading, result }));
            }
            Step::Told(Progress::Send(call)) => {
                let Waiting { pledge, job, reading } = self.waiting.into_own()?;
                next.commands.push(Self::command(*call, Tick::now(), pledge, job, reading));
            }
            Step::Send(draft) => next.commands.push(draft.into_command(Tick::now(), self)),
            Step::Pause(at) => next.pauses.push((at, self)),
        }
        None
    }
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        !self.execution.is_left()
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
    type Finished = Finished;

    #[inline]
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_>,
        next: &mut Next<Self>,
    ) {
        if let Some((pledge, finished)) = self.step(outcome, next) {
            Finished { slot: pledge.keep(), ..finished }.hand_over(env, environment);
        }
    }

    fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        if let Some((pledge, finished)) = self.step(outcome, next) {
            pledge.later(|slot| Finished { slot, ..finished });
        }
    }
}
