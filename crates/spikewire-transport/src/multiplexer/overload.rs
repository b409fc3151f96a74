//! Nodes that have too much to do get fewer commands ([`Limiter`](crate::limiter::Limiter)), and
//! clients send few retries ([`RetryBudget`](crate::retry_budget::RetryBudget)).

use super::Multiplexer;
use super::send::is_control;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::connection_table::NodeKey;
use crate::fault::Fault;
use crate::pipeline::Observation;
use crate::policy::Priority;
use crate::protocol::{CommandOf, NodeOf, Protocol};
use crate::topology::{Endpoint as _, Target as _, Topology as _};
use crate::waiting::Waits as _;

/// Replies were read from a connection: what that says about its node. So many commands were answered;
/// `is_overload` if one of the replies says so.
#[cold]
#[inline(never)]
pub(super) fn observe<P: Protocol, T: ResponseHandler>(
    connection: &mut Connection<P, T>,
    answered: usize,
    is_overload: bool,
    now: Tick,
) {
    let observation = connection.pipeline.take_observation();
    let load = connection.load();
    let node = connection.node.clone();
    let limiter = node.health().limiter();
    let before = match observation {
        Some(observation) => connection.load_of(observation.weight),
        None => load + answered,
    };
    if let Some(Observation { answered, .. }) = observation {
        // Replies that nobody waits for any more count as well.
        node.health().answered(now);
        let took = answered.map(|since| now.micros_since(since, u32::MAX - 1));
        if took.map_or(limiter.watches(), |took| limiter.is_notable(took)) {
            let done = (before, before.saturating_sub(load));
            limiter.observe(took, done, &mut connection.published, P::TOLERANCE, now);
        }
    }
    if is_overload {
        limiter.back_off(before, P::TOLERANCE, now);
    }
    // Once there is no limit, nothing is published any more.
    let watches = limiter.watches();
    limiter.publish(&mut connection.published, if watches { load } else { 0 });
    if watches {
        connection.pipeline.observe_next();
    }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Whether a command may be sent to a node that has a limit, or must wait behind others anyway.
    #[cold]
    pub(super) fn fits(&mut self, command: &CommandOf<P, T>, node: &NodeOf<P>) -> bool {
        let sharing = P::sharing(command.bytes.len(), command.rows, command.kind);
        let key = (node.key(), sharing);
        let order = self.key(command);
        let follows =
            self.order.has_waiting() && self.queue_ahead(order, command, node.key()).is_some();
        if is_control::<P, T>(command) || follows {
            return true;
        }
        let waits = self.nodes.get(key).is_some_and(|here| !here.waiting.is_empty());
        let own = self.in_flight_at(key);
        !waits && node.health().limiter().admits(command.weight(), own, false)
    }

    /// What this driver has in flight at a node, which is told to its limiter.
    fn in_flight_at(&mut self, key: NodeKey) -> usize {
        let Some(here) = self.nodes.get(key) else { return 0 };
        let mut own = 0;
        for index in &here.connections {
            if let Some(connection) = &mut self.connections[*index] {
                connection.publish();
                own += connection.published as usize;
            }
        }
        own
    }

    /// A command waits until its node can do more, unless that takes too long.
    #[cold]
    pub(super) fn wait_for_turn(
        &mut self,
        mut command: CommandOf<P, T>,
        node: &NodeOf<P>,
        now: Tick,
    ) {
        let limiter = node.health().limiter();
        let background = command.policy.priority == Priority::Background;
        let left = command.deadline.since(now);
        if let Some(rejection) = limiter.rejects(background, left, now) {
            command.attempts.count -= 1;
            let error = Fault::overloaded(node, rejection, left);
            return self.fail(command, error.into());
        }
        let sharing = P::sharing(command.bytes.len(), command.rows, command.kind);
        let (order, key) = (self.key(&command), (node.key(), sharing));
        self.wait(command, node, order, key);
        if let Some(here) = self.nodes.get_mut(key)
            && !here.waiting.is_empty()
        {
            here.waiting.count_in(limiter);
        }
        self.admit(key, now);
    }

    /// Whether the command that is next in a queue may be sent now. Those that would not be answered
    /// in time are rejected.
    #[inline(always)]
    pub(super) fn has_turn(&mut self, key: NodeKey, first: usize, now: Tick) -> bool {
        let Some(connection) = &self.connections[first] else { return true };
        !connection.node.health().limiter().is_limiting() || self.is_admitted(key, first, now)
    }

    #[cold]
    fn is_admitted(&mut self, key: NodeKey, first: usize, now: Tick) -> bool {
        let Some(connection) = &self.connections[first] else { return true };
        let node = connection.node.clone();
        let limiter = node.health().limiter();
        let own = self.in_flight_at(key);
        loop {
            let Some(here) = self.nodes.get_mut(key) else { return false };
            if here.waiting.is_empty() {
                return false;
            }
            here.waiting.count_in(limiter);
            let Some(next) = here.waiting.front() else { return false };
            if !limiter.admits(next.weight(), own, true) {
                return false;
            }
            let left = next.deadline.since(now);
            let Some(rejection) = limiter.rejects_now(left, now) else { return true };
            let Some(command) = here.waiting.pop_front() else { return false };
            self.order.leaves(self.key(&command));
            self.fail(command, Fault::overloaded(&*node, rejection, left).into());
        }
    }

    /// Whether another attempt at a command, whose connection broke, goes to another node for the
    /// first time. However many there are, that node gets each of them once.
    pub(super) fn moves_away(&self, command: &CommandOf<P, T>, node: &NodeOf<P>) -> bool {
        let policy = &command.policy;
        command.attempts.count == 1
            && !command.target.writes()
            && self.topology.has_alternative(&command.target, policy.replica, node)
    }

    /// Whether the client may send one more retry; counts it.
    #[cold]
    pub(super) fn may_retry(&mut self, now: Tick) -> bool {
        self.earn_retries();
        self.topology.retry_budget().is_none_or(|budget| budget.spend(now))
    }

    /// Counts the commands that have ended in the retry budget.
    pub(super) fn earn_retries(&mut self) {
        let ended = std::mem::take(&mut self.ended);
        if ended > 0
            && let Some(budget) = self.topology.retry_budget()
        {
            budget.earn(ended);
        }
    }
}
