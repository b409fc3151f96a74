//! Runs a procedure on a driver of many commands: requests to nodes are commands on separate
//! connections, the driver handles pauses, and no thread waits.
//!
//! The driver's tickets refer to the execution, like those of a [`BatchExecution`]. Further
//! requests go to the driver's [`Next`].
//!
//! [`BatchExecution`]: crate::command::BatchExecution

use std::fmt;
use std::sync::Arc;

use spikewire_sync::Mutex;
use spikewire_transport::protocol::RequestKind;

use super::run::recipients;
use super::{
    AdminAction, InfoCommand, ManageRequest, MessageRequest, NodeAnswer, Procedure, Recipients,
};
use crate::clock::Tick;
use crate::cluster::{self, Cluster, Node};
use crate::command::{Command, Target};
use crate::model::Policy;
use crate::model::{Error, Kind, Result};
use crate::transport::{Next, Outcome};

/// The caller of a procedure.
pub trait AdminWaiter<T>: Send + Sync + 'static {
    /// Receives the result.
    fn done(&self, outcome: Result<T>);

    /// Whether the result is no longer needed.
    fn is_gone(&self) -> bool;
}

/// The ticket of a request of a procedure, or of its pause. Dropping it ends the procedure with an
/// error. `T` is the ticket type of the driver.
pub struct AdminTicket<T> {
    /// Taken on completion.
    execution: Option<Arc<dyn RunningProcedure<T>>>,
    /// The number of the request; `None`: a pause.
    question: Option<usize>,
}

/// An execution of any procedure.
trait RunningProcedure<T>: Send + Sync {
    /// A request is about to be sent, possibly again.
    fn starts(&self, question: usize);

    /// Receives a part of a reply that is not the last.
    fn collect(&self, question: usize, part: &[u8]);

    /// Receives the outcome of a request, or the end of a pause.
    fn go_on(self: Arc<Self>, question: Option<usize>, outcome: Outcome<'_>, next: &mut Next<T>);

    /// The ticket of a request or a pause was dropped.
    fn lost(&self);

    fn is_gone(&self) -> bool;
}

/// A running procedure.
struct AdminExecution<P, W> {
    cluster: Arc<Cluster>,
    waiter: W,
    progress: Mutex<AdminProgress<P>>,
}

struct AdminProgress<P> {
    /// `None` when finished.
    procedure: Option<P>,
    questions: Vec<Question>,
    /// Number of outstanding requests.
    open: usize,
}

/// A request to one node.
struct Question {
    node: Arc<Node>,
    kind: QuestionKind,
    answer: Option<NodeAnswer>,
}

/// The kind of request.
enum QuestionKind {
    Info(InfoCommand),
    Message,
    /// For users and roles; with the part of the list received so far, until it is too long.
    Manage {
        is_question: bool,
        parts: Option<Vec<u8>>,
    },
}

/// The longest accepted list of users or roles, in bytes.
const LONGEST_LIST: usize = 16 << 20;

/// Starts a procedure; its first requests go to `next`. The result goes to the waiter, at once if
/// there are no requests.
pub fn start<P, W, T>(cluster: Arc<Cluster>, procedure: P, waiter: W, next: &mut Next<T>)
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
    T: From<AdminTicket<T>> + 'static,
{
    let progress = AdminProgress { procedure: Some(procedure), questions: Vec::new(), open: 0 };
    let execution = Arc::new(AdminExecution { cluster, waiter, progress: Mutex::new(progress) });
    execution.ask(Vec::new(), next);
}

impl<P, W> AdminExecution<P, W>
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
{
    /// Performs the procedure's next action. No lock is held while the waiter is called.
    fn ask<T: From<AdminTicket<T>> + 'static>(
        self: &Arc<Self>,
        answers: Vec<NodeAnswer>,
        next: &mut Next<T>,
    ) {
        let is_gone = self.waiter.is_gone();
        let over = {
            let mut progress = self.progress.lock();
            if is_gone {
                progress.procedure = None;
            }
            self.act(&mut progress, answers, next)
        };
        if let Some(outcome) = over {
            self.waiter.done(outcome);
        }
    }

    /// Performs the procedure's next action; returns the result if it is finished.
    fn act<T: From<AdminTicket<T>> + 'static>(
        self: &Arc<Self>,
        progress: &mut AdminProgress<P>,
        answers: Vec<NodeAnswer>,
        next: &mut Next<T>,
    ) -> Option<Result<P::Output>> {
        let now = Tick::now();
        // It may change records, and waits for jobs that do.
        self.cluster.invalidate_near_cache();
        let procedure = progress.procedure.as_mut()?;
        let over = match procedure.next(answers, now) {
            AdminAction::Ask(nodes, command) => match recipients(&self.cluster, nodes) {
                Ok(nodes) => {
                    let question = |node: Arc<Node>| Question {
                        node,
                        kind: QuestionKind::Info(command.clone()),
                        answer: None,
                    };
                    progress.questions = nodes.into_iter().map(question).collect();
                    None
                }
                Err(error) => Some(Err(error)),
            },
            AdminAction::Send(_) | AdminAction::Manage(_) | AdminAction::Sleep(_)
                if self.cluster.is_closed() =>
            {
                Some(Err(Error::closed()))
            }
            AdminAction::Send(MessageRequest { node, frame, deadline }) => {
                let target = Target::node(node.clone(), true);
                let mut command = self.one_question(target, &frame, deadline, now);
                command.kind = RequestKind::Message;
                let question = Question { node, kind: QuestionKind::Message, answer: None };
                (progress.questions, progress.open) = (vec![question], 1);
                next.commands.push(command);
                return None;
            }
            AdminAction::Manage(ManageRequest { frame, is_question, deadline, .. }) => {
                match recipients(&self.cluster, Recipients::Any)
                    .map(|nodes| nodes.into_iter().next())
                {
                    Ok(Some(node)) => {
                        let target = Target::node(node.clone(), !is_question);
                        let mut command = self.one_question(target, &frame, deadline, now);
                        command.kind = RequestKind::Accounts;
                        command.stream = is_question;
                        let kind = QuestionKind::Manage { is_question, parts: Some(Vec::new()) };
                        let question = Question { node, kind, answer: None };
                        (progress.questions, progress.open) = (vec![question], 1);
                        next.commands.push(command);
                        return None;
                    }
                    Ok(None) => Some(Err(Error::new(Kind::NoNode, "the cluster has no node now"))),
                    Err(error) => Some(Err(error)),
                }
            }
            AdminAction::Sleep(until) => {
                next.pauses.push((until, self.ticket(None)));
                return None;
            }
            AdminAction::Done(outcome) => Some(outcome),
        };
        if over.is_some() {
            progress.procedure = None;
            return over;
        }
        progress.open = progress.questions.len();
        if progress.open == 0 {
            // Nobody to ask, so no answer brings the next action.
            return self.act(progress, Vec::new(), next);
        }
        for (at, question) in progress.questions.iter().enumerate() {
            let QuestionKind::Info(info) = &question.kind else { continue };
            let command = self.info(question.node.clone(), info, now, self.ticket(Some(at)));
            next.commands.push(command);
        }
        None
    }

    /// A single outstanding request.
    fn one_question<T: From<AdminTicket<T>> + 'static>(
        self: &Arc<Self>,
        target: Target,
        frame: &[u8],
        deadline: Tick,
        now: Tick,
    ) -> Box<Command<T>> {
        let timeout = deadline.since(now);
        // With a login, the session may have expired, which requires a new connection.
        let max_retries = u32::from(self.cluster.logs_in());
        let policy = Policy { timeout, max_retries, ..Policy::default() };
        let mut command = Command::new(frame.to_vec(), target, policy, now, self.ticket(Some(0)));
        command.deadline = deadline;
        command
    }

    /// An info request. If it was not sent it is retried once; if only the reply was lost it is
    /// not.
    fn info<T>(
        &self,
        node: Arc<Node>,
        info: &InfoCommand,
        now: Tick,
        ticket: T,
    ) -> Box<Command<T>> {
        let mut bytes = Vec::with_capacity(64);
        spikewire_aerospike_protocol::info::request(&mut bytes, &[info.as_str()]);
        let timeout = self.cluster.options().connect_timeout;
        let policy = Policy { timeout, max_retries: 1, ..Policy::default() };
        let target = Target::node(node, true);
        let mut command = Command::new(bytes, target, policy, now, ticket);
        command.kind = RequestKind::Info;
        command
    }

    fn ticket<T: From<AdminTicket<T>> + 'static>(self: &Arc<Self>, question: Option<usize>) -> T {
        let execution: Arc<dyn RunningProcedure<T>> = self.clone();
        T::from(AdminTicket { execution: Some(execution), question })
    }
}

impl<P, W, T> RunningProcedure<T> for AdminExecution<P, W>
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
    T: From<AdminTicket<T>> + 'static,
{
    fn starts(&self, question: usize) {
        let mut progress = self.progress.lock();
        let Some(question) = progress.questions.get_mut(question) else { return };
        if let QuestionKind::Manage { parts, .. } = &mut question.kind {
            *parts = Some(Vec::new());
        }
    }

    fn collect(&self, question: usize, part: &[u8]) {
        let mut progress = self.progress.lock();
        let Some(question) = progress.questions.get_mut(question) else { return };
        let QuestionKind::Manage { parts, .. } = &mut question.kind else { return };
        match parts {
            Some(all) if all.len() + part.len() <= LONGEST_LIST => all.extend_from_slice(part),
            _ => *parts = None,
        }
    }

    fn go_on(self: Arc<Self>, question: Option<usize>, outcome: Outcome<'_>, next: &mut Next<T>) {
        // Its pause did not end at its time: nothing will be sent any more.
        if question.is_none() && outcome.as_ref().is_err_and(|error| error.kind() == Kind::Closed) {
            return RunningProcedure::<T>::lost(&*self);
        }
        let answers = {
            let mut progress = self.progress.lock();
            if let Some(at) = question {
                let question = &mut progress.questions[at];
                question.answer = Some(question.answered(outcome));
                progress.open -= 1;
                if progress.open > 0 {
                    return;
                }
            }
            let answered = std::mem::take(&mut progress.questions).into_iter();
            answered.filter_map(|question| question.answer).collect()
        };
        self.ask(answers, next);
    }

    fn lost(&self) {
        if self.progress.lock().procedure.take().is_some() {
            self.waiter.done(Err(Error::closed()));
        }
    }

    fn is_gone(&self) -> bool {
        self.waiter.is_gone()
    }
}

impl Question {
    /// Reads the node's reply.
    fn answered(&mut self, outcome: Outcome<'_>) -> NodeAnswer {
        let node = self.node.clone();
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return NodeAnswer::text(node, Err(error)),
        };
        match &mut self.kind {
            QuestionKind::Info(command) => {
                let answer = cluster::info_answer(&String::from_utf8_lossy(reply.body), command);
                NodeAnswer::text(node, answer.map_err(|error| error.on(self.node.to_string())))
            }
            QuestionKind::Message => NodeAnswer::text(node, cluster::message_answer(reply.body)),
            QuestionKind::Manage { is_question, parts } => {
                let rows = if let Some(mut all) = parts.take() {
                    all.extend_from_slice(reply.body);
                    cluster::manage_answer(&all, *is_question)
                } else {
                    let why = format!("a list of more than {LONGEST_LIST} bytes");
                    Err(Error::new(Kind::Malformed, why))
                };
                NodeAnswer::rows(node, rows)
            }
        }
    }
}

impl<T> AdminTicket<T> {
    /// The request is about to be sent, possibly again: discards earlier parts of the reply.
    pub fn starts(&self) {
        if let (Some(execution), Some(question)) = (&self.execution, self.question) {
            execution.starts(question);
        }
    }

    /// Receives a part of a reply that is not the last.
    pub fn collect(&mut self, part: &[u8]) {
        if let (Some(execution), Some(question)) = (&self.execution, self.question) {
            execution.collect(question, part);
        }
    }

    /// Processes the outcome; further requests go to `next`.
    pub fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<T>) {
        if let Some(execution) = self.execution.take() {
            execution.go_on(self.question, outcome, next);
        }
    }

    /// Whether the result is no longer needed.
    pub fn is_withdrawn(&self) -> bool {
        self.execution.as_ref().is_none_or(|execution| execution.is_gone())
    }
}

impl<T> Drop for AdminTicket<T> {
    fn drop(&mut self) {
        if let Some(execution) = self.execution.take() {
            execution.lost();
        }
    }
}

impl<T> fmt::Debug for AdminTicket<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AdminTicket").field("question", &self.question).finish_non_exhaustive()
    }
}
