//! How a caller of a crowd hears of its parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Thread};

use spikewire_sync::Mutex;

use crate::command::batch::Part;
use crate::transport::{Collect, Outcome};

/// A thread that waits for the parts of a round.
#[derive(Debug)]
pub(super) struct Caller {
    thread: Thread,
    mail: Mutex<Mail>,
    gone: AtomicBool,
}

#[derive(Debug)]
struct Mail {
    /// Parts without an outcome.
    open: usize,
    closed: Vec<Part>,
    /// Whether it leads, or is about to.
    lead: bool,
}

impl Caller {
    /// The calling thread, with so many parts to wait for.
    pub fn new(open: usize) -> Arc<Self> {
        let mail = Mail { open, closed: Vec::with_capacity(open), lead: false };
        let gone = AtomicBool::new(false);
        Arc::new(Self { thread: thread::current(), mail: Mutex::new(mail), gone })
    }

    pub fn is_done(&self) -> bool {
        self.mail.lock().open == 0
    }

    /// Makes it the leader.
    pub fn appoint(&self) {
        self.mail.lock().lead = true;
    }

    /// Whether it is the leader.
    pub fn is_appointed(&self) -> bool {
        self.mail.lock().lead
    }

    /// Ends that; whether it was.
    pub fn step_down(&self) -> bool {
        std::mem::take(&mut self.mail.lock().lead)
    }

    pub fn wake(&self) {
        self.thread.unpark();
    }

    /// Its parts are nobody's business any longer.
    pub fn leave(&self) {
        self.gone.store(true, Relaxed);
    }

    /// The parts that have their outcome.
    pub fn take(&self) -> Vec<Part> {
        std::mem::take(&mut self.mail.lock().closed)
    }
}

/// A part, and whose it is.
#[derive(Debug)]
pub(super) struct Ticket {
    pub part: Part,
    pub caller: Arc<Caller>,
}

impl Ticket {
    /// Hands the part back; the caller, if it was its last one.
    pub fn complete(mut self, outcome: Outcome<'_>) -> Option<Arc<Caller>> {
        self.part.close(outcome);
        let done = {
            let mut mail = self.caller.mail.lock();
            mail.closed.push(self.part);
            mail.open -= 1;
            mail.open == 0
        };
        done.then_some(self.caller)
    }
}

impl Collect for Ticket {
    fn starts(&mut self) -> bool {
        !self.is_withdrawn()
    }

    fn is_withdrawn(&self) -> bool {
        self.caller.gone.load(Relaxed)
    }

    fn collect(&mut self, messages: &[u8]) {
        self.part.collect(messages);
    }
}
