//! A dedicated thread that drives a multiplexer: for futures, callbacks, and platforms whose event
//! loops cannot watch a descriptor.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicBool, Ordering::SeqCst};
use spikewire_sync::thread::{self, JoinHandle};

use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::driver::{EventLoop, LoopDriver, Next};
use crate::multiplexer::{Multiplexer, Waker};
use crate::protocol::{CommandOf, Protocol};
use crate::reply::Outcome;
use crate::topology::Topology as _;

/// A ticket that a native thread completes on its own.
pub trait Ticket<P: Protocol>: ResponseHandler + Send + 'static {
    /// Called once, on the thread; must be brief. What is put into `next` is sent next. A ticket
    /// submitted after the thread has ended is dropped instead. A panic ends the thread: all other
    /// tickets are completed with the error for a closed driver.
    fn complete(self, outcome: Outcome<'_, P>, next: &mut Next<P, Self>)
    where
        Self: Sized;
}

/// Receives the outcomes of a native thread, so that those of a turn can be completed together.
pub trait Receiver<P: Protocol, T>: Send + 'static {
    /// Stack size of the thread, in bytes.
    const STACK: usize = 2 << 20;

    /// Runs `work`, the thread's whole life, once. Implementations wrap it in whatever the thread
    /// needs.
    fn live(mut self, work: impl FnOnce(&mut Self) + Send)
    where
        Self: Sized,
    {
        work(&mut self);
    }

    /// Takes one outcome, while the connection is being read; must be brief.
    fn take(&mut self, ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>);

    /// Called after all outcomes of a turn. What is put into `next` is sent next.
    fn on_turn_end(&mut self, next: &mut Next<P, T>) {
        let _ = next;
    }
}

/// Completes each ticket as its outcome arrives.
struct OneByOne;

impl<P: Protocol, T: Ticket<P>> Receiver<P, T> for OneByOne {
    fn take(&mut self, ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>) {
        ticket.complete(outcome, next);
    }
}

/// A multiplexer on a dedicated thread. Dropping it ends the thread and fails what is in flight.
#[derive(Debug)]
pub struct Native<P: Protocol, T: ResponseHandler> {
    shared: Arc<Shared<P, T>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared<P: Protocol, T> {
    driver: LoopDriver<P, T>,
    thread: Wakes,
}

/// The thread as an event loop. It checks what was requested before it sleeps.
#[derive(Debug)]
struct Wakes {
    awake: AtomicBool,
    waker: Waker,
}

impl EventLoop for Wakes {
    fn flush_soon(&self) {
        if !self.awake.swap(true, SeqCst) {
            let _ = self.waker.wake();
        }
    }

    /// Only called on the thread itself, which checks the time before it sleeps.
    fn wake_at(&self, _at: Tick) {}
}

impl<P: Protocol, T: Ticket<P>> Native<P, T>
where
    LoopDriver<P, T>: Send + Sync,
{
    /// Starts the thread; it completes tickets one by one.
    pub fn start(topology: Arc<P::Topology>) -> io::Result<Self> {
        let queue = topology.settings().queue;
        Self::start_with(topology, queue, OneByOne)
    }
}

impl<P: Protocol, T: ResponseHandler + 'static> Native<P, T>
where
    LoopDriver<P, T>: Send + Sync,
{
    /// Starts the thread. Up to `queue` commands may wait for one node.
    pub fn start_with<R: Receiver<P, T>>(
        topology: Arc<P::Topology>,
        queue: usize,
        receiver: R,
    ) -> io::Result<Self> {
        let mut multiplexer = Multiplexer::with_queue(topology, queue)?;
        multiplexer.keep_order();
        // A driver without a bound here is bounded elsewhere.
        if queue < usize::MAX {
            multiplexer.bound();
        }
        let thread = Wakes { awake: AtomicBool::new(false), waker: multiplexer.waker()? };
        let shared = Arc::new(Shared { driver: LoopDriver::new(multiplexer), thread });
        let own = shared.clone();
        let thread = thread::Builder::new()
            .name("spikewire-native".into())
            .stack_size(R::STACK)
            .spawn(move || receiver.live(|receiver| own.run(receiver)))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }
}

impl<P: Protocol, T: ResponseHandler> Native<P, T> {
    /// Submits a command. Returns it if the thread has ended.
    pub fn submit(&self, command: CommandOf<P, T>) -> Option<CommandOf<P, T>> {
        self.shared.driver.post(&self.shared.thread, command)
    }

    /// Submits the commands that start a batch. Returns them if the thread has ended.
    pub fn submit_all(&self, next: Next<P, T>) -> Option<Next<P, T>> {
        self.shared.driver.post_all(&self.shared.thread, next)
    }

    /// Ends the thread and fails what is in flight. Returns when that is done, except if called on
    /// the thread itself. Closing again does nothing.
    pub fn close(&self) {
        self.shared.driver.close_soon(&self.shared.thread);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

impl<P: Protocol, T: ResponseHandler> Drop for Native<P, T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<P: Protocol, T: ResponseHandler> Shared<P, T> {
    fn run(&self, receiver: &mut impl Receiver<P, T>) {
        let Self { driver, thread } = self;
        // However the thread ends, nothing may keep waiting for it.
        let _end = End(driver);
        while !driver.is_closed() {
            let now = Tick::now();
            if driver.wakes_at() <= now {
                driver.expire(thread, &mut self.deliver(receiver));
                self.end_turn(receiver);
            }
            if driver.is_flush_due() {
                driver.flush(thread, &mut self.deliver(receiver));
                self.end_turn(receiver);
            }
            let wait = if self.may_sleep() {
                let alarm = driver.wakes_at();
                (alarm != Tick::NEVER).then(|| alarm.since(now))
            } else {
                Some(Duration::ZERO)
            };
            if driver.turn(thread, wait, &mut self.deliver(receiver)).is_err() {
                break;
            }
            self.end_turn(receiver);
        }
        driver.close(thread, &mut self.deliver(receiver));
        // The follow-up work fails as well, until nothing is left.
        while self.end_turn(receiver) {
            driver.flush(thread, &mut self.deliver(receiver));
        }
    }

    /// Leaves the follow-up work of a turn to the next flush; returns whether there was any.
    fn end_turn(&self, receiver: &mut impl Receiver<P, T>) -> bool {
        let mut next = Next::default();
        self.contained(|| receiver.on_turn_end(&mut next));
        let some = !next.is_empty();
        self.driver.submit_all(&self.thread, next);
        some
    }

    /// Delivers outcomes. What they submit is handled after this turn, without waking the thread.
    fn deliver<'a>(
        &'a self,
        receiver: &'a mut impl Receiver<P, T>,
    ) -> impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>) + 'a {
        |ticket, outcome, next| {
            if !self.thread.awake.load(SeqCst) {
                self.thread.awake.swap(true, SeqCst);
            }
            self.contained(|| receiver.take(ticket, outcome, next));
        }
    }

    /// Runs a receiver's code. If it panics, what it was given is lost and the thread ends in order:
    /// everything else that waits for it is told.
    fn contained(&self, work: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            self.driver.close_soon(&self.thread);
        }
    }

    /// Marks the thread as asleep; returns whether it may really sleep, that is, nothing has come
    /// in meanwhile.
    fn may_sleep(&self) -> bool {
        // Not a store: whoever found it awake requested something before, which is to be seen now.
        self.thread.awake.swap(false, SeqCst);
        !self.driver.is_flush_due() && !self.driver.is_closed()
    }
}

/// Closes the driver when the thread ends, for whatever reason.
struct End<'a, P: Protocol, T: ResponseHandler>(&'a LoopDriver<P, T>);

impl<P: Protocol, T: ResponseHandler> Drop for End<'_, P, T> {
    fn drop(&mut self) {
        drop(self.0.abandon());
    }
}
