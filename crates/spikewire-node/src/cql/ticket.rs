//! The tickets of statements, completed by a driver.

use spikewire_cassandra::connection::{Cassandra, Next, Outcome};
use spikewire_cassandra::statement_job::JobStep;
use spikewire_cassandra::ticket::{self, AnswerWaiter};
use spikewire_cassandra::{Error, Kind};

use super::job::{StatementJob, StatementResult};
use super::rows;
use super::value::CqlDecodeOptions;
use crate::environment::Environment;
use crate::js::{Env, Result};
use crate::outbox::{self, Completes, Completion};
use crate::stages::Watch;

/// A pledge to settle the promise of a statement.
pub type Pledge = outbox::Pledge<StatementCompletion>;

/// Finished statements that wait for JavaScript.
pub type Outbox = outbox::Outbox<StatementCompletion>;

/// A finished statement.
#[derive(Debug)]
pub struct StatementCompletion {
    slot: u32,
    decode_options: CqlDecodeOptions,
    watch: Watch,
    result: Result<StatementResult>,
}

impl Completion for StatementCompletion {
    fn deliver(self, env: Env<'_>, environment: &Environment) {
        let Self { slot, decode_options, watch, result } = self;
        if let Ok(StatementResult::Pages(pages)) = &result
            && !watch.is_set()
            && rows::is_usual(pages, decode_options)
        {
            let done = rows::settle_usual(env, environment, slot, decode_options, pages);
            if let Err(failure) = done {
                environment.settle(env, slot, Err(failure));
            }
            return;
        }
        let value =
            result.and_then(|result| rows::result(env, environment, decode_options, &result));
        watch.settles(env, environment);
        environment.settle(env, slot, value);
    }

    fn closed(slot: u32) -> Self {
        let error = Error::new(Kind::Closed, "the session was closed");
        let (decode_options, watch) = (CqlDecodeOptions::default(), Watch::default());
        Self { slot, decode_options, watch, result: Err(error.into()) }
    }

    fn slot(&self) -> u32 {
        self.slot
    }
}

/// A statement in flight on a driver.
pub type StatementTicket = ticket::Ticket<StatementCaller>;

/// The caller waiting for a statement, shared by its copies.
#[derive(Debug)]
pub struct StatementCaller {
    /// Its promise, until it is settled.
    pub pledge: Option<Pledge>,
    /// The job that produces the result.
    pub job: StatementJob,
    /// How values are converted.
    pub decode_options: CqlDecodeOptions,
    /// Whether its hand-over is timed.
    pub watch: Watch,
}

impl AnswerWaiter for StatementCaller {}

/// Processes an outcome; if the job is done, calls `finish` with its result.
#[inline]
fn on_outcome(
    ticket: StatementTicket,
    outcome: Outcome<'_>,
    next: &mut Next<StatementTicket>,
    finish: impl FnOnce(Pledge, (CqlDecodeOptions, Watch), Result<StatementResult>),
) {
    ticket.on_outcome(outcome, next, |caller, answer| {
        let result = match caller.job.on_reply((), answer) {
            Ok(JobStep::Send(call)) => return Some(call),
            Ok(JobStep::Done(result)) => Ok(result),
            Err(failure) => Err(failure),
        };
        if let Some(pledge) = caller.pledge.take() {
            let watch = std::mem::take(&mut caller.watch);
            finish(pledge, (caller.decode_options, watch), result);
        }
        None
    });
}

impl Completes<Cassandra> for StatementTicket {
    type Completion = StatementCompletion;

    #[inline]
    fn complete(
        self,
        env: Env<'_>,
        environment: &Environment,
        outcome: Outcome<'_>,
        next: &mut Next<Self>,
    ) {
        on_outcome(self, outcome, next, |pledge, (decode_options, watch), result| {
            StatementCompletion { slot: pledge.release(), decode_options, watch, result }
                .deliver(env, environment);
        });
    }

    fn complete_later(self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        on_outcome(self, outcome, next, |pledge, (decode_options, watch), result| {
            pledge.later(|slot| StatementCompletion { slot, decode_options, watch, result });
        });
    }
}
