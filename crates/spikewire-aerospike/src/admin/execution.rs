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
use super::{AdminAction, InfoCommand, MessageRequest, NodeAnswer, Procedure};
use crate::clock::Tick;
use crate::cluster::{self, Cluster, Node};
use crate::command::{Command, Target};
use crate::error::{Error, Result};
use crate::options::Policy;
use crate::transport::{INFO_WEIGHT, MESSAGE_WEIGHT, Next, Outcome};

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
    /// `None`: a message.
    command: Option<InfoCommand>,
    answer: Option<Result<String>>,
}

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
                        command: Some(command.clone()),
                        answer: None,
                    };
                    progress.questions = nodes.into_iter().map(question).collect();
                    None
                }
                Err(error) => Some(Err(error)),
            },
            AdminAction::Send(_) | AdminAction::Sleep(_) if self.cluster.is_closed() => {
                Some(Err(Error::closed()))
            }
            AdminAction::Send(MessageRequest { node, frame, deadline }) => {
                progress.questions =
                    vec![Question { node: node.clone(), command: None, answer: None }];
                progress.open = 1;
                let target = Target::node(node, true);
                let timeout = deadline.since(now);
                // Where the client logs in, a session may have ended, which only a new connection mends.
                let max_retries = u32::from(self.cluster.logs_in());
                let policy = Policy { timeout, max_retries, ..Policy::default() };
                let mut command =
                    Command::new(frame.to_vec(), target, policy, now, self.ticket(Some(0)));
                command.deadline = deadline;
                command.rows = MESSAGE_WEIGHT;
                next.commands.push(command);
                return None;
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
            let Some(asked) = &question.command else { continue };
            let command = self.info(question.node.clone(), asked, now, self.ticket(Some(at)));
            next.commands.push(command);
        }
        None
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
    fn go_on(self: Arc<Self>, question: Option<usize>, outcome: Outcome<'_>, next: &mut Next<T>) {
        let answers = {
            let mut progress = self.progress.lock();
            if let Some(at) = question {
                let question = &mut progress.questions[at];
                let answer = match (&question.command, outcome) {
                    (Some(command), Ok(reply)) => {
                        cluster::info_answer(&String::from_utf8_lossy(reply.body), command)
                            .map_err(|error| error.on(question.node.to_string()))
                    }
                    (None, Ok(reply)) => cluster::message_answer(reply.body),
                    (_, Err(error)) => Err(error),
                };
                question.answer = Some(answer);
                progress.open -= 1;
                if progress.open > 0 {
                    return;
                }
            }
            let answered = std::mem::take(&mut progress.questions).into_iter();
            let answered =
                answered.filter_map(|it| Some(NodeAnswer { node: it.node, answer: it.answer? }));
            answered.collect()
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

impl<T> AdminTicket<T> {
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
