//! The queue of entries that are due, for the thread that refreshes them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

use super::entry::Entry;

/// Entries that are due.
#[derive(Debug)]
pub(crate) struct DueQueue<N> {
    state: Mutex<State<N>>,
    condvar: Condvar,
}

#[derive(Debug)]
struct State<N> {
    entries: Vec<Arc<Entry<N>>>,
    /// Whether a thread takes them.
    runs: bool,
    is_closed: bool,
}

impl<N> Default for DueQueue<N> {
    fn default() -> Self {
        let state = State { entries: Vec::new(), runs: false, is_closed: false };
        Self { state: Mutex::new(state), condvar: Condvar::default() }
    }
}

impl<N> DueQueue<N> {
    /// Adds an entry. Returns whether the caller has to start the thread that takes it.
    pub fn push(&self, entry: Arc<Entry<N>>) -> bool {
        let mut state = self.state.lock();
        if state.is_closed {
            return false;
        }
        state.entries.push(entry);
        if state.entries.len() == 1 {
            self.condvar.notify_all();
        }
        !std::mem::replace(&mut state.runs, true)
    }

    /// Waits for entries, at most so long; then takes what has come together after `pause`. Without
    /// any, or after closing, the thread has to end.
    pub fn take(&self, idle: Duration, pause: Duration) -> Vec<Arc<Entry<N>>> {
        let mut state = self.state.lock();
        let end = Instant::now() + idle;
        while state.entries.is_empty() && !state.is_closed {
            let (guard, is_over) = self.condvar.wait_until(state, end);
            state = guard;
            if is_over {
                break;
            }
        }
        if !state.entries.is_empty() {
            let end = Instant::now() + pause;
            while !state.is_closed && Instant::now() < end {
                (state, _) = self.condvar.wait_until(state, end);
            }
        }
        if state.is_closed || state.entries.is_empty() {
            state.runs = false;
            return Vec::new();
        }
        std::mem::take(&mut state.entries)
    }

    /// The thread could not be started.
    pub fn stopped(&self) {
        let mut state = self.state.lock();
        state.runs = false;
        state.entries.drain(..).for_each(|entry| entry.refreshed(None));
    }

    /// Ends the thread; nothing is refreshed any more.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.entries.clear();
        self.condvar.notify_all();
    }
}
