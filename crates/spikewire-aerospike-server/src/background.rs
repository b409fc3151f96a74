//! The thread for background work: building indexes, background jobs.
//!
//! Tasks take turns, one slice each.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use spikewire_sync::{Condvar, Mutex};

use crate::turn::NextTurn;

/// A task that runs in slices.
pub trait Task: Debug + Send {
    /// Runs one slice; returns when to continue.
    fn step(&mut self) -> NextTurn;
}

#[derive(Debug, Default)]
struct Submissions {
    tasks: Vec<Box<dyn Task>>,
    is_stopping: bool,
}

#[derive(Debug, Default)]
struct Queue {
    submitted: Mutex<Submissions>,
    changed: Condvar,
}

/// The queue of tasks; clones share it.
#[derive(Debug, Clone, Default)]
pub struct BackgroundQueue(Arc<Queue>);

impl BackgroundQueue {
    /// Submits a task. It is dropped without running when the cluster stops.
    pub fn add(&self, task: Box<dyn Task>) {
        let mut submitted = self.0.submitted.lock();
        if !submitted.is_stopping {
            submitted.tasks.push(task);
            self.0.changed.notify_all();
        }
    }

    /// Ends the thread after the current slice, and drops the tasks that have not started: they
    /// hold the cluster's state, which holds this queue.
    pub fn close(&self) {
        let mut submitted = self.0.submitted.lock();
        submitted.is_stopping = true;
        self.0.changed.notify_all();
        let unrun = std::mem::take(&mut submitted.tasks);
        drop(submitted);
        drop(unrun);
    }

    /// Waits until there is a task, `due` is reached or the cluster stops, and moves submitted
    /// tasks to `running`; returns whether to continue.
    fn wait(&self, running: &mut Vec<(Box<dyn Task>, NextTurn)>, due: Option<Instant>) -> bool {
        let mut submitted = self.0.submitted.lock();
        while submitted.tasks.is_empty() && !submitted.is_stopping {
            let over;
            (submitted, over) = match due {
                None => (self.0.changed.wait(submitted), false),
                Some(due) => self.0.changed.wait_until(submitted, due),
            };
            if over {
                break;
            }
        }
        running.extend(submitted.tasks.drain(..).map(|task| (task, NextTurn::Soon)));
        !submitted.is_stopping
    }

    fn run(&self) {
        let mut running: Vec<(Box<dyn Task>, NextTurn)> = Vec::new();
        let mut due = None;
        while self.wait(&mut running, due) {
            let now = Instant::now();
            for (task, next) in &mut running {
                if !matches!(next, NextTurn::At(due) if *due > now) {
                    *next = task.step();
                }
            }
            running.retain(|(_, next)| *next != NextTurn::Never);
            due = running
                .iter()
                .map(|(_, next)| match next {
                    NextTurn::At(due) => *due,
                    _ => now,
                })
                .min();
        }
    }
}

/// The thread.
#[derive(Debug)]
pub struct BackgroundThread {
    queue: BackgroundQueue,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundThread {
    /// Starts the thread.
    pub fn start(queue: BackgroundQueue) -> io::Result<Self> {
        let own = queue.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-background".to_owned())
            .spawn(move || own.run())?;
        Ok(Self { queue, thread: Some(thread) })
    }
}

impl Drop for BackgroundThread {
    fn drop(&mut self) {
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its turns, and the existing tasks while it lives.
    #[derive(Debug)]
    struct Turns(Arc<Mutex<usize>>, usize);

    impl Task for Turns {
        fn step(&mut self) -> NextTurn {
            *self.0.lock() += 1;
            self.1 -= 1;
            if self.1 == 0 { NextTurn::Never } else { NextTurn::At(Instant::now()) }
        }
    }

    #[test]
    fn tasks_are_run_to_their_end_and_dropped() {
        let queue = BackgroundQueue::default();
        let count = Arc::new(Mutex::new(0));
        queue.add(Box::new(Turns(count.clone(), 3)));
        queue.add(Box::new(Turns(count.clone(), 2)));
        let thread = BackgroundThread::start(queue.clone()).unwrap();
        while Arc::strong_count(&count) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(*count.lock(), 5);
        drop(thread);
        queue.add(Box::new(Turns(count.clone(), 1)));
        assert_eq!((Arc::strong_count(&count), *count.lock()), (1, 5));
    }
}
