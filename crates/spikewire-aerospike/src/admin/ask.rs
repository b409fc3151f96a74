//! Procedures with one request, and with a request that is repeated until all nodes agree.

use std::fmt;
use std::time::Duration;

use super::{
    AdminAction, InfoCommand, NodeAnswer, POLL_INTERVAL, Procedure, Recipients, TimeLimit, single,
};
use crate::clock::Tick;
use crate::model::Result;

/// A procedure with one info command, and the function that reads the reply.
pub struct Ask<T> {
    question: Option<(Recipients, InfoCommand)>,
    read: fn(&str) -> Result<T>,
}

impl<T> Ask<T> {
    /// Sends the command to any node.
    pub(super) fn any(command: InfoCommand, read: fn(&str) -> Result<T>) -> Self {
        Self { question: Some((Recipients::Any, command)), read }
    }
}

impl Ask<String> {
    /// An info command for one of these nodes; returns the text of the reply.
    pub fn info(nodes: Recipients, command: InfoCommand) -> Self {
        Self { question: Some((nodes, command)), read: |text| Ok(text.to_owned()) }
    }
}

impl<T> Procedure for Ask<T> {
    type Output = T;

    fn next(&mut self, answers: Vec<NodeAnswer>, _now: Tick) -> AdminAction<T> {
        match self.question.take() {
            Some((nodes, command)) => AdminAction::Ask(nodes, command),
            None => AdminAction::Done(single(answers).and_then(|text| (self.read)(&text))),
        }
    }
}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Ask").field("question", &self.question).finish_non_exhaustive()
    }
}

/// Repeats a command until every node gives the expected reply, or the time is up.
#[derive(Debug)]
pub(super) struct AwaitNodes<F> {
    command: InfoCommand,
    /// Whether a node's reply is the expected one.
    is_expected: F,
    /// The message after a timeout: "index a was not ready on every node".
    otherwise: String,
    span: Duration,
    limit: Option<TimeLimit>,
    is_sent: bool,
}

impl<F: FnMut(Result<String>) -> Result<bool>> AwaitNodes<F> {
    /// The time limit counts from the first action; zero: no limit.
    pub fn new(command: InfoCommand, span: Duration, otherwise: String, is_expected: F) -> Self {
        Self { command, is_expected, otherwise, span, limit: None, is_sent: false }
    }
}

impl<F: FnMut(Result<String>) -> Result<bool>> Procedure for AwaitNodes<F> {
    type Output = ();

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<()> {
        let limit = *self.limit.get_or_insert_with(|| TimeLimit::starting(self.span, now));
        if !std::mem::replace(&mut self.is_sent, true) {
            return AdminAction::Ask(Recipients::Every, self.command.clone());
        }
        self.is_sent = false;
        let mut all = !answers.is_empty();
        for NodeAnswer { answer, .. } in answers {
            match (self.is_expected)(answer) {
                Ok(is_expected) => all &= is_expected,
                Err(error) => return AdminAction::Done(Err(error)),
            }
        }
        if all {
            return AdminAction::Done(Ok(()));
        }
        match limit.check(now, |seconds| format!("{} within {seconds} s", self.otherwise)) {
            Ok(()) => AdminAction::Sleep(limit.pause(POLL_INTERVAL, now)),
            Err(error) => AdminAction::Done(Err(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{command_of, done, server_error, sleeps, text_replies};
    use super::*;
    use crate::model::Kind;
    use spikewire_aerospike_protocol::result_code::ResultCode;

    fn awaiting(span: Duration) -> impl Procedure<Output = ()> {
        let command = InfoCommand::new("state").unwrap();
        let is_expected = |answer: Result<String>| answer.map(|text| text == "yes");
        AwaitNodes::new(command, span, "nobody agreed".to_owned(), is_expected)
    }

    #[test]
    fn an_info_command_to_any_node_returns_its_reply() {
        let command = || InfoCommand::new("namespaces").unwrap();
        let mut ask = Ask::info(Recipients::Any, command());
        assert_eq!(command_of(ask.next(Vec::new(), Tick(0))), (false, "namespaces".to_owned()));
        assert_eq!(done(ask.next(text_replies(&["test;bar"]), Tick(0))).unwrap(), "test;bar");
        let mut ask = Ask::any(command(), |text| Ok(text.len()));
        ask.next(Vec::new(), Tick(0));
        let error = done(ask.next(server_error(ResultCode::PARAMETER), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::PARAMETER));
        let mut ask = Ask::any(command(), |text| Ok(text.len()));
        ask.next(Vec::new(), Tick(0));
        assert_eq!(done(ask.next(Vec::new(), Tick(0))).unwrap_err().kind(), Kind::NoNode);
    }

    #[test]
    fn every_node_has_to_agree() {
        let mut waiting = awaiting(Duration::from_secs(1));
        for round in 0..3 {
            let now = Tick(round);
            assert_eq!(command_of(waiting.next(Vec::new(), now)), (true, "state".to_owned()));
            let until = sleeps(waiting.next(text_replies(&["yes", "no", "yes"]), now));
            assert_eq!(until, now.after(POLL_INTERVAL));
        }
        waiting.next(Vec::new(), Tick(3));
        done(waiting.next(text_replies(&["yes", "yes", "yes"]), Tick(3))).unwrap();
    }

    #[test]
    fn the_limit_counts_from_the_start_and_bounds_the_pause() {
        let span = Duration::from_millis(30);
        let (mut waiting, start) = (awaiting(span), Tick(1_000_000_000));
        waiting.next(Vec::new(), start);
        let second = sleeps(waiting.next(text_replies(&["no"]), start));
        waiting.next(Vec::new(), second);
        let third = sleeps(waiting.next(text_replies(&["no"]), second));
        assert_eq!(third, start.after(span), "not longer than the limit");
        waiting.next(Vec::new(), third);
        let error = done(waiting.next(text_replies(&["no"]), third)).unwrap_err();
        assert_eq!(error.kind(), Kind::Timeout);
        assert_eq!(error.message(), "nobody agreed within 0.03 s");
    }

    #[test]
    fn a_limit_of_zero_waits_without_end() {
        let mut waiting = awaiting(Duration::ZERO);
        waiting.next(Vec::new(), Tick(0));
        let late = Tick(u64::MAX / 2);
        assert_eq!(sleeps(waiting.next(text_replies(&["no"]), late)), late.after(POLL_INTERVAL));
    }

    #[test]
    fn a_node_that_fails_ends_it() {
        let mut waiting = awaiting(Duration::ZERO);
        waiting.next(Vec::new(), Tick(0));
        let error = done(waiting.next(server_error(ResultCode::FORBIDDEN), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::FORBIDDEN));
    }
}
