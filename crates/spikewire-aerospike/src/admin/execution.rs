//! A procedure that a driver of many commands runs: questions to nodes are commands on connections
//! of their own, pauses are the driver's, and no thread waits.
//!
//! The driver's tickets name the execution, as those of a [`BatchExecution`] do. What is asked next
//! goes to the driver's [`Next`].
//!
//! [`BatchExecution`]: crate::command::BatchExecution

use std::fmt;
use std::sync::Arc;

use spikewire_sync::Mutex;

use super::run::recipients;
use super::{
    AdminAction, InfoCommand, ManageRequest, MessageRequest, NodeAnswer, Procedure, Recipients,
};
use crate::clock::Tick;
use crate::cluster::{self, Cluster, Node};
use crate::command::{Command, Target};
use crate::error::{Error, Kind, Result};
use crate::options::Policy;
use crate::transport::{INFO_WEIGHT, MESSAGE_WEIGHT, Next, Outcome, SECURITY_WEIGHT};

/// Who a procedure is run for.
pub trait AdminWaiter<T>: Send + Sync + 'static {
    /// Takes what it gives in the end.
    fn done(&self, outcome: Result<T>);

    /// Whether the outcome is not wanted any more.
    fn is_gone(&self) -> bool;
}

/// One question of a procedure, or its pause. A ticket that is lost ends the procedure with an
/// error. `T` is the ticket of the driver.
pub struct AdminTicket<T> {
    /// Taken when it is completed.
    execution: Option<Arc<dyn Running<T>>>,
    /// Which question; `None`: a pause.
    question: Option<usize>,
}

/// An execution, whatever its procedure.
trait Running<T>: Send + Sync {
    /// A question is about to be asked, perhaps again.
    fn starts(&self, question: usize);

    /// Takes a part of the answer to a question that is not the last.
    fn collect(&self, question: usize, part: &[u8]);

    /// Takes the outcome of a question, or the end of a pause.
    fn go_on(self: Arc<Self>, question: Option<usize>, outcome: Outcome<'_>, next: &mut Next<T>);

    /// A question or a pause will not come back.
    fn lost(&self);

    fn is_gone(&self) -> bool;
}

/// A procedure under way.
struct AdminExecution<P, W> {
    cluster: Arc<Cluster>,
    waiter: W,
    progress: Mutex<Progress<P>>,
}

struct Progress<P> {
    /// `None` when it is over.
    procedure: Option<P>,
    questions: Vec<Question>,
    /// Questions without an answer.
    open: usize,
}

/// A question to one node.
struct Question {
    node: Arc<Node>,
    asked: Asked,
    answer: Option<NodeAnswer>,
}

/// What is asked.
enum Asked {
    Info(InfoCommand),
    Message,
    /// About users and roles; what came of a list so far, until it is too much.
    Manage {
        is_question: bool,
        parts: Option<Vec<u8>>,
    },
}

/// The longest list of users or roles that is taken, in bytes.
const LONGEST_LIST: usize = 16 << 20;

/// Starts a procedure; what it asks first goes to `next`. Its end goes to the waiter, at once if it
/// asks nothing.
pub fn start<P, W, T>(cluster: Arc<Cluster>, procedure: P, waiter: W, next: &mut Next<T>)
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
    T: From<AdminTicket<T>> + 'static,
{
    let progress = Progress { procedure: Some(procedure), questions: Vec::new(), open: 0 };
    let execution = Arc::new(AdminExecution { cluster, waiter, progress: Mutex::new(progress) });
    execution.ask(Vec::new(), next);
}

impl<P, W> AdminExecution<P, W>
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
{
    /// Lets the procedure say what it wants next. No lock is held when the waiter is asked or told.
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

    /// The procedure's next action; what it gives, if it is over.
    fn act<T: From<AdminTicket<T>> + 'static>(
        self: &Arc<Self>,
        progress: &mut Progress<P>,
        answers: Vec<NodeAnswer>,
        next: &mut Next<T>,
    ) -> Option<Result<P::Output>> {
        let now = Tick::now();
        let procedure = progress.procedure.as_mut()?;
        let over = match procedure.next(answers, now) {
            AdminAction::Ask(nodes, command) => match recipients(&self.cluster, nodes) {
                Ok(nodes) => {
                    let question = |node: Arc<Node>| Question {
                        node,
                        asked: Asked::Info(command.clone()),
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
                command.rows = MESSAGE_WEIGHT;
                let question = Question { node, asked: Asked::Message, answer: None };
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
                        command.rows = SECURITY_WEIGHT;
                        command.stream = is_question;
                        let asked = Asked::Manage { is_question, parts: Some(Vec::new()) };
                        let question = Question { node, asked, answer: None };
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
        for (at, question) in progress.questions.iter().enumerate() {
            let Asked::Info(asked) = &question.asked else { continue };
            let command = self.info(question.node.clone(), asked, now, self.ticket(Some(at)));
            next.commands.push(command);
        }
        None
    }

    /// A request that is the only one now.
    fn one_question<T: From<AdminTicket<T>> + 'static>(
        self: &Arc<Self>,
        target: Target,
        frame: &[u8],
        deadline: Tick,
        now: Tick,
    ) -> Box<Command<T>> {
        let timeout = deadline.since(now);
        // Where the client logs in, a session may have ended, which only a new connection mends.
        let max_retries = u32::from(self.cluster.logs_in());
        let policy = Policy { timeout, max_retries, ..Policy::default() };
        let mut command = Command::new(frame.to_vec(), target, policy, now, self.ticket(Some(0)));
        command.deadline = deadline;
        command
    }

    /// An info request. What did not leave is asked once more; an answer that was lost is not.
    fn info<T>(
        &self,
        node: Arc<Node>,
        asked: &InfoCommand,
        now: Tick,
        ticket: T,
    ) -> Box<Command<T>> {
        let mut bytes = Vec::with_capacity(64);
        spikewire_aerospike_protocol::info::request(&mut bytes, &[asked.as_str()]);
        let timeout = self.cluster.options().connect_timeout;
        let policy = Policy { timeout, max_retries: 1, ..Policy::default() };
        let target = Target::node(node, true);
        let mut command = Command::new(bytes, target, policy, now, ticket);
        command.rows = INFO_WEIGHT;
        command
    }

    fn ticket<T: From<AdminTicket<T>> + 'static>(self: &Arc<Self>, question: Option<usize>) -> T {
        let execution: Arc<dyn Running<T>> = self.clone();
        T::from(AdminTicket { execution: Some(execution), question })
    }
}

impl<P, W, T> Running<T> for AdminExecution<P, W>
where
    P: Procedure + Send + 'static,
    W: AdminWaiter<P::Output>,
    T: From<AdminTicket<T>> + 'static,
{
    fn starts(&self, question: usize) {
        let mut progress = self.progress.lock();
        let Some(question) = progress.questions.get_mut(question) else { return };
        if let Asked::Manage { parts, .. } = &mut question.asked {
            *parts = Some(Vec::new());
        }
    }

    fn collect(&self, question: usize, part: &[u8]) {
        let mut progress = self.progress.lock();
        let Some(question) = progress.questions.get_mut(question) else { return };
        let Asked::Manage { parts, .. } = &mut question.asked else { return };
        match parts {
            Some(all) if all.len() + part.len() <= LONGEST_LIST => all.extend_from_slice(part),
            _ => *parts = None,
        }
    }

    fn go_on(self: Arc<Self>, question: Option<usize>, outcome: Outcome<'_>, next: &mut Next<T>) {
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
    /// What the node said.
    fn answered(&mut self, outcome: Outcome<'_>) -> NodeAnswer {
        let node = self.node.clone();
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return NodeAnswer::text(node, Err(error)),
        };
        match &mut self.asked {
            Asked::Info(command) => {
                let answer = cluster::info_answer(&String::from_utf8_lossy(reply.body), command);
                NodeAnswer::text(node, answer.map_err(|error| error.on(self.node.to_string())))
            }
            Asked::Message => NodeAnswer::text(node, cluster::message_answer(reply.body)),
            Asked::Manage { is_question, parts } => {
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
    /// The question is about to be asked, perhaps again: what came before counts no more.
    pub fn starts(&self) {
        if let (Some(execution), Some(question)) = (&self.execution, self.question) {
            execution.starts(question);
        }
    }

    /// Takes a part of an answer that is not the last.
    pub fn collect(&mut self, part: &[u8]) {
        if let (Some(execution), Some(question)) = (&self.execution, self.question) {
            execution.collect(question, part);
        }
    }

    /// Takes the outcome; what is asked next goes to `next`.
    pub fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<T>) {
        if let Some(execution) = self.execution.take() {
            execution.go_on(self.question, outcome, next);
        }
    }

    /// Whether the outcome is not wanted any more.
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
