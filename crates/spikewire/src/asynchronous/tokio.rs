//! A task on a tokio runtime that turns the connections when the reactor says so.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime;
use tokio::time::{Instant, Sleep, sleep_until};

use spikewire_engine::clock::Tick;
use spikewire_engine::cluster::Cluster;
use spikewire_engine::command::Command;
use spikewire_engine::transport::native::Ticket as _;
use spikewire_engine::transport::{Multiplexer, Outcome};
use spikewire_engine::{Error, Kind, Result};

use super::cell::Ticket;

/// The client's end: takes commands for the task.
#[derive(Debug)]
pub(super) struct Handle(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    inbox: Mutex<Inbox>,
    /// Set while the task is bound to look into the inbox: nobody needs to wake it again.
    awake: AtomicBool,
}

#[derive(Debug, Default)]
struct Inbox {
    commands: Vec<Command<Ticket>>,
    /// Wakes the task.
    waker: Option<Waker>,
    closed: bool,
}

/// Starts the task on the current runtime.
pub(super) fn start(cluster: Arc<Cluster>) -> Result<Handle> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::new(Kind::Invalid, format!("cannot drive connections on tokio: {error}"))
    };
    let runtime = runtime::Handle::try_current().map_err(|error| failed(&error))?;
    let multiplexer = Multiplexer::new(cluster).map_err(|error| failed(&error))?;
    let shared = Arc::new(Shared::default());
    // SAFETY: a multiplexer owns its descriptor, which stays open and the same for as long as it
    // lives, and the `AsyncFd` owns the multiplexer, which never leaves it.
    let watched = unsafe { AsyncFd::register_with_interest(multiplexer, Interest::READABLE) };
    let multiplexer = watched.map_err(|error| failed(&error))?;
    let task = Task {
        shared: shared.clone(),
        multiplexer,
        commands: Vec::new(),
        timer: None,
        armed: Tick::NEVER,
    };
    runtime.spawn(task);
    Ok(Handle(shared))
}

impl Handle {
    /// Sends a command, unless the task has ended: then its ticket says so when it is dropped.
    pub fn submit(&self, command: Command<Ticket>) {
        {
            let mut inbox = self.0.inbox.lock();
            if !inbox.closed {
                inbox.commands.push(command);
            }
        }
        self.0.wake();
    }

    /// Makes the task fail what is in flight and end.
    pub fn close(&self) {
        self.0.inbox.lock().closed = true;
        self.0.wake();
    }
}

impl Shared {
    fn wake(&self) {
        if self.awake.swap(true, SeqCst) {
            return;
        }
        let waker = self.inbox.lock().waker.clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The runtime's end.
struct Task {
    shared: Arc<Shared>,
    multiplexer: AsyncFd<Multiplexer<Ticket>>,
    /// Emptied and swapped with the inbox, so that neither is allocated anew.
    commands: Vec<Command<Ticket>>,
    timer: Option<Pin<Box<Sleep>>>,
    /// What the timer is set to.
    armed: Tick,
}

fn deliver(ticket: Ticket, outcome: Outcome<'_>) {
    ticket.complete(outcome);
}

impl Task {
    /// Writes what was submitted since the last time; `false` when the client was closed.
    fn flush(&mut self, context: &Context<'_>, now: Tick) -> bool {
        {
            let mut inbox = self.shared.inbox.lock();
            if inbox.closed {
                return false;
            }
            match &mut inbox.waker {
                Some(waker) => waker.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
            std::mem::swap(&mut inbox.commands, &mut self.commands);
        }
        if !self.commands.is_empty() {
            let multiplexer = self.multiplexer.get_mut();
            for command in self.commands.drain(..) {
                multiplexer.submit(command, now);
            }
            multiplexer.flush(now, &mut deliver);
        }
        true
    }

    /// Reads replies if there are any; `None` when the descriptor failed.
    fn turn(&mut self, context: &mut Context<'_>) -> Option<bool> {
        match self.multiplexer.poll_read_ready_mut(context) {
            Poll::Pending => Some(false),
            Poll::Ready(Err(_)) => None,
            Poll::Ready(Ok(mut guard)) => {
                // Whoever submits from here on need not wake this task: it comes round again.
                self.shared.awake.store(true, SeqCst);
                guard.clear_ready();
                guard.get_inner_mut().turn(Some(Duration::ZERO), &mut deliver).ok()?;
                Some(true)
            }
        }
    }

    /// Sets the timer to the multiplexer's alarm; `true` when that has come already.
    fn arm(&mut self, context: &mut Context<'_>, now: Tick) -> bool {
        let alarm = self.multiplexer.get_ref().alarm();
        if alarm >= self.armed {
            return false;
        }
        self.armed = alarm;
        let at = Instant::now() + alarm.since(now);
        let timer = match &mut self.timer {
            Some(timer) => {
                timer.as_mut().reset(at);
                timer
            }
            none => none.insert(Box::pin(sleep_until(at))),
        };
        timer.as_mut().poll(context).is_ready()
    }
}

impl Future for Task {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let now = Tick::now();
        if this.armed <= now {
            this.armed = Tick::NEVER;
        }
        if this.multiplexer.get_ref().alarm() <= now {
            this.multiplexer.get_mut().expire(now, &mut deliver);
        }
        // Asleep from here on, unless something came in between.
        this.shared.awake.store(false, SeqCst);
        if !this.flush(context, now) {
            return Poll::Ready(());
        }
        let Some(turned) = this.turn(context) else { return Poll::Ready(()) };
        if this.arm(context, now) || turned {
            // Once more behind the tasks that were just woken: their requests share a write.
            this.shared.awake.store(true, SeqCst);
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Task {
    /// The client was closed, or the runtime ends: nothing may wait for this task any more.
    fn drop(&mut self) {
        let commands = {
            let mut inbox = self.shared.inbox.lock();
            inbox.closed = true;
            inbox.waker = None;
            std::mem::take(&mut inbox.commands)
        };
        drop(commands);
        self.multiplexer.get_mut().close(&mut deliver);
    }
}
