//! Preparing a statement on a node that does not know it, and finding out what a statement is after
//! a change of the schema.

use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::envelope::Prefix;
use spikewire_cql::response::{Details, Prepared as Described, Retry, ServerError};
use spikewire_transport::{Attempts, Tick};

use super::answer::{self, Answer, Content};
use super::{Execution, ExecutionAction, Stage, ToPrepare, What};
use crate::cluster::Node;
use crate::connection::Outcome;
use crate::error::{Error, Kind};
use crate::routing::{Aim, Target};
use crate::statement::{Prepared, Preparing, Turn};

/// How often a request may find each of its statements unprepared before that is an error.
pub(super) const MOST_PREPARES: u32 = 16;

/// How long to wait while another request prepares the same statement on the same node.
const PREPARE_PAUSE: Duration = Duration::from_millis(1);
/// The same if that takes long.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

impl Execution {
    /// The statement that the node does not know and can be asked to prepare.
    pub(super) fn to_prepare(&self, error: &ServerError) -> Option<Arc<Prepared>> {
        let id = unprepared(error)?;
        let known = match &self.what {
            What::Execute { prepared, .. } => Some(prepared),
            What::Batch { prepared } => prepared.iter().find(|prepared| prepared.id == id),
            _ => None,
        };
        known.filter(|_| !self.buffer.is_empty() && self.prepares < self.most_prepares()).cloned()
    }

    fn most_prepares(&self) -> u32 {
        match &self.what {
            What::Batch { prepared } => MOST_PREPARES.max(2 * prepared.len() as u32),
            _ => MOST_PREPARES,
        }
    }

    /// Has a node prepare a statement, after attempts that it did not execute.
    pub(super) fn prepare<'a>(
        &mut self,
        prepared: Arc<Prepared>,
        node: Arc<Node>,
        attempts: Attempts,
    ) -> ExecutionAction<'a> {
        self.prepares += 1;
        let earlier = attempts.without_latest();
        self.before.count += earlier.count;
        self.before.in_doubt |= earlier.in_doubt;
        // A node names one statement at a time. If it has forgotten two, it has forgotten more:
        // they are prepared without sending the batch in between.
        if self.prepares > 1
            && let What::Batch { prepared: all } = &self.what
        {
            let others = all.iter().filter(|other| !Arc::ptr_eq(other, &prepared));
            self.others = others.cloned().collect();
        }
        self.turn(prepared, node, self.since)
    }

    /// Looks again after a pause, unless the pause ended because nothing will be sent any more.
    pub(super) fn waited<'a>(
        &'a mut self,
        prepared: Arc<Prepared>,
        node: Arc<Node>,
        outcome: Outcome<'a>,
    ) -> ExecutionAction<'a> {
        match outcome {
            Err(error) if error.kind() != Kind::Interrupted => {
                ExecutionAction::Done(Err(self.ended(error.on(node.to_string()))))
            }
            _ if self.memory.cluster.is_closed() => {
                ExecutionAction::Done(Err(self.ended(Error::closed())))
            }
            _ => self.turn(prepared, node, self.since),
        }
    }

    /// Decides what to do about a node that did not know a statement at `since`.
    fn turn<'a>(
        &mut self,
        mut prepared: Arc<Prepared>,
        node: Arc<Node>,
        mut since: Tick,
    ) -> ExecutionAction<'a> {
        loop {
            match prepared.turn(&node, since) {
                Turn::Again => match self.others.pop() {
                    Some(next) => (prepared, since) = (next, self.begun),
                    None => return self.again(node),
                },
                Turn::Wait => {
                    let Some(at) = self.next_look() else {
                        return ExecutionAction::Done(Err(self.timed_out(Some(&node))));
                    };
                    self.stage = Stage::Waiting { prepared, node };
                    return ExecutionAction::Pause(at);
                }
                Turn::Prepare(preparing) => {
                    return match self.memory.prepare_again(&prepared) {
                        Ok(bytes) => {
                            self.stage = Stage::Preparing(preparing);
                            // Preparing changes nothing.
                            self.send(bytes, Target::new(Aim::Node(node), false, 0))
                        }
                        Err(error) => ExecutionAction::Done(Err(error)),
                    };
                }
            }
        }
    }

    /// Handles the node's reply to the request to prepare the statement.
    pub(super) fn prepared<'a>(
        &'a mut self,
        preparing: Preparing,
        outcome: Outcome<'a>,
    ) -> ExecutionAction<'a> {
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return self.elsewhere(error),
        };
        if let Some(error) = answer::error_of(&reply) {
            let error = error.map_or_else(|error| error, Error::from_server);
            let error = error.on(reply.node.to_string()).after(reply.attempts.count, false);
            return ExecutionAction::Done(Err(self.ended(error)));
        }
        let answered = answer::prepared_of(&reply);
        let lwt_mark = reply.node.shards.extensions().lwt_mark;
        let answered = match answered {
            Ok(answered) => answered,
            Err(error) => return ExecutionAction::Done(Err(error)),
        };
        let prepared = preparing.prepared.clone();
        if answered.id != prepared.id || !prepared.takes_as_before(&answered.markers.columns) {
            let error = self.changed(prepared, answered, lwt_mark, reply.node);
            return ExecutionAction::Done(Err(error.on(reply.node.to_string())));
        }
        let node = preparing.node.clone();
        preparing.done();
        match self.others.pop() {
            Some(next) => self.turn(next, node, self.begun),
            None => self.again(node),
        }
    }

    /// Takes note of what a statement is now; the error for the values that were bound before.
    fn changed(
        &self,
        before: Arc<Prepared>,
        now: Described<'_>,
        lwt_mark: Option<u32>,
        node: &Node,
    ) -> Error {
        if now.id != before.id {
            // It may be the statement of another keyspace, so it does not take its place.
            self.memory.statements.forget(&before);
            let message = format!(
                "node {node} prepared the statement under another id than before, so the prepared \
                 statement can no longer be used (was the keyspace changed by USE, or the server \
                 upgraded?): prepare it again; it is {:?}",
                before.text
            );
            return Error::new(Kind::Server, message);
        }
        let error = before.outdated();
        let (text, keyspace) = (before.text.clone(), before.keyspace.clone());
        let fresh = answer::described(text, keyspace, now, Vec::new(), lwt_mark);
        let context = self.memory.statements.ask(Some(before));
        self.memory.statements.remember(fresh, &context);
        error
    }

    /// Sends the request to another node, because preparing the statement failed on this one.
    fn elsewhere<'a>(&mut self, error: Error) -> ExecutionAction<'a> {
        let may_go_on = matches!(
            error.kind(),
            Kind::Connection | Kind::CircuitOpen | Kind::NoNode | Kind::Server
        ) && error.server().is_none_or(|error| error.retry() != Retry::Never);
        if !may_go_on
            || self.prepares >= self.most_prepares()
            || matches!(self.target.aim, Aim::Node(_))
        {
            return ExecutionAction::Done(Err(self.ended(error)));
        }
        self.prepares += 1;
        self.others.clear();
        self.target.note(&error);
        let bytes = std::mem::take(&mut self.buffer);
        self.send(bytes, self.target.clone())
    }

    /// Sends the request again to a node that knows its statement by now.
    fn again<'a>(&mut self, node: Arc<Node>) -> ExecutionAction<'a> {
        let bytes = std::mem::take(&mut self.buffer);
        let mut target = self.target.clone();
        target.first = Some(node);
        self.send(bytes, target)
    }

    pub(super) fn timed_out(&self, node: Option<&Arc<Node>>) -> Error {
        let limit = self.policy.timeout.as_secs_f64();
        let place = node.map_or_else(|| "a node".to_owned(), |node| format!("node {node}"));
        let message = format!(
            "the statement's total timeout of {limit} s passed: it was being prepared on {place}, \
             which did not know it"
        );
        let error = Error::new(Kind::Timeout, message);
        self.ended(match node {
            Some(node) => error.on(node.to_string()),
            None => error,
        })
    }

    /// Tells the requests that need the same text what is wrong with it.
    pub(super) fn share_error(&self, error: Error) -> Error {
        if let What::Prepare(request) = &self.what
            && let Some(share) = &request.context.first
            && error.server().is_some_and(|error| error.retry() == Retry::Never)
        {
            share.settle(Err(error.clone()));
        }
        error
    }

    /// Takes what another request has found out, waits for it, or asks after all.
    #[cold]
    pub(super) fn look_again(&mut self) -> ExecutionAction<'_> {
        let What::Prepare(request) = &mut self.what else { return ExecutionAction::Left };
        if self.memory.cluster.is_closed() {
            return ExecutionAction::Done(Err(Error::closed()));
        }
        let statements = &self.memory.statements;
        let ToPrepare { text, keyspace, context } = &mut **request;
        // Whoever is relied on may take long or be lost: one other request takes its place, not all
        // that wait.
        let next = match (&context.renews, &mut context.first) {
            (Some(before), _) => {
                let known = before.latest();
                if !known.is_stale() {
                    return self.answer_with(known);
                }
                statements.ask(Some(known))
            }
            (None, Some(share)) => match share.outcome() {
                Some(Ok(known)) => {
                    let known = known.latest();
                    return self.answer_with(known);
                }
                Some(Err(error)) => return ExecutionAction::Done(Err(error.clone())),
                None => {
                    share.begin(Tick::now());
                    statements.ask_in_turn(share.clone())
                }
            },
            (None, None) => return ExecutionAction::Left,
        };
        if next.follows {
            return match self.next_look() {
                Some(at) => ExecutionAction::Pause(at),
                None => ExecutionAction::Done(Err(self.timed_out_waiting())),
            };
        }
        let bytes = self.memory.prepare_text(keyspace.as_deref(), text);
        *context = next;
        match bytes {
            Ok(bytes) => self.send(bytes, self.target.clone()),
            Err(error) => ExecutionAction::Done(Err(error)),
        }
    }

    /// The answer that another request has got.
    fn answer_with(&mut self, known: Arc<Prepared>) -> ExecutionAction<'_> {
        let Some(node) = self.memory.cluster.snapshot().nodes.first().cloned() else {
            return ExecutionAction::Done(Err(Error::new(
                Kind::NoNode,
                "the cluster has no node now",
            )));
        };
        // The node is stored where the answer can borrow it.
        self.target.aim = Aim::Node(node);
        let Aim::Node(node) = &self.target.aim else { unreachable!("it was just set") };
        let (attempts, prefix) = (Attempts::default(), Prefix::default());
        let content = Content::Prepared(known);
        ExecutionAction::Done(Ok(Answer {
            node,
            attempts,
            bytes: 0,
            prefix,
            agreed: true,
            content,
        }))
    }

    /// When to look again what another request has found out: many look, so the longer it takes, the
    /// less often. `None` if the time is up.
    fn next_look(&self) -> Option<Tick> {
        let now = Tick::now();
        let at = now.after((now.since(self.begun) / 8).clamp(PREPARE_PAUSE, LONGEST_PAUSE));
        (now < self.deadline).then(|| at.min(self.deadline))
    }

    fn timed_out_waiting(&self) -> Error {
        let limit = self.policy.timeout.as_secs_f64();
        let message = format!(
            "the statement's total timeout of {limit} s passed: another request was asking a node \
             for its parameters"
        );
        self.ended(Error::new(Kind::Timeout, message))
    }
}

/// The id of the statement that a node does not know.
fn unprepared(error: &ServerError) -> Option<&[u8]> {
    match &error.details {
        Details::Unprepared(id) => Some(id),
        _ => None,
    }
}
