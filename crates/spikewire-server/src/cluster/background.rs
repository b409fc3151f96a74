//! The thread for work that no connection waits for: filling indexes, background jobs.
//!
//! Tasks take turns, a slice each.

use std::fmt::Debug;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use spikewire_sync::{Condvar, Mutex};

use super::state::State;
use crate::command::Context;
use crate::command::stream::Pace;

/// Work in slices.
pub trait Task: Debug + Send {
    /// Does one slice; says when to go on.
    fn step(&mut self, context: &mut Context) -> Pace;
}

#[derive(Debug, Default)]
struct Queue {
    new: Vec<Box<dyn Task>>,
    stop: bool,
}

/// Where work is handed over.
#[derive(Debug, Default)]
pub struct Background {
    queue: Mutex<Queue>,
    rung: Condvar,
}

impl Background {
    /// Hands a task over.
    pub fn add(&self, task: Box<dyn Task>) {
        self.queue.lock().new.push(task);
        self.rung.notify_all();
    }

    /// Adds what was handed over to `tasks`, once there is anything, `due` has come or the end;
    /// says whether to go on.
    fn wait(&self, tasks: &mut Vec<(Box<dyn Task>, Pace)>, due: Option<Instant>) -> bool {
        let mut queue = self.queue.lock();
        while queue.new.is_empty() && !queue.stop {
            let over;
            (queue, over) = match due {
                None => (self.rung.wait(queue), false),
                Some(due) => self.rung.wait_until(queue, due),
            };
            if over {
                break;
            }
        }
        tasks.extend(queue.new.drain(..).map(|task| (task, Pace::On)));
        !queue.stop
    }
}

/// The thread.
#[derive(Debug)]
pub struct Runner {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

impl Runner {
    /// Starts the thread.
    pub fn start(state: Arc<State>) -> io::Result<Self> {
        let mine = state.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-background".to_owned())
            .spawn(move || run(&mine))?;
        Ok(Self { state, thread: Some(thread) })
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.state.background.queue.lock().stop = true;
        self.state.background.rung.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(state: &Arc<State>) {
    let mut context = Context::new(state.clone());
    let mut tasks: Vec<(Box<dyn Task>, Pace)> = Vec::new();
    let mut due = None;
    while state.background.wait(&mut tasks, due) {
        let now = Instant::now();
        for (task, pace) in &mut tasks {
            if !matches!(pace, Pace::At(due) if *due > now) {
                *pace = task.step(&mut context);
            }
        }
        tasks.retain(|(_, pace)| *pace != Pace::Done);
        due = tasks
            .iter()
            .map(|(_, pace)| match pace {
                Pace::At(due) => *due,
                _ => now,
            })
            .min();
    }
}
