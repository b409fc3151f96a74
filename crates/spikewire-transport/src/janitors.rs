//! Periodic work on a client's background thread.

use std::fmt;
use std::sync::{Arc, Weak};

use spikewire_sync::Mutex;

use crate::clock::Tick;

/// Periodic work, such as closing idle connections or ending windows.
pub trait Janitor: Send + Sync {
    /// Does the work that is due at `now`.
    fn sweep(&self, now: Tick);
}

/// The janitors of a client, each for as long as it lives.
#[derive(Default)]
pub struct Janitors(Mutex<Vec<Weak<dyn Janitor>>>);

impl Janitors {
    /// Adds a janitor.
    pub fn add(&self, janitor: Weak<dyn Janitor>) {
        self.0.lock().push(janitor);
    }

    /// Lets all of them do their work, without holding a lock meanwhile.
    pub fn sweep(&self) {
        let mut here: Vec<Arc<dyn Janitor>> = Vec::new();
        self.0.lock().retain(|janitor| {
            janitor.upgrade().is_some_and(|janitor| {
                here.push(janitor);
                true
            })
        });
        let now = Tick::now();
        for janitor in here {
            janitor.sweep(now);
        }
    }
}

impl fmt::Debug for Janitors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Janitors").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    struct Broom(AtomicBool);

    impl Janitor for Broom {
        fn sweep(&self, _: Tick) {
            self.0.store(true, Relaxed);
        }
    }

    #[test]
    fn janitors_sweep_while_they_live() {
        let janitors = Janitors::default();
        let (kept, gone) = (Arc::new(Broom(false.into())), Arc::new(Broom(false.into())));
        let weak: Weak<Broom> = Arc::downgrade(&kept);
        janitors.add(weak);
        let weak: Weak<Broom> = Arc::downgrade(&gone);
        janitors.add(weak);
        drop(gone);
        janitors.sweep();
        assert!(kept.0.load(Relaxed));
        assert_eq!(janitors.0.lock().len(), 1);
    }
}
