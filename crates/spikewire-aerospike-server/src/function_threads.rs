//! Threads for what functions may make long: calls that have turned out long, rows of batches from
//! such a call on, aggregations. Nothing else waits for them.
//!
//! They are started when there is work, and end after some time without.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

/// Maximum number of threads: further work waits for one of them.
const THREADS: usize = 16;
/// How long a thread waits for more work.
const IDLE: Duration = Duration::from_secs(2);

/// A piece of work.
pub type Work = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Line {
    waiting: VecDeque<Work>,
    /// Threads that do work or wait for it.
    serving: usize,
    /// Of these, those that wait.
    idle: usize,
    /// All threads, including some that have ended.
    threads: Vec<JoinHandle<()>>,
    is_stopping: bool,
}

#[derive(Default)]
struct Queue {
    line: Mutex<Line>,
    changed: Condvar,
}

/// The threads of a cluster, and the work that waits for them.
#[derive(Default)]
pub struct FunctionThreads(Arc<Queue>);

impl FunctionThreads {
    /// Has a piece of work done. It is dropped when the cluster stops, or if no thread can be
    /// started.
    pub fn add(&self, work: Work) {
        let mut line = self.0.line.lock();
        if line.is_stopping {
            return;
        }
        line.waiting.push_back(work);
        if line.waiting.len() <= line.idle || line.serving == THREADS {
            self.0.changed.notify_all();
            return;
        }
        let queue = self.0.clone();
        let thread = std::thread::Builder::new().name("spikewire-function".to_owned());
        if let Ok(thread) = thread.spawn(move || queue.run()) {
            line.serving += 1;
            line.threads.retain(|thread| !thread.is_finished());
            line.threads.push(thread);
        } else if line.serving == 0 {
            line.waiting.clear();
        }
    }

    /// Drops the work that waits, and waits until the threads have ended.
    pub fn close(&self) {
        let mut line = self.0.line.lock();
        line.is_stopping = true;
        let unrun = std::mem::take(&mut line.waiting);
        let threads = std::mem::take(&mut line.threads);
        self.0.changed.notify_all();
        drop(line);
        drop(unrun);
        for thread in threads {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for FunctionThreads {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.0.line.lock();
        let mut of = out.debug_struct("FunctionThreads");
        of.field("serving", &line.serving).field("waiting", &line.waiting.len()).finish()
    }
}

impl Queue {
    /// The next piece of work; `None` when the thread has to end.
    fn next(&self) -> Option<Work> {
        let due = Instant::now() + IDLE;
        let mut line = self.line.lock();
        let mut over = false;
        while !line.is_stopping {
            if let Some(work) = line.waiting.pop_front() {
                return Some(work);
            }
            if over {
                break;
            }
            line.idle += 1;
            (line, over) = self.changed.wait_until(line, due);
            line.idle -= 1;
        }
        line.serving -= 1;
        None
    }

    /// What a thread does.
    fn run(&self) {
        while let Some(work) = self.next() {
            work();
        }
    }
}
