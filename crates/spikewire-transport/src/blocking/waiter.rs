//! A thread that waits for its commands while another one leads.

use std::sync::Arc;

use spikewire_sync::Mutex;
use spikewire_sync::atomic::{AtomicBool, Ordering::Relaxed};
use spikewire_sync::thread::{self, Thread};

use super::BlockingTicket;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::protocol::Protocol;
use crate::reply::Outcome;

/// A caller of the shared multiplexer.
#[derive(Debug)]
pub(super) struct Waiter<T> {
    thread: Thread,
    progress: Mutex<WaiterProgress<T>>,
    gone: AtomicBool,
}

#[derive(Debug)]
struct WaiterProgress<T> {
    /// Commands without an outcome.
    open: usize,
    /// Completed tickets. Most callers have one command, for which `first` needs no allocation.
    first: Option<T>,
    rest: Vec<T>,
    /// Whether it leads, or is about to.
    leads: bool,
}

impl<T> Waiter<T> {
    /// The calling thread, waiting for `open` commands.
    pub fn new(open: usize) -> Arc<Self> {
        let progress = WaiterProgress { open, first: None, rest: Vec::new(), leads: false };
        Arc::new(Self {
            thread: thread::current(),
            progress: Mutex::new(progress),
            gone: AtomicBool::new(false),
        })
    }

    pub fn is_done(&self) -> bool {
        self.progress.lock().open == 0
    }

    pub fn make_leader(&self) {
        self.progress.lock().leads = true;
    }

    pub fn is_leader(&self) -> bool {
        self.progress.lock().leads
    }

    /// Gives up leadership; returns whether it had it.
    pub fn resign(&self) -> bool {
        std::mem::take(&mut self.progress.lock().leads)
    }

    /// Whether the thread need not wait: it leads, or is done.
    pub fn is_needed(&self) -> bool {
        let progress = self.progress.lock();
        progress.leads || progress.open == 0
    }

    pub fn wake(&self) {
        self.thread.unpark();
    }

    /// Withdraws its commands.
    pub fn withdraw(&self) {
        self.gone.store(true, Relaxed);
    }

    /// Takes the completed tickets.
    pub fn take(&self, mut take: impl FnMut(T)) {
        let (first, rest) = {
            let mut progress = self.progress.lock();
            (progress.first.take(), std::mem::take(&mut progress.rest))
        };
        first.into_iter().chain(rest).for_each(&mut take);
    }
}

/// The ticket of a command, and the caller that waits for it.
#[derive(Debug)]
pub(super) struct SharedTicket<T> {
    pub ticket: T,
    pub waiter: Arc<Waiter<T>>,
}

impl<T> SharedTicket<T> {
    /// Completes the ticket; returns the waiter if it was its last one.
    pub fn complete<P: Protocol>(mut self, outcome: Outcome<'_, P>) -> Option<Arc<Waiter<T>>>
    where
        T: BlockingTicket<P>,
    {
        self.ticket.complete(outcome);
        let done = {
            let mut progress = self.waiter.progress.lock();
            progress.open -= 1;
            if progress.first.is_none() {
                progress.first = Some(self.ticket);
            } else {
                progress.rest.push(self.ticket);
            }
            progress.open == 0
        };
        done.then_some(self.waiter)
    }
}

impl<T: ResponseHandler> ResponseHandler for SharedTicket<T> {
    fn starts(&mut self) -> bool {
        !self.is_withdrawn() && self.ticket.starts()
    }

    fn is_withdrawn(&self) -> bool {
        self.waiter.gone.load(Relaxed) || self.ticket.is_withdrawn()
    }

    fn is_needed(&self) -> bool {
        self.ticket.is_needed()
    }

    fn returned(&mut self, request: Vec<u8>) {
        self.ticket.returned(request);
    }

    fn answered_at(&mut self, at: Tick) {
        self.ticket.answered_at(at);
    }

    fn collect(&mut self, messages: &[u8]) {
        self.ticket.collect(messages);
    }
}
