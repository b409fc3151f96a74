//! A thread that waits for its reply while another thread leads the connection.

use std::sync::Arc;
use std::thread::{self, Thread};

use parking_lot::Mutex;

use crate::clock::Tick;
use crate::command::Failure;

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
    static WAITER: Arc<Waiter> = Arc::new(Waiter {
        thread: thread::current(),
        mail: Mutex::new((Mail::None, Vec::new())),
    });
}

impl Waiter {
    /// The calling thread's own waiter, with an empty letter box.
    pub fn own() -> Arc<Self> {
        let waiter = WAITER.with(Arc::clone);
        waiter.mail.lock().0 = Mail::None;
        waiter
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

    /// Waits until mail comes or `deadline` passes; a reply is swapped into `reply`.
    pub fn wait(&self, deadline: Tick, reply: &mut Vec<u8>) -> Mail {
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
            if deadline == Tick::NEVER {
                thread::park();
                continue;
            }
            let now = Tick::now();
            if now >= deadline {
                return Mail::None;
            }
            thread::park_timeout(deadline.since(now));
        }
    }
}
