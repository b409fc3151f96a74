//! What follows from the failure of an attempt: another one, or an error.

use std::fmt::Display;
use std::io;

use super::maintenance::FaultSource;
use super::{Multiplexer, shared_reads};
use crate::attempts::{Failure, ServerFailure, Verdict};
use crate::buffer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{CommandError as _, Fault, copy_of};
use crate::pipeline::AbandonedCommand;
use crate::protocol::{CommandOf, ErrorOf, NodeOf, Protocol};
use crate::reply::Outcome;
use crate::ticket_handle::Settlement;
use crate::topology::{Target as _, Topology as _};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    pub(super) fn failed(
        &mut self,
        command: CommandOf<P, T>,
        failure: Failure<ErrorOf<P>>,
        now: Tick,
    ) {
        let spends = !matches!(failure, Failure::NotSent(_));
        self.failed_or_moved(command, failure, spends, now);
    }

    /// An attempt failed. `spends` says whether another one is a retry that the client's budget is
    /// for.
    pub(super) fn failed_or_moved(
        &mut self,
        mut command: CommandOf<P, T>,
        failure: Failure<ErrorOf<P>>,
        spends: bool,
        now: Tick,
    ) {
        let (write, deadline) =
            (command.target.writes(), command.ticket.deadline(command.deadline));
        let error = failure.error().clone();
        match command.attempts.failed(failure, write, &command.policy, deadline, now) {
            // An immediate retry also goes through the queue, so that a node that rejects
            // everything cannot cause recursion.
            Verdict::Retry(_) if spends && !self.may_retry(now) => {
                let error = command.attempts.annotate(error.without_budget());
                self.fail(command, error);
            }
            Verdict::Retry(at) => {
                let (topology, count) = (&self.topology, command.attempts.count);
                let longer = topology.attempt_failed(&mut command.target, &error, count);
                let at = if longer.is_zero() { at } else { at.max(now).after(longer) };
                if at >= deadline {
                    let error = command.attempts.annotate(error);
                    return self.fail(command, error);
                }
                self.alarm = self.alarm.min(at.max(now));
                self.delay(at, command);
            }
            Verdict::Fail(error) => self.fail(command, error),
        }
    }

    pub(super) fn on_server_error(
        &mut self,
        command: CommandOf<P, T>,
        error: ErrorOf<P>,
        doubtful: bool,
        now: Tick,
    ) {
        let failure = ServerFailure { error, retryable: true, doubtful };
        self.failed(command, Failure::Server(failure), now);
    }

    pub(super) fn broken(&mut self, index: usize, why: &io::Error, now: Tick) {
        let Some(connection) = &self.connections[index] else { return };
        let error = Fault::broken(&*connection.node, why).because(copy_of(why));
        self.give_up(index, error, FaultSource::Node, now);
    }

    /// Ends an attempt that is overdue, and the command unless it may have another one.
    pub(super) fn give_up_attempt(
        &mut self,
        abandoned: AbandonedCommand<CommandOf<P, T>>,
        node: Option<&NodeOf<P>>,
        now: Tick,
    ) {
        let AbandonedCommand { command, sent } = abandoned;
        match node {
            Some(node) if !command.is_over(now) => {
                let error = Fault::late(node, command.policy.socket_timeout.into()).into();
                let failure = if sent { Failure::Lost(error) } else { Failure::NotSent(error) };
                self.failed(command, failure, now);
            }
            node => self.time_out(AbandonedCommand { command, sent }, node),
        }
    }

    /// Ends a command that is overdue; `node` is the one that its current attempt was for.
    pub(super) fn time_out(
        &mut self,
        abandoned: AbandonedCommand<CommandOf<P, T>>,
        node: Option<&NodeOf<P>>,
    ) {
        let AbandonedCommand { mut command, sent } = abandoned;
        if let Some(node) = node
            && sent
            && command.target.is_measured()
            && command.ticket.is_superseded()
            && command.attempts.count == 1
        {
            let took = Tick::now().since(command.start);
            self.topology.measured(&command.target, node, took, false);
        }
        let (write, node) = (command.target.writes(), node.map(|node| node as &dyn Display));
        let error = command.attempts.timed_out(write, sent, node, &command.policy);
        self.fail(command, error);
    }

    /// Fails a command; the error says how often it was attempted.
    pub(super) fn fail(&mut self, mut command: CommandOf<P, T>, error: ErrorOf<P>) {
        if command.settle(false) == Settlement::Dropped {
            self.in_flight -= 1;
            return buffer::give(command.bytes);
        }
        shared_reads::count_write::<P, T>(&self.topology, &command);
        if command.has_copy() {
            return self.fail_callers(command, error);
        }
        self.count_failed(&command, &error);
        self.ended += 1;
        buffer::give(command.bytes);
        let error = self.topology.conclude(&mut command.target, error);
        if let Some(ticket) = command.ticket.into_own() {
            self.failed.push((ticket, command.attempts.annotate(error)));
        }
    }

    #[inline]
    pub(super) fn report(&mut self, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        if !self.failed.is_empty() {
            self.report_failed(deliver);
        }
    }

    #[cold]
    fn report_failed(&mut self, deliver: &mut impl FnMut(T, Outcome<'_, P>)) {
        for (ticket, error) in std::mem::take(&mut self.failed) {
            self.in_flight -= 1;
            deliver(ticket, Err(error));
        }
    }
}
