//! Statements of calling threads that may have copies: a thread of the executor sends them, and the
//! caller sleeps until one of the copies is answered.

use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_transport::native::Native;
use spikewire_transport::{Attempts, Tick, buffer};

use super::Interrupted;
use crate::cluster::{Cluster, Node};
use crate::connection::{Cassandra, Reply};
use crate::error::{Error, Kind, Result};
use crate::execution::Answer;
use crate::session::Call;
use crate::ticket::{AnswerReceiver, AnswerWaiter, Ticket};

/// How often a caller checks whether it was interrupted.
const INTERRUPT_POLL: Duration = Duration::from_millis(50);

/// The thread, once it was needed.
#[derive(Debug, Default)]
pub(super) struct CopyThread {
    started: OnceLock<Native<Cassandra, Ticket<CallerWaiter>>>,
    starting: Mutex<()>,
}

impl CopyThread {
    /// The thread, started if necessary; `None` if it cannot be.
    pub fn get_or_start(
        &self,
        cluster: &Arc<Cluster>,
    ) -> Option<&Native<Cassandra, Ticket<CallerWaiter>>> {
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

/// Sends a statement and its copies and waits for the answer; `read` gets it.
#[cold]
#[inline(never)]
pub(super) fn run<T>(
    copy_thread: &Native<Cassandra, Ticket<CallerWaiter>>,
    cluster: &Cluster,
    call: Call,
    interrupted: Interrupted<'_>,
    read: impl FnOnce(Result<Answer<'_>>) -> T,
) -> T {
    let reader = call.execution.reader();
    let caller = Arc::new(Caller { thread: thread::current(), outcome: Mutex::new(None) });
    // If the thread has ended, the ticket is dropped, which reports that.
    let waiting = CallerWaiter { caller: caller.clone(), delivered: None };
    drop(copy_thread.submit(Ticket::command(call, Tick::now(), waiting)));
    let Outcome { reply, delivered } = loop {
        if let Some(outcome) = caller.outcome.lock().take() {
            break outcome;
        }
        thread::park_timeout(INTERRUPT_POLL);
        if interrupted.is_some_and(|interrupted| interrupted()) {
            let message = "a signal interrupted the call";
            break Outcome { reply: Err(Error::new(Kind::Interrupted, message)), delivered: None };
        }
    };
    cluster.metrics().goes_on(delivered);
    let OwnedReply { body, node, attempts } = match reply {
        Ok(reply) => reply,
        Err(error) => return read(Err(error)),
    };
    let result = read(reader.read(Reply { body: &body, node: &node, attempts }));
    buffer::give(body);
    result
}

/// A calling thread and its outcome.
#[derive(Debug)]
struct Caller {
    thread: Thread,
    outcome: Mutex<Option<Outcome>>,
}

/// How a caller's statement ended.
#[derive(Debug)]
struct Outcome {
    reply: Result<OwnedReply>,
    /// When the reply was delivered, while stages are timed.
    delivered: Option<Tick>,
}

/// An answer to be read by the caller.
#[derive(Debug)]
struct OwnedReply {
    body: Vec<u8>,
    node: Arc<Node>,
    attempts: Attempts,
}

/// Wakes a caller when its statement has ended, in any case.
#[derive(Debug)]
pub(super) struct CallerWaiter {
    caller: Arc<Caller>,
    /// When the reply was delivered, while stages are timed.
    delivered: Option<Tick>,
}

impl CallerWaiter {
    fn complete(&self, reply: Result<OwnedReply>) {
        let outcome = Outcome { reply, delivered: self.delivered };
        self.caller.outcome.lock().get_or_insert(outcome);
        self.caller.thread.unpark();
    }
}

impl Drop for CallerWaiter {
    fn drop(&mut self) {
        self.complete(Err(Error::closed()));
    }
}

impl AnswerWaiter for CallerWaiter {
    fn answered_at(&mut self, at: Tick) {
        self.delivered = Some(at);
    }
}

impl AnswerReceiver for CallerWaiter {
    /// Keeps the reply itself. No statement with copies changes the schema, for which the answer
    /// would be an earlier reply.
    fn take(&mut self, answer: Result<Answer<'_>>, reply: &[u8]) {
        self.complete(answer.map(|answer| {
            let mut body = buffer::take();
            body.extend_from_slice(reply);
            OwnedReply { body, node: answer.node.clone(), attempts: answer.attempts }
        }));
    }
}
