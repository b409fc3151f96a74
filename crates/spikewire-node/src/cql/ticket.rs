//! The tickets of statements, completed by a driver.

use spikewire_cassandra::connection::{Cassandra, Next, Outcome};
use spikewire_cassandra::ticket::{self, AnswerWaiter};
use spikewire_cassandra::{Error, Kind};

use super::job::{Done, Job, Progress};
use super::rows;
use super::statement::shown_prepared;
use super::value::Reading;
use crate::call::settle;
use crate::environment::Environment;
use crate::js::Env;
use crate::outbox::{self, Completes, Finish};

/// A pledge to settle the promise of a statement.
pub type Pledge = outbox::Pledge<Finished>;

/// Finished statements that wait for JavaScript.
pub type Outbox = outbox::Outbox<Finished>;

/// A finished statement.
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

/// A statement in flight on a driver.
pub type Ticket = ticket::Ticket<Waiting>;

/// The caller waiting for a statement, shared by its copies.
#[derive(Debug)]
pub struct Waiting {
    /// Its promise, until it is settled.
    pub pledge: Option<Pledge>,
    /// The job that produces the result.
    pub job: Job,
    /// How values are converted.
    pub reading: Reading,
}

impl AnswerWaiter for Waiting {}

/// Processes an outcome; if the job is done, calls `finish` with its result.
#[inline]
fn on_outcome(
    ticket: Ticket,
    outcome: Outcome<'_>,
    next: &mut Next<Ticket>,
    finish: impl FnOnce(Pledge, Reading, Result<Done, Error>),
) {
    ticket.on_outcome(outcome, next, |waiting, answer| match waiting.job.answered(answer) {
        Progress::Done(result) => {
            if let Some(pledge) = waiting.pledge.take() {
                finish(pledge, waiting.reading, result);
            }
            None
        }
        Progress::Send(call) => Some(*call),
    });
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
        on_outcome(self, outcome, next, |pledge, reading, result| {
            Finished { slot: pledge.keep(), reading, result }.hand_over(env, environment);
        });
    }

    fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        on_outcome(self, outcome, next, |pledge, reading, result| {
            pledge.later(|slot| Finished { slot, reading, result });
        });
    }
}
