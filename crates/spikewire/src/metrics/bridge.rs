//! A thread that forwards events or metrics of a client.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};
use std::{fmt, io};

/// Forwards events or metrics of a client, on a thread of its own, until this is dropped or the
/// client is closed.
#[must_use = "dropping it ends it"]
pub struct Bridge {
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Bridge {
    /// Runs `work` on a thread; it checks its argument periodically, and ends when that is set.
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(&AtomicBool) + Send + 'static,
    ) -> io::Result<Self> {
        let stopped = Arc::new(AtomicBool::new(false));
        let stops = stopped.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(&stops))?;
        Ok(Self { stopped, thread: Some(thread) })
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.stopped.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.thread().id() != thread::current().id() {
                // A panic of a subscriber or recorder was reported when it occurred.
                let _ = thread.join();
            }
        }
    }
}

impl fmt::Debug for Bridge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").finish_non_exhaustive()
    }
}
