//! Periodic work on a client's background thread.

use std::fmt;
use std::sync::{Arc, Weak};

use spikewire_sync::Mutex;

use crate::clock::Tick;

/// Periodic work, such as closing idle connections or ending windows.
pub trait UpkeepTask: Send + Sync {
    /// Does the work that is due at `now`.
    fn run_upkeep(&self, now: Tick);
}

/// The upkeep tasks of a client, each for as long as it lives.
#[derive(Default)]
pub struct UpkeepTasks(Mutex<Vec<Weak<dyn UpkeepTask>>>);

impl UpkeepTasks {
    /// Adds a task.
    pub fn add(&self, task: Weak<dyn UpkeepTask>) {
        self.0.lock().push(task);
    }

    /// Runs all of them, without holding a lock meanwhile.
    pub fn run_upkeep(&self) {
        let mut here: Vec<Arc<dyn UpkeepTask>> = Vec::new();
        self.0.lock().retain(|task| {
            task.upgrade().is_some_and(|task| {
                here.push(task);
                true
            })
        });
        let now = Tick::now();
        for task in here {
            task.run_upkeep(now);
        }
    }
}

impl fmt::Debug for UpkeepTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpkeepTasks").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    struct Broom(AtomicBool);

    impl UpkeepTask for Broom {
        fn run_upkeep(&self, _: Tick) {
            self.0.store(true, Relaxed);
        }
    }

    #[test]
    fn upkeep_tasks_run_while_they_live() {
        let tasks = UpkeepTasks::default();
        let (alive, gone) = (Arc::new(Broom(false.into())), Arc::new(Broom(false.into())));
        let weak: Weak<Broom> = Arc::downgrade(&alive);
        tasks.add(weak);
        let weak: Weak<Broom> = Arc::downgrade(&gone);
        tasks.add(weak);
        drop(gone);
        tasks.run_upkeep();
        assert!(alive.0.load(Relaxed));
        assert_eq!(tasks.0.lock().len(), 1);
    }
}
