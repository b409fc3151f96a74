//! Administrative commands: info, secondary indexes, modules, background jobs, truncation, users and
//! roles.
//!
//! Each is a [`Procedure`]: a state machine without I/O whose actions are requests to nodes or
//! pauses, until it is done. Its runner only performs these actions, so that a blocking thread, an
//! event loop and a test run the same machine.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what a procedure is |
//! | [`ask`] | one question; one question repeated until every node agrees |
//! | [`index`] | secondary indexes: create, wait, list, drop |
//! | [`module`] | Lua modules: register, list, source, remove |
//! | [`job`] | background jobs: start, progress, wait, abort |
//! | [`user`], [`role`] | users and roles: create, change, list, drop |
//! | `manage` | what these have in common |
//! | [`truncate`] | all records of a set or a namespace |
//! | [`mod@run`] | running a procedure on the calling thread |
//! | `execution` | running it on a driver of many commands, without a thread |
//! | `value` | the results of all procedures as one type |

pub mod ask;
mod execution;
pub mod index;
pub mod job;
mod manage;
pub mod module;
pub mod role;
pub mod run;
pub mod truncate;
pub mod user;
mod value;

use std::sync::Arc;
use std::time::Duration;

pub use ask::Ask;
pub use execution::{AdminTicket, AdminWaiter, start};
pub use manage::Manage;
pub use run::run;
pub use value::AdminValue;

use crate::clock::Tick;
use crate::cluster::Node;
pub use crate::cluster::info_command::InfoCommand;
pub use crate::cluster::node_request::{ManageRequest, MessageRequest, NodeAnswer};
use crate::model::{Error, Kind, Result};

/// How often nodes are polled until they have caught up.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// An administrative command as a state machine without I/O.
pub trait Procedure {
    /// Its result.
    type Output;

    /// The next action. `answers` are the replies to the previous request; empty at the start and
    /// after a pause. Must not be called again after [`AdminAction::Done`].
    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<Self::Output>;

    /// Maps the result of the procedure.
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

/// An action of a procedure.
#[derive(Debug)]
pub enum AdminAction<T> {
    /// Send the command to these nodes, and pass back their replies.
    Ask(Recipients, InfoCommand),
    /// Send one node a request with a single reply message; the reply is an empty string or the
    /// node's error.
    Send(MessageRequest),
    /// Send any node a request for users and roles; the reply is its list, or its error.
    Manage(ManageRequest),
    /// Pause until this time.
    Sleep(Tick),
    /// The procedure has finished.
    Done(Result<T>),
}

impl<T> AdminAction<T> {
    /// Maps the result of the action.
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

/// The nodes to send a command to.
#[derive(Debug, Clone)]
pub enum Recipients {
    /// Any one node.
    Any,
    /// All current nodes.
    Every,
    /// These nodes.
    These(Vec<Arc<Node>>),
}

/// A procedure with a mapped result; from [`Procedure::map`].
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

/// The text of the only reply.
fn single(answers: Vec<NodeAnswer>) -> Result<String> {
    match answers.into_iter().next() {
        Some(answer) => answer.answer,
        None => Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now")),
    }
}

/// A limit of the total waiting time; zero: no limit.
#[derive(Debug, Clone, Copy)]
struct TimeLimit {
    span: Duration,
    ends: Tick,
}

impl TimeLimit {
    fn starting(span: Duration, now: Tick) -> Self {
        Self { span, ends: if span.is_zero() { Tick::NEVER } else { now.after(span) } }
    }

    /// The timeout error, if the time is up; the message is made from the limit in seconds.
    fn check(&self, now: Tick, text: impl FnOnce(f64) -> String) -> Result<()> {
        if now < self.ends {
            return Ok(());
        }
        Err(Error::new(Kind::Timeout, text(self.span.as_secs_f64())))
    }

    /// The end of a pause that starts now, at the limit at the latest.
    fn pause(&self, span: Duration, now: Tick) -> Tick {
        now.after(span).min(self.ends)
    }
}

#[cfg(test)]
mod testing {
    use std::fmt;

    use super::*;

    pub fn node(number: u32) -> Arc<Node> {
        let address = ([127, 0, 0, 1], 3000 + number as u16).into();
        Arc::new(Node::new(number, format!("N{number}"), address, None))
    }

    pub fn text_replies(texts: &[&str]) -> Vec<NodeAnswer> {
        let answer =
            |(number, text): (u32, &&str)| NodeAnswer::text(node(number), Ok((*text).to_owned()));
        (0..).zip(texts).map(answer).collect()
    }

    pub fn server_error(
        code: spikewire_aerospike_protocol::result_code::ResultCode,
    ) -> Vec<NodeAnswer> {
        vec![NodeAnswer::text(node(0), Err(Error::server(code)))]
    }

    /// The command that is sent, and whether to every node.
    pub fn command_of<T: fmt::Debug>(action: AdminAction<T>) -> (bool, String) {
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
