//! From a request to its answer, including the steps in between: preparing a statement on a node
//! that does not know it, and waiting for schema agreement after a change.
//!
//! An [`Execution`] does no I/O and never waits. Whoever sends its requests passes it each outcome
//! and does what it returns: send something else, come back at a given time, or give the answer to
//! the caller.

mod agreement;
mod answer;
mod preparing;

use std::sync::Arc;

use spikewire_cql::response::ServerError;
use spikewire_transport::{Attempts, Policy, Tick, buffer, deadline};

pub use answer::{Answer, Content, Rows};

use self::agreement::{Agreement, AgreementStep};
use crate::cluster::Node;
use crate::connection::{Command, Outcome, Reply};
use crate::error::{Error, Kind, Result};
use crate::framing::plain_query;
use crate::memory::Memory;
use crate::routing::{Aim, Replica, Target};
use crate::speculation::Contender;
use crate::statement::{PrepareContext, Prepared, Preparing, Shape};

/// The kind of request.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A statement as text.
    Query,
    /// `USE`, which changes the session's keyspace.
    Use,
    /// To prepare a statement. Boxed, because every execution has room for the largest kind.
    Prepare(Box<ToPrepare>),
    /// A prepared statement, whose result was known to have this shape.
    Execute { prepared: Arc<Prepared>, shape: Arc<Shape> },
    /// Several statements, some of them prepared.
    Batch { prepared: Vec<Arc<Prepared>> },
}

/// A statement that a node is to prepare.
#[derive(Debug, Clone)]
pub(crate) struct ToPrepare {
    pub text: Arc<str>,
    pub keyspace: Option<Arc<str>>,
    pub context: PrepareContext,
}

/// A statement in flight.
#[derive(Debug)]
pub struct Execution {
    memory: Arc<Memory>,
    what: What,
    target: Target,
    policy: Policy<Replica>,
    deadline: Tick,
    begun: Tick,
    /// When the current request was sent.
    since: Tick,
    prepares: u32,
    /// Statements of a batch to prepare on the node before the batch is sent again.
    others: Vec<Arc<Prepared>>,
    /// Attempts before the current request, which the node did not execute.
    before: Attempts,
    stage: Stage,
    /// The request while it cannot be sent, or the answer while it cannot be delivered.
    buffer: Vec<u8>,
}

#[derive(Debug)]
enum Stage {
    /// The request is in flight.
    InFlight,
    /// The node is preparing the statement.
    Preparing(Preparing),
    /// Another request is having it prepared.
    Waiting { prepared: Arc<Prepared>, node: Arc<Node> },
    /// The answer is kept until the nodes agree on the schema.
    Agreeing { reply: ReplyMeta, agreement: Agreement },
}

/// The metadata of a reply whose bytes are kept.
#[derive(Debug, Clone)]
struct ReplyMeta {
    node: Arc<Node>,
    attempts: Attempts,
}

/// A request to send next.
#[derive(Debug)]
pub struct Draft {
    /// The request.
    pub bytes: Vec<u8>,
    /// Where it goes.
    pub target: Target,
    /// Its limits.
    pub policy: Policy<Replica>,
    /// When it times out, if that was determined before. Errors tell the policy's timeout.
    pub deadline: Option<Tick>,
}

impl Draft {
    /// Turns it into a command.
    #[inline]
    pub fn into_command<T>(self, now: Tick, ticket: T) -> Box<Command<T>> {
        let mut command = Command::new(self.bytes, self.target, self.policy, now, ticket);
        if let Some(deadline) = self.deadline {
            command.deadline = deadline;
        }
        command
    }
}

/// The outcome that an execution gets at the end of a pause that it requested.
pub fn pause_is_over() -> Error {
    Error::new(Kind::Interrupted, "the pause is over")
}

/// Whether an outcome only says that a pause is over.
fn ends_pause(outcome: &Outcome<'_>) -> bool {
    outcome.as_ref().is_err_and(|error| error.kind() == Kind::Interrupted)
}

/// What to do after an outcome.
#[derive(Debug)]
pub enum ExecutionAction<'a> {
    /// The statement is finished.
    Done(Result<Answer<'a>>),
    /// Send this request.
    Send(Draft),
    /// Do nothing until this time; then the outcome is [`pause_is_over`]. Any other error means
    /// that there is nothing to wait for any more.
    Pause(Tick),
    /// Nothing: another copy of the statement was answered, or is still in flight.
    Left,
}

impl Execution {
    /// Boxed because it is large and moved often; constructed in place to avoid a copy.
    #[inline]
    pub(crate) fn new(
        memory: Arc<Memory>,
        what: What,
        target: &Target,
        policy: Policy<Replica>,
    ) -> Box<Self> {
        let now = Tick::now();
        let target = match &target.contender {
            None => target.clone(),
            Some(contender) => target.of(contender.begun()),
        };
        let boxed = Box::new_uninit();
        let execution = Self {
            memory,
            what,
            target,
            policy,
            deadline: deadline(&policy, now),
            begun: now,
            since: now,
            prepares: 0,
            others: Vec::new(),
            before: Attempts::default(),
            stage: Stage::InFlight,
            buffer: Vec::new(),
        };
        Box::write(boxed, execution)
    }

    /// When it started.
    pub fn since(&self) -> Tick {
        self.since
    }

    /// Takes back a request that was not executed, to send it again.
    pub fn returned(&mut self, bytes: Vec<u8>) {
        self.buffer = bytes;
    }

    /// The execution of the next copy ([`crate::speculation`]), if the statement has copies.
    #[cold]
    pub fn copy(&self) -> Option<Box<Self>> {
        let contender = self.target.contender.as_ref()?;
        Some(Box::new(Self {
            memory: self.memory.clone(),
            what: self.what.clone(),
            target: self.target.of(contender.next()),
            policy: self.policy,
            deadline: self.deadline,
            begun: self.begun,
            since: self.since,
            prepares: 0,
            others: Vec::new(),
            before: Attempts::default(),
            stage: Stage::InFlight,
            buffer: Vec::new(),
        }))
    }

    /// Whether it belongs to a copy other than the first.
    #[inline]
    pub fn follows(&self) -> bool {
        self.target.contender.as_ref().is_some_and(|contender| contender.follows())
    }

    /// Whether another copy of the statement was answered.
    #[inline]
    pub fn is_left(&self) -> bool {
        self.target.contender.as_ref().is_some_and(|contender| contender.is_over())
    }

    /// Whether it waits for another request that prepares its statement, before its own is sent. If
    /// so, the outcome of its first request is that it was withdrawn.
    #[inline]
    pub fn waits(&self) -> bool {
        match &self.what {
            What::Prepare(request) => request.context.follows,
            _ => false,
        }
    }

    /// Takes the outcome of its latest request.
    #[inline]
    pub fn on_outcome<'a>(&'a mut self, outcome: Outcome<'a>) -> ExecutionAction<'a> {
        match self.target.contender.clone() {
            None => self.on_outcome_alone(outcome),
            Some(contender) => self.on_outcome_as(&contender, outcome),
        }
    }

    /// Takes an outcome as one of several copies.
    #[cold]
    fn on_outcome_as<'a>(
        &'a mut self,
        contender: &Contender,
        outcome: Outcome<'a>,
    ) -> ExecutionAction<'a> {
        if contender.is_over() {
            return ExecutionAction::Left;
        }
        match self.on_outcome_alone(outcome) {
            ExecutionAction::Done(Ok(mut answer)) => {
                contender.wins().map_or(ExecutionAction::Left, |attempts| {
                    answer.attempts.count += attempts;
                    ExecutionAction::Done(Ok(answer))
                })
            }
            ExecutionAction::Done(Err(error)) => contender
                .fails(error)
                .map_or(ExecutionAction::Left, |error| ExecutionAction::Done(Err(error))),
            goes_on => goes_on,
        }
    }

    #[inline]
    fn on_outcome_alone<'a>(&'a mut self, outcome: Outcome<'a>) -> ExecutionAction<'a> {
        match std::mem::replace(&mut self.stage, Stage::InFlight) {
            Stage::InFlight => self.answered(outcome),
            between => self.on_outcome_between(between, outcome),
        }
    }

    /// Takes the outcome of a step between the request and its answer.
    #[cold]
    fn on_outcome_between<'a>(
        &'a mut self,
        stage: Stage,
        outcome: Outcome<'a>,
    ) -> ExecutionAction<'a> {
        match stage {
            Stage::InFlight => self.answered(outcome),
            Stage::Preparing(preparing) => self.prepared(preparing, outcome),
            Stage::Waiting { prepared, node } => self.waited(prepared, node, outcome),
            Stage::Agreeing { reply, agreement } => self.agreeing(reply, agreement, outcome),
        }
    }

    #[inline]
    fn answered<'a>(&'a mut self, outcome: Outcome<'a>) -> ExecutionAction<'a> {
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return self.failed(error),
        };
        if let Some(error) = answer::error_of(&reply) {
            return match error {
                Ok(error) => self.on_server_error(error, &reply),
                Err(error) => ExecutionAction::Done(Err(error)),
            };
        }
        if answer::changes_schema(&reply) && !self.memory.schema_agreement().is_zero() {
            return self.begin_agreement(&reply);
        }
        ExecutionAction::Done(self.understand(reply))
    }

    /// Keeps the answer until the nodes agree on the schema.
    #[cold]
    fn begin_agreement(&mut self, reply: &Reply<'_>) -> ExecutionAction<'_> {
        self.buffer.clear();
        self.buffer.extend_from_slice(reply.body);
        let buffer = ReplyMeta { node: reply.node.clone(), attempts: reply.attempts };
        let now = Tick::now();
        let until = now.after(self.memory.schema_agreement()).min(self.deadline);
        self.agree(buffer, Agreement::new(until))
    }

    /// Handles an error from the server; if it does not know the statement, prepares that.
    #[cold]
    fn on_server_error<'a>(
        &'a mut self,
        error: ServerError,
        reply: &Reply<'a>,
    ) -> ExecutionAction<'a> {
        if let Some(prepared) = self.to_prepare(&error) {
            return self.prepare(prepared, reply.node.clone(), reply.attempts);
        }
        let in_doubt = self.target.writes && error.is_doubtful();
        let attempts = reply.attempts;
        let error = Error::from_server(error).on(reply.node.to_string());
        let error = error.after(attempts.count, attempts.in_doubt || in_doubt);
        ExecutionAction::Done(Err(self.share_error(self.ended(error))))
    }

    /// Handles the failure of a request, including its earlier attempts.
    #[cold]
    fn failed(&mut self, error: Error) -> ExecutionAction<'_> {
        if error.kind() == Kind::Interrupted && self.waits() {
            return self.look_again();
        }
        if let Some(prepared) = error.server().and_then(|error| self.to_prepare(error))
            && let Some(node) = self.memory.cluster.snapshot().node(error.node())
        {
            self.target.take_failed();
            error.earlier().iter().for_each(|earlier| self.target.note(earlier));
            let (attempts, in_doubt) = (error.attempts(), error.in_doubt());
            return self.prepare(
                prepared,
                node,
                Attempts { count: attempts, in_doubt, ..self.before },
            );
        }
        let doubtful = error.server().is_some_and(ServerError::is_doubtful);
        let (attempts, in_doubt) = (error.attempts(), error.in_doubt());
        let error = error.after(attempts, in_doubt || (self.target.writes && doubtful));
        ExecutionAction::Done(Err(self.share_error(self.with_earlier_attempts(error))))
    }

    /// Adds the errors of earlier attempts, which the current request did not know about.
    fn ended(&self, error: Error) -> Error {
        self.with_earlier_attempts(error).with_earlier(self.target.failed().to_vec())
    }

    /// Adds the attempts before the request that failed with this error.
    fn with_earlier_attempts(&self, error: Error) -> Error {
        let (attempts, in_doubt) = (error.attempts(), error.in_doubt());
        error.after(attempts + self.before.count, in_doubt || self.before.in_doubt)
    }

    fn send<'a>(&mut self, bytes: Vec<u8>, target: Target) -> ExecutionAction<'a> {
        let now = Tick::now();
        if self.deadline <= now {
            buffer::give(bytes);
            let node = match &target.aim {
                Aim::Node(node) => Some(node),
                _ => target.first.as_ref(),
            };
            return ExecutionAction::Done(Err(self.timed_out(node)));
        }
        self.since = now;
        let (policy, deadline) = (self.policy, Some(self.deadline));
        ExecutionAction::Send(Draft { bytes, target, policy, deadline })
    }

    /// Takes a reply about the schema from the node that changed it, or the end of a pause.
    fn agreeing<'a>(
        &'a mut self,
        meta: ReplyMeta,
        mut agreement: Agreement,
        outcome: Outcome<'a>,
    ) -> ExecutionAction<'a> {
        agreement.on_outcome(outcome, &self.memory.cluster.snapshot());
        self.agree(meta, agreement)
    }

    /// Returns the answer if the nodes agree on the schema or the time is up, otherwise the next
    /// step towards that.
    fn agree(&mut self, meta: ReplyMeta, agreement: Agreement) -> ExecutionAction<'_> {
        let now = Tick::now();
        let cluster = &self.memory.cluster;
        let goes_on = now < agreement.until && !cluster.is_closed();
        let step = if goes_on { agreement.step(cluster, now) } else { AgreementStep::Over(false) };
        let agreed = match step {
            AgreementStep::Over(agreed) => agreed,
            AgreementStep::Pause(at) => {
                self.stage = Stage::Agreeing { reply: meta, agreement };
                return ExecutionAction::Pause(at);
            }
            AgreementStep::Ask(text) => {
                let mut bytes = buffer::take();
                let written = plain_query(&mut bytes, self.memory.version(), text);
                let (policy, deadline) = (self.policy, Some(agreement.until));
                let target = Target::new(Aim::Node(meta.node.clone()), false, 0);
                if written.is_ok() {
                    self.stage = Stage::Agreeing { reply: meta, agreement };
                    return ExecutionAction::Send(Draft { bytes, target, policy, deadline });
                }
                false
            }
        };
        let ReplyMeta { node, attempts } = meta;
        // The node is stored where the answer can borrow it.
        self.target.aim = Aim::Node(node);
        let Aim::Node(node) = &self.target.aim else { unreachable!("it was just set") };
        let answer = answer::read(&self.memory, &self.what, &self.buffer, node, attempts);
        ExecutionAction::Done(answer.map(|answer| Answer { agreed, ..answer }))
    }

    /// Reads the reply that is the answer.
    #[inline]
    fn understand<'a>(&'a self, reply: Reply<'a>) -> Result<Answer<'a>> {
        let Reply { body, node, attempts } = reply;
        answer::read(&self.memory, &self.what, body, node, attempts)
    }

    /// A reader that can read the answer again elsewhere.
    pub(crate) fn reader(&self) -> Reader {
        Reader { memory: self.memory.clone(), what: self.what.clone() }
    }
}

/// Reads an answer that was kept.
#[derive(Debug)]
pub(crate) struct Reader {
    memory: Arc<Memory>,
    what: What,
}

impl Reader {
    /// Reads the reply that is the answer.
    pub fn read<'a>(&self, reply: Reply<'a>) -> Result<Answer<'a>> {
        let Reply { body, node, attempts } = reply;
        answer::read(&self.memory, &self.what, body, node, attempts)
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        buffer::give(std::mem::take(&mut self.buffer));
    }
}

#[cfg(test)]
pub(crate) mod tests;
