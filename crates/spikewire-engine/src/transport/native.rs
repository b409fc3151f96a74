//! A thread of our own that turns a multiplexer: for futures, callbacks and platforms whose event
//! loops cannot watch a descriptor.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use super::multiplexer::Outcome;
use super::{Collect, Multiplexer};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Command;

/// What a native thread completes.
pub trait Ticket: Collect + Send + 'static {
    /// Called once, on the native thread; must be brief. A ticket that is handed over after the
    /// thread has ended is dropped instead.
    fn complete(self, outcome: Outcome<'_>);
}

/// A multiplexer on a thread of its own. Dropping it ends the thread and fails what is in flight.
#[derive(Debug)]
pub struct Native<T: Ticket> {
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
    /// Starts the thread.
    pub fn start(cluster: Arc<Cluster>) -> io::Result<Self> {
        let multiplexer = Multiplexer::new(cluster)?;
        let shared = Arc::new(Shared {
            inbox: Mutex::new(Inbox { commands: Vec::new(), closed: false }),
            awake: AtomicBool::new(false),
            waker: multiplexer.waker()?,
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-native".into())
            .spawn(move || own.run(multiplexer))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Hands a command over; its ticket is completed on the native thread, or dropped when that
    /// has ended.
    pub fn submit(&self, command: Command<T>) {
        {
            let mut inbox = self.shared.inbox.lock();
            if inbox.closed {
                drop(inbox);
                return drop(command);
            }
            inbox.commands.push(command);
        }
        if !self.shared.awake.swap(true, SeqCst) {
            let _ = self.shared.waker.wake();
        }
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

impl<T: Ticket> Drop for Native<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T: Ticket> Shared<T> {
    fn run(&self, mut multiplexer: Multiplexer<T>) {
        // Also when a ticket panics nobody may wait for this thread any more.
        let end = End(self);
        let mut deliver = |ticket: T, outcome: Outcome<'_>| {
            // What the receivers submit from here on is looked at when this turn is over.
            if !self.awake.load(Relaxed) {
                self.awake.store(true, SeqCst);
            }
            ticket.complete(outcome);
        };
        let mut commands = Vec::new();
        loop {
            let now = Tick::now();
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut deliver);
            }
            // Asleep from here on, unless something came in between.
            self.awake.store(false, SeqCst);
            {
                let mut inbox = self.inbox.lock();
                if inbox.closed {
                    break;
                }
                std::mem::swap(&mut inbox.commands, &mut commands);
            }
            let wait = if commands.is_empty() {
                let alarm = multiplexer.alarm();
                (alarm != Tick::NEVER).then(|| alarm.since(now))
            } else {
                for command in commands.drain(..) {
                    multiplexer.submit(command, now);
                }
                self.awake.store(true, SeqCst);
                multiplexer.flush(now, &mut deliver);
                Some(std::time::Duration::ZERO)
            };
            if multiplexer.turn(wait, &mut deliver).is_err() {
                break;
            }
        }
        let late = end.close();
        let now = Tick::now();
        for command in late {
            multiplexer.submit(command, now);
        }
        multiplexer.close(&mut deliver);
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
