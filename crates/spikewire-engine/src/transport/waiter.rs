//! A thread that waits for its reply while another thread leads the connection.

use std::sync::Arc;
use std::thread::{self, Thread};
use std::time::Duration;

use spikewire_sync::Mutex;

use crate::clock::Tick;
use crate::command::Failure;

/// How often a waiting thread that can be interrupted looks whether it was.
const GLANCE: Duration = Duration::from_millis(50);

/// What has come for a waiting thread.
#[derive(Debug, Default)]
pub(super) enum Mail {
    /// Nothing yet.
    #[default]
    None,
    /// The former leader is done: lead the connection.
    Lead,
    /// The reply is in the letter box.
    Reply,
    /// The attempt failed.
    Failed(Failure),
}

/// One thread's letter box; made once per thread and used for all its commands.
#[derive(Debug)]
pub(super) struct Waiter {
    thread: Thread,
    mail: Mutex<(Mail, Vec<u8>)>,
}

thread_local! {
    static WAITER: Arc<Waiter> = Arc::new(Waiter::new());
}

impl Waiter {
    fn new() -> Self {
        Self { thread: thread::current(), mail: Mutex::default() }
    }

    /// The calling thread's own waiter, with an empty letter box.
    pub fn own() -> Arc<Self> {
        let waiter = WAITER.with(Arc::clone);
        // In use: a signal handler makes a call of its own while this thread waits.
        if Arc::strong_count(&waiter) > 2 {
            return Arc::new(Self::new());
        }
        waiter.mail.lock().0 = Mail::None;
        waiter
    }

    /// A waiter that no other test shares.
    #[cfg(test)]
    pub fn for_test() -> Arc<Self> {
        Arc::new(Self::new())
    }

    /// Whether the owner was asked to lead and has not noticed yet.
    pub fn is_called(&self) -> bool {
        matches!(self.mail.lock().0, Mail::Lead)
    }

    /// Puts a message in and wakes the owner.
    pub fn post(&self, mail: Mail) {
        self.mail.lock().0 = mail;
        self.thread.unpark();
    }

    /// Puts a reply in and wakes the owner.
    pub fn reply(&self, body: &[u8]) {
        {
            let mut mail = self.mail.lock();
            mail.1.clear();
            mail.1.extend_from_slice(body);
            mail.0 = Mail::Reply;
        }
        self.thread.unpark();
    }

    /// Waits until mail comes, `deadline` passes or `interrupted` says to give up; a reply is
    /// swapped into `reply`.
    pub fn wait(
        &self,
        deadline: Tick,
        interrupted: Option<&dyn Fn() -> bool>,
        reply: &mut Vec<u8>,
    ) -> Mail {
        let mut parked = false;
        loop {
            {
                let mut mail = self.mail.lock();
                match std::mem::take(&mut mail.0) {
                    Mail::None => {}
                    Mail::Reply => {
                        std::mem::swap(&mut mail.1, reply);
                        return Mail::Reply;
                    }
                    other => return other,
                }
            }
            let now = Tick::now();
            let given_up = || parked && interrupted.is_some_and(|interrupted| interrupted());
            if now >= deadline || given_up() {
                return Mail::None;
            }
            parked = true;
            // A signal does not end the wait, so whoever minds signals looks up now and then.
            let longest = if interrupted.is_some() { GLANCE } else { Duration::MAX };
            match deadline.since(now).min(longest) {
                Duration::MAX => thread::park(),
                span => thread::park_timeout(span),
            }
        }
    }
}
