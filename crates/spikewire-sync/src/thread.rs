//! Threads as loom runs them, and their time: each has a clock of its own, which only waiting moves.
//! A limited wait may therefore end before anything else happens, as it can on a busy machine.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

pub use loom::thread::{Builder, JoinHandle};
use loom::thread::{ThreadId, yield_now};

use crate::{Condvar, Mutex};

loom::thread_local! {
    static CLOCK: Cell<Duration> = Cell::new(Duration::ZERO);
    static OWN: Thread = Thread {
        id: loom::thread::current().id(),
        token: Arc::new((Mutex::new(false), Condvar::new())),
    };
}

/// A thread that can be woken. Not loom's: if that one is woken while it waits for a lock, it does
/// not notice later, when it parks (<https://github.com/tokio-rs/loom/issues/249>).
#[derive(Debug, Clone)]
pub struct Thread {
    id: ThreadId,
    token: Arc<(Mutex<bool>, Condvar)>,
}

impl Thread {
    /// Ends its wait, or its next one.
    pub fn unpark(&self) {
        *self.token.0.lock() = true;
        self.token.1.notify_all();
    }

    /// What no other thread has.
    pub fn id(&self) -> ThreadId {
        self.id
    }
}

/// The calling thread.
pub fn current() -> Thread {
    OWN.with(Thread::clone)
}

/// Waits until the thread is woken.
pub fn park() {
    let (is_woken, condvar) = &*current().token;
    let mut is_woken = is_woken.lock();
    while !*is_woken {
        is_woken = condvar.wait(is_woken);
    }
    *is_woken = false;
}

/// Lets others run, and time pass.
pub fn park_timeout(span: Duration) {
    let own = current();
    if std::mem::take(&mut *own.token.0.lock()) {
        return;
    }
    CLOCK.with(|clock| clock.set(clock.get() + span));
    yield_now();
    *own.token.0.lock() = false;
}

/// The time this thread has waited so far.
pub fn elapsed() -> Duration {
    CLOCK.with(Cell::get)
}
