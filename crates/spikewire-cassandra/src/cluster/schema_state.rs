//! The latest schema, and who waits for it. It is read when it is first asked for, and from then on
//! after each change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use spikewire_sync::Mutex;

use super::schema::Schema;
use crate::error::{Error, Result};

/// The latest schema.
#[derive(Debug, Default)]
pub(super) struct SchemaState {
    /// Number of changes so far.
    changes: AtomicU64,
    latest: Mutex<Option<(u64, Arc<Schema>)>>,
    waiting: Mutex<Vec<SyncSender<Result<Arc<Schema>>>>>,
}

/// The schema, or what waits for it.
#[derive(Debug)]
pub(super) enum Lookup {
    Known(Arc<Schema>),
    Waits(Receiver<Result<Arc<Schema>>>),
}

impl SchemaState {
    /// Takes note of a change.
    pub fn change(&self) {
        self.changes.fetch_add(1, SeqCst);
    }

    /// The schema after all changes that are known, or what to wait for.
    pub fn look_up(&self) -> Lookup {
        let mut waiting = self.waiting.lock();
        if let Some((changes, schema)) = &*self.latest.lock()
            && *changes >= self.changes.load(SeqCst)
        {
            return Lookup::Known(schema.clone());
        }
        let (sender, receiver) = sync_channel(1);
        waiting.push(sender);
        Lookup::Waits(receiver)
    }

    /// Whether somebody waits.
    pub fn is_awaited(&self) -> bool {
        !self.waiting.lock().is_empty()
    }

    /// Whether it was asked for, and has changed since.
    pub fn is_outdated(&self) -> bool {
        let latest = self.latest.lock();
        latest.as_ref().is_some_and(|(changes, _)| *changes < self.changes.load(SeqCst))
    }

    /// To be called before it is read.
    pub fn begin(&self) -> u64 {
        self.changes.load(SeqCst)
    }

    /// It was read when there were so many changes.
    pub fn publish(&self, changes: u64, schema: Schema) {
        let (schema, mut waiting) = (Arc::new(schema), self.waiting.lock());
        *self.latest.lock() = Some((changes, schema.clone()));
        // Who asked after a further change waits for the next one.
        if changes >= self.changes.load(SeqCst) {
            for waits in waiting.drain(..) {
                let _ = waits.try_send(Ok(schema.clone()));
            }
        }
    }

    /// Nobody will read it any more.
    pub fn close(&self) {
        for waits in self.waiting.lock().drain(..) {
            let _ = waits.try_send(Err(Error::closed()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_read_again_after_a_change() {
        let state = SchemaState::default();
        assert!(!state.is_outdated() && !state.is_awaited(), "nobody has asked");
        let Lookup::Waits(first) = state.look_up() else { panic!("it is not known") };
        assert!(state.is_awaited());
        let changes = state.begin();
        state.change();
        state.publish(changes, Schema::default());
        assert!(first.try_recv().is_err(), "there was a change meanwhile");
        assert!(state.is_outdated() && state.is_awaited());
        state.publish(state.begin(), Schema::default());
        assert!(first.try_recv().is_ok() && !state.is_outdated());
        assert!(matches!(state.look_up(), Lookup::Known(_)));
        state.change();
        let Lookup::Waits(last) = state.look_up() else { panic!("it is outdated") };
        state.close();
        assert!(last.try_recv().unwrap().is_err());
    }
}
