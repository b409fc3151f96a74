//! Administrative commands: info, secondary indexes, modules, background jobs, truncation, users and
//! roles.
//!
//! Each is a [`Procedure`]: a state machine without I/O that says which nodes to ask what, or how
//! long to pause, until it is done. Its runner only asks and waits, so that a blocking thread,
//! an event loop and a test run the same machine.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what a procedure is |
//! | [`command`] | a checked info command, and how answers are read |
//! | [`ask`] | one question; one question repeated until every node agrees |
//! | [`index`] | secondary indexes: create, wait, list, drop |
//! | [`module`] | Lua modules: register, list, source, remove |
//! | [`job`] | background jobs: start, progress, wait, abort |
//! | [`user`], [`role`] | users and roles: create, change, list, drop |
//! | `manage` | what these have in common |
//! | [`truncate`] | all records of a set or a namespace |
//! | [`mod@run`] | running a procedure on the calling thread |
//! | `execution` | running it on a driver of many commands, without a thread |

pub mod ask;
pub mod command;
mod execution;
pub mod index;
pub mod job;
mod manage;
pub mod module;
pub mod role;
pub mod run;
pub mod truncate;
pub mod user;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use ask::Ask;
pub use command::InfoCommand;
pub use execution::{AdminTicket, AdminWaiter, start};
pub use manage::Manage;
pub use run::run;

use spikewire_aerospike_protocol::manage::Row;

use crate::clock::Tick;
use crate::cluster::Node;
use crate::error::{Error, Kind, Result};

/// How often nodes are asked whether they have caught up.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// An administrative command as a state machine without I/O.
pub trait Procedure {
    /// What it gives in the end.
    type Output;

    /// The next action. `answers` are those to the request before it; none at the start and after a
    /// pause. Not to be called again after [`AdminAction::Done`].
    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<Self::Output>;

    /// The same procedure with another result.
    fn map<U, F: FnMut(Self::Output) -> U>(self, change: F) -> MappedProcedure<Self, F>
    where
        Self: Sized,
    {
        MappedProcedure { procedure: self, change }
    }
}

impl<P: Procedure + ?Sized> Procedure for Box<P> {
    type Output = P::Output;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<P::Output> {
        (**self).next(answers, now)
    }
}

/// What a procedure wants.
#[derive(Debug)]
pub enum AdminAction<T> {
    /// Ask these nodes, and hand over their answers.
    Ask(Recipients, InfoCommand),
    /// Send one node a request that is answered by one message; the answer is an empty text or the
    /// node's refusal.
    Send(MessageRequest),
    /// Send any node a request about users and roles; the answer is its list, or its refusal.
    Manage(ManageRequest),
    /// Pause until then.
    Sleep(Tick),
    /// It is over.
    Done(Result<T>),
}

impl<T> AdminAction<T> {
    /// The same action of a procedure with another result.
    fn map<U>(self, change: impl FnOnce(T) -> U) -> AdminAction<U> {
        match self {
            Self::Ask(nodes, command) => AdminAction::Ask(nodes, command),
            Self::Send(request) => AdminAction::Send(request),
            Self::Manage(request) => AdminAction::Manage(request),
            Self::Sleep(until) => AdminAction::Sleep(until),
            Self::Done(outcome) => AdminAction::Done(outcome.map(change)),
        }
    }
}

/// Which nodes are asked.
#[derive(Debug, Clone)]
pub enum Recipients {
    /// One, whichever it is.
    Any,
    /// All that the cluster has now.
    Every,
    /// These.
    These(Vec<Arc<Node>>),
}

/// A request for one node that is no info command.
#[derive(Debug, Clone)]
pub struct MessageRequest {
    /// Who gets it.
    pub node: Arc<Node>,
    /// The whole frame.
    pub frame: Arc<[u8]>,
    /// When it must be answered.
    pub deadline: Tick,
}

/// A request about users and roles.
#[derive(Clone)]
pub struct ManageRequest {
    /// The whole frame.
    pub frame: Arc<[u8]>,
    /// Whether it changes nothing and is answered by a list.
    pub is_question: bool,
    /// How long the node has; zero: no limit.
    pub limit: Duration,
    /// When that is over.
    pub deadline: Tick,
}

/// Shows no frame, which may hold a password's hash.
impl fmt::Debug for ManageRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManageRequest").finish_non_exhaustive()
    }
}

/// What a node answered.
#[derive(Debug)]
pub struct NodeAnswer {
    /// Who answered.
    pub node: Arc<Node>,
    /// The answer's text; its refusals are errors of [`Kind::Server`].
    pub answer: Result<String>,
    /// The users or roles that were asked for.
    pub rows: Vec<Row>,
}

impl NodeAnswer {
    /// An answer that is a text.
    pub fn text(node: Arc<Node>, answer: Result<String>) -> Self {
        Self { node, answer, rows: Vec::new() }
    }

    /// The answer to a request about users and roles.
    pub(crate) fn rows(node: Arc<Node>, answer: Result<Vec<Row>>) -> Self {
        match answer {
            Ok(rows) => Self { node, answer: Ok(String::new()), rows },
            Err(error) => {
                let error = error.on(node.to_string());
                Self { node, answer: Err(error), rows: Vec::new() }
            }
        }
    }
}

/// A procedure with another result; from [`Procedure::map`].
#[derive(Debug)]
pub struct MappedProcedure<P, F> {
    procedure: P,
    change: F,
}

impl<P: Procedure, U, F: FnMut(P::Output) -> U> Procedure for MappedProcedure<P, F> {
    type Output = U;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<U> {
        self.procedure.next(answers, now).map(&mut self.change)
    }
}

/// The text of the one answer that was asked for.
fn single(answers: Vec<NodeAnswer>) -> Result<String> {
    match answers.into_iter().next() {
        Some(answer) => answer.answer,
        None => Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now")),
    }
}

/// A total time for waiting; zero: no limit.
#[derive(Debug, Clone, Copy)]
struct TimeLimit {
    span: Duration,
    ends: Tick,
}

impl TimeLimit {
    fn starting(span: Duration, now: Tick) -> Self {
        Self { span, ends: if span.is_zero() { Tick::NEVER } else { now.after(span) } }
    }

    /// The error that time is up, if it is; the text is made of the limit in seconds.
    fn check(&self, now: Tick, text: impl FnOnce(f64) -> String) -> Result<()> {
        if now < self.ends {
            return Ok(());
        }
        Err(Error::new(Kind::Timeout, text(self.span.as_secs_f64())))
    }

    /// When a pause ends that begins now: with the limit at the latest.
    fn pause(&self, span: Duration, now: Tick) -> Tick {
        now.after(span).min(self.ends)
    }
}

#[cfg(test)]
mod testing {
    use super::*;

    pub fn node(number: u32) -> Arc<Node> {
        let address = ([127, 0, 0, 1], 3000 + number as u16).into();
        Arc::new(Node::new(number, format!("N{number}"), address, None))
    }

    pub fn said(texts: &[&str]) -> Vec<NodeAnswer> {
        let answer =
            |(number, text): (u32, &&str)| NodeAnswer::text(node(number), Ok((*text).to_owned()));
        (0..).zip(texts).map(answer).collect()
    }

    pub fn refused(code: spikewire_aerospike_protocol::result_code::ResultCode) -> Vec<NodeAnswer> {
        vec![NodeAnswer::text(node(0), Err(Error::server(code)))]
    }

    /// The command that is asked, and whether of every node.
    pub fn asked<T: fmt::Debug>(action: AdminAction<T>) -> (bool, String) {
        match action {
            AdminAction::Ask(nodes, command) => {
                (matches!(nodes, Recipients::Every), command.to_string())
            }
            other => panic!("asks nothing: {other:?}"),
        }
    }

    pub fn done<T: fmt::Debug>(action: AdminAction<T>) -> Result<T> {
        match action {
            AdminAction::Done(outcome) => outcome,
            other => panic!("not done: {other:?}"),
        }
    }

    pub fn sleeps<T: fmt::Debug>(action: AdminAction<T>) -> Tick {
        match action {
            AdminAction::Sleep(until) => until,
            other => panic!("does not pause: {other:?}"),
        }
    }
}
