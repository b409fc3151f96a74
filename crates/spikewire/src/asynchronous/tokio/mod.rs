//! A task on a tokio runtime that turns the connections when the reactor says so.
//!
//! A command that finds nothing in flight is written by the task that made it. All others wait for
//! the driving task, which comes behind everybody that was woken by its latest turn: what they
//! submit leaves in one write per connection.
//!
//! | file | what it holds |
//! |---|---|
//! | `mod` | the task, and the client's end of it |
//! | `driver` | a query, which the reactor watches |

mod driver;

use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use spikewire_sync::Mutex;
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

pub(super) use self::driver::Driver;
use super::cell::Ticket;

/// The client's end: takes commands for the task.
#[derive(Debug)]
pub(super) struct Handle(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    multiplexer: Mutex<Multiplexer<Ticket>>,
    inbox: Mutex<Inbox>,
    /// What drives it, and its queries.
    runtime: runtime::Handle,
    /// Set while the task is bound to look into the inbox: nobody needs to wake it again.
    awake: AtomicBool,
    /// When the task's timer rings.
    armed: AtomicU64,
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
    let descriptor = multiplexer.as_raw_fd();
    let shared = Arc::new(Shared {
        multiplexer: Mutex::new(multiplexer),
        inbox: Mutex::default(),
        runtime: runtime.clone(),
        awake: AtomicBool::new(false),
        armed: AtomicU64::new(Tick::NEVER.0),
    });
    let watched = Watched { descriptor, shared: shared.clone() };
    // SAFETY: a multiplexer owns its descriptor, which stays open and the same for as long as it
    // lives, and what is watched keeps the multiplexer.
    let watched = unsafe { AsyncFd::register_with_interest(watched, Interest::READABLE) };
    let watched = watched.map_err(|error| failed(&error))?;
    runtime.spawn(Task { watched, commands: Vec::new(), timer: None });
    Ok(Handle(shared))
}

impl Handle {
    /// Sends a command, unless the task has ended: then its ticket says so when it is dropped.
    pub fn submit(&self, command: Command<Ticket>) {
        let shared = &*self.0;
        let Some(command) = shared.write_alone(command) else { return };
        {
            let mut inbox = shared.inbox.lock();
            if inbox.closed {
                drop(inbox);
                return drop(command);
            }
            inbox.commands.push(command);
        }
        shared.wake();
    }

    /// Fails what is in flight and makes the task end.
    pub fn close(&self) {
        self.0.close();
        self.0.wake();
    }
}

impl Shared {
    /// Writes a command right here if there is nothing that it could share a write with; gives it
    /// back otherwise.
    fn write_alone(&self, command: Command<Ticket>) -> Option<Command<Ticket>> {
        if self.awake.load(Relaxed) {
            return Some(command);
        }
        let Some(mut multiplexer) = self.multiplexer.try_lock() else { return Some(command) };
        if multiplexer.in_flight() > 0 {
            return Some(command);
        }
        let now = Tick::now();
        multiplexer.submit(command, now);
        multiplexer.flush(now, &mut deliver);
        let alarm = multiplexer.alarm();
        drop(multiplexer);
        if alarm.0 < self.armed.load(Relaxed) {
            self.wake();
        }
        None
    }

    fn wake(&self) {
        if self.awake.swap(true, SeqCst) {
            return;
        }
        let waker = self.inbox.lock().waker.clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn close(&self) {
        let commands = {
            let mut inbox = self.inbox.lock();
            inbox.closed = true;
            std::mem::take(&mut inbox.commands)
        };
        drop(commands);
        // Who completes commands right now may hold the last handle of the client: then the task
        // closes, when it next comes round.
        if let Some(mut multiplexer) = self.multiplexer.try_lock() {
            multiplexer.close(&mut deliver);
        }
    }
}

/// What the reactor watches.
struct Watched {
    descriptor: RawFd,
    shared: Arc<Shared>,
}

impl AsRawFd for Watched {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor
    }
}

/// The runtime's end.
struct Task {
    watched: AsyncFd<Watched>,
    /// Emptied and swapped with the inbox, so that neither is allocated anew.
    commands: Vec<Command<Ticket>>,
    timer: Option<Pin<Box<Sleep>>>,
}

fn deliver(ticket: Ticket, outcome: Outcome<'_>) {
    ticket.complete(outcome);
}

impl Task {
    /// Ends what is overdue and writes what was submitted since the last time; `false` when the
    /// client was closed.
    fn flush(&mut self, context: &Context<'_>, now: Tick) -> bool {
        let shared = &*self.watched.get_ref().shared;
        {
            let mut inbox = shared.inbox.lock();
            if inbox.closed {
                return false;
            }
            match &mut inbox.waker {
                Some(waker) => waker.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
            std::mem::swap(&mut inbox.commands, &mut self.commands);
        }
        let mut multiplexer = shared.multiplexer.lock();
        if multiplexer.alarm() <= now {
            multiplexer.expire(now, &mut deliver);
        }
        if !self.commands.is_empty() {
            for command in self.commands.drain(..) {
                multiplexer.submit(command, now);
            }
            multiplexer.flush(now, &mut deliver);
        }
        true
    }

    /// Reads replies if there are any and says whether to come round again; `None` when the
    /// descriptor failed.
    fn turn(&mut self, context: &mut Context<'_>) -> Option<bool> {
        while let Poll::Ready(ready) = self.watched.poll_read_ready(context) {
            let shared = &*self.watched.get_ref().shared;
            // Whoever submits from here on need not wake this task.
            shared.awake.store(true, SeqCst);
            ready.ok()?.clear_ready();
            let mut multiplexer = shared.multiplexer.lock();
            let mut completed = 0;
            let turned = multiplexer.turn(Some(Duration::ZERO), &mut |ticket, outcome| {
                completed += 1;
                deliver(ticket, outcome);
            });
            turned.ok()?;
            if completed > 1 || (completed == 1 && multiplexer.in_flight() > 0) {
                return Some(true);
            }
            // One alone: what it leads to is written by whoever submits it.
            drop(multiplexer);
            shared.awake.store(false, SeqCst);
            if !shared.inbox.lock().commands.is_empty() {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Sets the timer to the multiplexer's alarm; `true` when that has come already.
    fn arm(&mut self, context: &mut Context<'_>, now: Tick) -> bool {
        let shared = &*self.watched.get_ref().shared;
        let alarm = shared.multiplexer.lock().alarm();
        let armed = Tick(shared.armed.load(Relaxed));
        if alarm >= armed && armed > now {
            return false;
        }
        shared.armed.store(alarm.0, Relaxed);
        if alarm == Tick::NEVER {
            return false;
        }
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
        let now = Tick::now();
        // Asleep from here on, unless something came in between.
        self.watched.get_ref().shared.awake.store(false, SeqCst);
        if !self.flush(context, now) {
            return Poll::Ready(());
        }
        let Some(again) = self.turn(context) else { return Poll::Ready(()) };
        if self.arm(context, now) || again {
            // Behind the tasks that were just woken: their requests share a write.
            self.watched.get_ref().shared.awake.store(true, SeqCst);
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl Drop for Task {
    /// The client was closed, or the runtime ends: nothing may wait for this task any more.
    fn drop(&mut self) {
        let shared = &self.watched.get_ref().shared;
        shared.close();
        shared.multiplexer.lock().close(&mut deliver);
        shared.inbox.lock().waker = None;
    }
}
