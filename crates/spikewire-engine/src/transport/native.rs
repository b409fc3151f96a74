//! A thread of our own that turns a multiplexer: for futures, callbacks and platforms whose event
//! loops cannot watch a descriptor.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Duration;

use spikewire_sync::Mutex;

use super::{Collect, Multiplexer, Outcome};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Command;

/// What a native thread completes, one by one.
pub trait Ticket: Collect + Send + 'static {
    /// Called once, on the native thread; must be brief. A ticket that is handed over after the
    /// thread has ended is dropped instead.
    fn complete(self, outcome: Outcome<'_>);
}

/// Takes what a native thread completes, all of a turn together.
pub trait Receiver<T>: Send + 'static {
    /// Stack that the thread needs, in bytes.
    const STACK: usize = 2 << 20;

    /// Runs the thread's whole life, `work`, once; whatever that needs around it goes here.
    fn live(mut self, work: impl FnOnce(&mut Self) + Send)
    where
        Self: Sized,
    {
        work(&mut self);
    }

    /// Takes one outcome, while the connection is being read; must be brief.
    fn take(&mut self, ticket: T, outcome: Outcome<'_>);

    /// All outcomes of a turn have been taken. What goes to `more` is sent next.
    fn turned(&mut self, more: &mut Vec<Command<T>>) {
        let _ = more;
    }
}

/// Completes each ticket as it comes.
struct OneByOne;

impl<T: Ticket> Receiver<T> for OneByOne {
    fn take(&mut self, ticket: T, outcome: Outcome<'_>) {
        ticket.complete(outcome);
    }
}

/// A multiplexer on a thread of its own. Dropping it ends the thread and fails what is in flight.
#[derive(Debug)]
pub struct Native<T: Collect + Send + 'static> {
    shared: Arc<Shared<T>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared<T> {
    inbox: Mutex<Inbox<T>>,
    /// Set while the thread is bound to look into the inbox: nobody needs to wake it again.
    awake: AtomicBool,
    waker: mio::Waker,
}

#[derive(Debug)]
struct Inbox<T> {
    commands: Vec<Command<T>>,
    closed: bool,
}

impl<T: Ticket> Native<T> {
    /// Starts the thread; it completes tickets one by one.
    pub fn start(cluster: Arc<Cluster>) -> io::Result<Self> {
        let queue = cluster.options().queue;
        Self::start_with(cluster, queue, OneByOne)
    }
}

impl<T: Collect + Send + 'static> Native<T> {
    /// Starts the thread. Up to `queue` commands may wait for one node.
    pub fn start_with<R: Receiver<T>>(
        cluster: Arc<Cluster>,
        queue: usize,
        receiver: R,
    ) -> io::Result<Self> {
        let multiplexer = Multiplexer::with_queue(cluster, queue)?;
        let shared = Arc::new(Shared {
            inbox: Mutex::new(Inbox { commands: Vec::new(), closed: false }),
            awake: AtomicBool::new(false),
            waker: multiplexer.waker()?,
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-native".into())
            .stack_size(R::STACK)
            .spawn(move || receiver.live(|receiver| own.run(multiplexer, receiver)))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Hands a command over. It comes back if the thread has ended.
    pub fn submit(&self, command: Command<T>) -> Option<Command<T>> {
        {
            let mut inbox = self.shared.inbox.lock();
            if inbox.closed {
                return Some(command);
            }
            inbox.commands.push(command);
        }
        if !self.shared.awake.swap(true, SeqCst) {
            let _ = self.shared.waker.wake();
        }
        None
    }

    /// Ends the thread and fails what is in flight; returns when that is done, unless it is called
    /// on that very thread. Closing again does nothing.
    pub fn close(&self) {
        self.shared.inbox.lock().closed = true;
        let _ = self.shared.waker.wake();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

impl<T: Collect + Send + 'static> Drop for Native<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T: Collect> Shared<T> {
    fn run(&self, mut multiplexer: Multiplexer<T>, receiver: &mut impl Receiver<T>) {
        // Also when a receiver panics nobody may wait for this thread any more.
        let end = End(self);
        let mut commands = Vec::new();
        loop {
            let now = Tick::now();
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut self.deliver(receiver));
                receiver.turned(&mut commands);
            }
            if !self.take_in(&mut commands) {
                break;
            }
            if !commands.is_empty() {
                for command in commands.drain(..) {
                    multiplexer.submit(command, now);
                }
                multiplexer.flush(now, &mut self.deliver(receiver));
                receiver.turned(&mut commands);
            }
            let wait = if commands.is_empty() && self.may_sleep() {
                let alarm = multiplexer.alarm();
                (alarm != Tick::NEVER).then(|| alarm.since(now))
            } else {
                Some(Duration::ZERO)
            };
            if multiplexer.turn(wait, &mut self.deliver(receiver)).is_err() {
                break;
            }
            receiver.turned(&mut commands);
        }
        let now = Tick::now();
        for command in commands.into_iter().chain(end.close()) {
            multiplexer.submit(command, now);
        }
        // What the outcomes lead to fails as well, until nothing is left.
        let mut more = Vec::new();
        loop {
            multiplexer.close(&mut self.deliver(receiver));
            receiver.turned(&mut more);
            if more.is_empty() {
                break;
            }
            more.drain(..).for_each(|command| multiplexer.submit(command, now));
        }
    }

    /// Hands outcomes on. What the receivers submit from there on is looked at when this turn is
    /// over, without waking anybody.
    fn deliver<'a>(
        &'a self,
        receiver: &'a mut impl Receiver<T>,
    ) -> impl FnMut(T, Outcome<'_>) + 'a {
        |ticket, outcome| {
            if !self.awake.load(Relaxed) {
                self.awake.store(true, SeqCst);
            }
            receiver.take(ticket, outcome);
        }
    }

    /// Adds what came in to `commands`; `false` when it is time to end.
    fn take_in(&self, commands: &mut Vec<Command<T>>) -> bool {
        let mut inbox = self.inbox.lock();
        if commands.is_empty() {
            std::mem::swap(&mut inbox.commands, commands);
        } else {
            commands.append(&mut inbox.commands);
        }
        !inbox.closed
    }

    /// Asleep from here on, unless something came in meanwhile.
    fn may_sleep(&self) -> bool {
        self.awake.store(false, SeqCst);
        let inbox = self.inbox.lock();
        inbox.commands.is_empty() && !inbox.closed
    }
}

/// Closes the inbox when the thread ends, in whatever way.
struct End<'a, T>(&'a Shared<T>);

impl<T> End<'_, T> {
    fn close(&self) -> Vec<Command<T>> {
        let mut inbox = self.0.inbox.lock();
        inbox.closed = true;
        std::mem::take(&mut inbox.commands)
    }
}

impl<T> Drop for End<'_, T> {
    fn drop(&mut self) {
        drop(self.close());
    }
}
