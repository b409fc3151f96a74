//! A thread of our own that turns a multiplexer: for futures, callbacks and platforms whose event
//! loops cannot watch a descriptor.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::JoinHandle;

use parking_lot::Mutex;

use super::Multiplexer;
use super::multiplexer::Outcome;
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Command;

/// What a native thread completes.
pub trait Ticket: Send + 'static {
    /// Called once, on the native thread; must be brief.
    fn complete(self, outcome: Outcome<'_>);
}

/// A multiplexer on a thread of its own. Dropping it ends the thread and fails what is in flight.
#[derive(Debug)]
pub struct Native<T: Ticket> {
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared<T> {
    inbox: Mutex<Vec<Command<T>>>,
    /// Set while the thread is bound to look into the inbox: nobody needs to wake it again.
    awake: AtomicBool,
    closing: AtomicBool,
    waker: mio::Waker,
}

impl<T: Ticket> Native<T> {
    /// Starts the thread.
    pub fn start(cluster: Arc<Cluster>) -> io::Result<Self> {
        let multiplexer = Multiplexer::new(cluster)?;
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            awake: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            waker: multiplexer.waker()?,
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-native".into())
            .spawn(move || own.run(multiplexer))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Hands a command over; its ticket is completed on the native thread.
    pub fn submit(&self, command: Command<T>) {
        self.shared.inbox.lock().push(command);
        if !self.shared.awake.swap(true, SeqCst) {
            let _ = self.shared.waker.wake();
        }
    }
}

impl<T: Ticket> Drop for Native<T> {
    fn drop(&mut self) {
        self.shared.closing.store(true, SeqCst);
        let _ = self.shared.waker.wake();
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != std::thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

impl<T: Ticket> Shared<T> {
    fn run(&self, mut multiplexer: Multiplexer<T>) {
        let mut deliver = |ticket: T, outcome: Outcome<'_>| ticket.complete(outcome);
        let mut commands = Vec::new();
        while !self.closing.load(SeqCst) {
            let now = Tick::now();
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut deliver);
            }
            // Asleep from here on, unless something came in between.
            self.awake.store(false, SeqCst);
            std::mem::swap(&mut *self.inbox.lock(), &mut commands);
            let wait = if commands.is_empty() {
                let alarm = multiplexer.alarm();
                (alarm != Tick::NEVER).then(|| alarm.since(now))
            } else {
                self.awake.store(true, SeqCst);
                for command in commands.drain(..) {
                    multiplexer.submit(command, now);
                }
                multiplexer.flush(now, &mut deliver);
                Some(std::time::Duration::ZERO)
            };
            if multiplexer.turn(wait, &mut deliver).is_err() {
                break;
            }
            self.awake.store(true, SeqCst);
        }
        for command in std::mem::take(&mut *self.inbox.lock()) {
            multiplexer.submit(command, Tick::now());
        }
        multiplexer.close(&mut deliver);
    }
}
