//! Tasks on a tokio runtime that drive connections when the reactor reports events.
//!
//! A command that finds nothing in flight is written by the task that submits it. All others wait
//! for the driving task, which runs after the tasks that its last turn woke: their commands are
//! sent with one write per connection.
//!
//! There are several driving tasks where there are several worker threads. With a single one, every
//! reply is read on one of them, which wakes another for whatever follows; that one soon sleeps
//! again, and waking it costs more than the command.

use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use spikewire_sync::Mutex;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime;
use tokio::time::{Instant, Sleep, sleep_until};

use spikewire_transport::driver::Next;
use spikewire_transport::native::Ticket;
use spikewire_transport::protocol::CommandOf;
use spikewire_transport::topology::Topology as _;
use spikewire_transport::{
    EventLoop, LoopDriver, Multiplexer, Outcome, Protocol, ResponseHandler, Tick,
};

/// The client's side: accepts commands for the task.
#[derive(Debug)]
pub(crate) struct Handle<P: Protocol, T: ResponseHandler>(Arc<DriverShared<P, T>>);

#[derive(Debug)]
struct DriverShared<P: Protocol, T> {
    driver: LoopDriver<P, T>,
    task: TaskWaker,
    /// The runtime that drives it and its queries.
    runtime: runtime::Handle,
}

/// The task as an event loop: every request wakes it.
#[derive(Debug, Default)]
struct TaskWaker(Mutex<Option<Waker>>);

impl EventLoop for TaskWaker {
    fn flush_soon(&self) {
        let waker = self.0.lock().clone();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn wake_at(&self, _at: Tick) {
        self.flush_soon();
    }
}

/// The most driving tasks. Each has connections of its own, so more of them share fewer writes.
const MOST_TASKS: usize = 4;

/// Starts a task for each worker thread of the current runtime, up to [`MOST_TASKS`]; a single one
/// if commands wait in line, of which there is one.
pub(super) fn start_all<P: Protocol + 'static, T: Ticket<P>>(
    topology: &Arc<P::Topology>,
) -> Result<Box<[Handle<P, T>]>, String>
where
    LoopDriver<P, T>: Send + Sync,
{
    let workers = runtime::Handle::try_current().map_or(1, |on| on.metrics().num_workers());
    let most = if topology.settings().in_flight == usize::MAX { MOST_TASKS } else { 1 };
    (0..workers.clamp(1, most)).map(|_| start(topology.clone())).collect()
}

/// Starts a task on the current runtime.
#[expect(unsafe_code, reason = "tokio is lent a descriptor")]
fn start<P: Protocol + 'static, T: Ticket<P>>(
    topology: Arc<P::Topology>,
) -> Result<Handle<P, T>, String>
where
    LoopDriver<P, T>: Send + Sync,
{
    let failed =
        |error: &dyn std::fmt::Display| format!("cannot drive connections on tokio: {error}");
    let runtime = runtime::Handle::try_current().map_err(|error| failed(&error))?;
    let multiplexer = Multiplexer::for_loop(topology).map_err(|error| failed(&error))?;
    let driver = LoopDriver::new(multiplexer);
    let shared =
        Arc::new(DriverShared { driver, task: TaskWaker::default(), runtime: runtime.clone() });
    let watched = RegisteredDriver(shared.clone());
    // SAFETY: a multiplexer owns its descriptor, which stays open and unchanged while the
    // multiplexer lives, and the watched object keeps it alive.
    let watched = unsafe { AsyncFd::register_with_interest(watched, Interest::READABLE) };
    let watched = watched.map_err(|error| failed(&error))?;
    runtime.spawn(Task { watched, timer: None, set_to: Tick::NEVER });
    Ok(Handle(shared))
}

impl<P: Protocol, T: Ticket<P>> Handle<P, T> {
    /// The runtime of the task.
    pub fn runtime(&self) -> &runtime::Handle {
        &self.0.runtime
    }

    /// Whether the task has ended, or is about to.
    pub fn is_closed(&self) -> bool {
        self.0.driver.is_closed()
    }

    /// Sends a command.
    pub fn submit(&self, command: CommandOf<P, T>) {
        self.0.driver.submit(&self.0.task, command, Tick::now(), &mut deliver);
    }

    /// Sends the first commands of a batch, unless the task has ended: then dropping the tickets
    /// completes them.
    pub fn submit_all(&self, next: Next<P, T>) {
        drop(self.0.driver.post_all(&self.0.task, next));
    }

    /// Fails all commands in flight and ends the task.
    pub fn close(&self) {
        self.0.driver.close(&self.0.task, &mut deliver);
        self.0.task.flush_soon();
    }
}

/// The object registered with the reactor.
struct RegisteredDriver<P: Protocol, T>(Arc<DriverShared<P, T>>);

impl<P: Protocol, T> AsRawFd for RegisteredDriver<P, T> {
    fn as_raw_fd(&self) -> RawFd {
        self.0.driver.as_raw_fd()
    }
}

/// The runtime's side.
struct Task<P: Protocol, T: Ticket<P>> {
    watched: AsyncFd<RegisteredDriver<P, T>>,
    timer: Option<Pin<Box<Sleep>>>,
    /// The time to which the timer is set.
    set_to: Tick,
}

fn deliver<P: Protocol, T: Ticket<P>>(ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>) {
    ticket.complete(outcome, next);
}

impl<P: Protocol, T: Ticket<P>> Task<P, T> {
    /// Does pending work; `None` if the client was closed or the descriptor failed.
    fn work(&mut self, context: &mut Context<'_>) -> Option<()> {
        let shared = self.watched.get_ref().0.clone();
        let DriverShared { driver, task, .. } = &*shared;
        match &mut *task.0.lock() {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        if driver.wakes_at() <= Tick::now() {
            driver.expire(task, &mut deliver);
        }
        if driver.is_flush_due() {
            driver.flush(task, &mut deliver);
        }
        while let Poll::Ready(ready) = self.watched.poll_read_ready(context) {
            ready.ok()?.clear_ready();
            driver.turn(task, Some(Duration::ZERO), &mut deliver).ok()?;
            if driver.is_flush_due() {
                // Run after the tasks that were just woken: their requests share a write.
                break;
            }
        }
        (!driver.is_closed()).then_some(())
    }

    /// Sets the timer; `true` if it has already expired.
    fn arm(&mut self, context: &mut Context<'_>) -> bool {
        let alarm = self.watched.get_ref().0.driver.wakes_at();
        if alarm == Tick::NEVER || alarm == self.set_to {
            return false;
        }
        self.set_to = alarm;
        let at = Instant::now() + alarm.since(Tick::now());
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

impl<P: Protocol, T: Ticket<P>> Future for Task<P, T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.work(context).is_none() {
            return Poll::Ready(());
        }
        if self.arm(context) {
            context.waker().wake_by_ref();
        }
        Poll::Pending
    }
}

impl<P: Protocol, T: Ticket<P>> Drop for Task<P, T> {
    /// The client was closed, or the runtime is shutting down: nothing may wait for this task any
    /// more.
    fn drop(&mut self) {
        let DriverShared { driver, task, .. } = &*self.watched.get_ref().0;
        driver.close_now(&mut deliver);
        *task.0.lock() = None;
    }
}
