//! Statements of calling threads that may have copies: a thread of the executor sends them, and the
//! caller sleeps until one of the copies was answered.

use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_transport::native::{Native, Ticket as Completes};
use spikewire_transport::{Attempts, ResponseHandler, Tick, buffer};

use super::Interrupted;
use crate::cluster::{Cluster, Node};
use crate::connection::{Cassandra, Next, Outcome, Reply};
use crate::error::{Error, Kind, Result};
use crate::execution::{Answer, Draft, Execution, Heard};
use crate::session::Call;
use crate::speculation::Share;

/// How often a caller looks whether it was interrupted.
const LOOK: Duration = Duration::from_millis(50);

/// The thread, once it is needed.
#[derive(Debug, Default)]
pub(super) struct Sender {
    started: OnceLock<Native<Cassandra, Ticket>>,
    starting: Mutex<()>,
}

impl Sender {
    /// The thread; `None` where the system has none.
    pub fn thread(&self, cluster: &Arc<Cluster>) -> Option<&Native<Cassandra, Ticket>> {
        if self.started.get().is_none() {
            let _starting = self.starting.lock();
            if self.started.get().is_none() {
                let _ = self.started.set(Native::start(cluster.clone()).ok()?);
            }
        }
        self.started.get()
    }

    /// Ends the thread; what waits fails.
    pub fn close(&self) {
        let _starting = self.starting.lock();
        if let Some(native) = self.started.get() {
            native.close();
        }
    }
}

/// Has a statement and its copies sent and waits for the answer; `read` gets it.
#[cold]
#[inline(never)]
pub(super) fn run<T>(
    thread: &Native<Cassandra, Ticket>,
    call: Call,
    interrupted: Interrupted<'_>,
    read: impl FnOnce(Result<Answer<'_>>) -> T,
) -> T {
    let (draft, execution) = call.split();
    let caller = Arc::new(Caller { thread: thread::current(), outcome: Mutex::new(None) });
    let waiting = Share::Own(Waiting(caller.clone()));
    let ticket = Ticket { waiting, execution: Box::new(execution) };
    // One that comes too late is dropped, which says so.
    drop(thread.submit(draft.into_command(Tick::now(), ticket)));
    let outcome = loop {
        if let Some(outcome) = caller.outcome.lock().take() {
            break outcome;
        }
        thread::park_timeout(LOOK);
        if interrupted.is_some_and(|interrupted| interrupted()) {
            let message = "a signal interrupted the call";
            break Err(Error::new(Kind::Interrupted, message));
        }
    };
    let Answered { body, node, attempts, execution } = match outcome {
        Ok(answered) => answered,
        Err(error) => return read(Err(error)),
    };
    let result = read(execution.understand(Reply { body: &body, node: &node, attempts }));
    buffer::give(body);
    result
}

/// A calling thread, and what it waits for.
#[derive(Debug)]
struct Caller {
    thread: Thread,
    outcome: Mutex<Option<Result<Answered>>>,
}

/// An answer that the caller reads.
#[derive(Debug)]
struct Answered {
    body: Vec<u8>,
    node: Arc<Node>,
    attempts: Attempts,
    execution: Box<Execution>,
}

/// Tells a caller how its statement ended, in any case.
#[derive(Debug)]
struct Waiting(Arc<Caller>);

impl Waiting {
    fn tell(&self, outcome: Result<Answered>) {
        self.0.outcome.lock().get_or_insert(outcome);
        self.0.thread.unpark();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.tell(Err(Error::new(Kind::Closed, "the session is closed")));
    }
}

/// A copy under way.
#[derive(Debug)]
pub(super) struct Ticket {
    waiting: Share<Waiting>,
    execution: Box<Execution>,
}

impl ResponseHandler for Ticket {
    fn starts(&mut self) -> bool {
        !self.execution.is_left()
    }

    fn is_withdrawn(&self) -> bool {
        self.execution.is_left()
    }

    fn twin(&mut self) -> Option<Self> {
        let execution = Box::new(self.execution.twin()?);
        Some(Self { waiting: self.waiting.twin(), execution })
    }

    fn returned(&mut self, request: Vec<u8>) {
        self.execution.returned(request);
    }
}

/// What an outcome leads to.
enum Step {
    Done(Result<(Vec<u8>, Arc<Node>, Attempts)>),
    Send(Draft),
    Pause(Tick),
}

impl Completes<Cassandra> for Ticket {
    fn complete(mut self, outcome: Outcome<'_>, next: &mut Next<Self>) {
        let reply = outcome.as_ref().ok().copied();
        let step = match self.execution.hear(outcome) {
            // The reply itself is kept: no statement with copies changes the schema, whose answer
            // would be an earlier one.
            Heard::Done(answer) => Step::Done(answer.map(|answer| {
                let mut body = buffer::take();
                body.extend_from_slice(reply.map_or(&[][..], |reply| reply.body));
                (body, answer.node.clone(), answer.attempts)
            })),
            Heard::Send(draft) => Step::Send(draft),
            Heard::Pause(at) => Step::Pause(at),
            Heard::Left => return,
        };
        match step {
            Step::Done(outcome) => {
                let Self { waiting, execution } = self;
                let Some(waiting) = waiting.into_own() else { return };
                waiting.tell(outcome.map(|(body, node, attempts)| Answered {
                    body,
                    node,
                    attempts,
                    execution,
                }));
            }
            Step::Send(draft) => next.commands.push(draft.into_command(Tick::now(), self)),
            Step::Pause(at) => next.pauses.push((at, self)),
        }
    }
}
