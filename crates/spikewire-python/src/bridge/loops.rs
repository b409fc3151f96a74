//! The connections of a client on all of its event loops.

use std::sync::{Arc, Weak};

use pyo3::prelude::*;
use smallvec::SmallVec;
use spikewire_sync::RwLock;
use spikewire_transport::Protocol;

use super::connections::LoopConnections;
use super::event_loop::running_loop;
use super::loop_entry::loop_entry;
use super::promise::Completes;

/// The connections of each event loop that uses a client. There are few, so a linear search beats a
/// map. They belong to the loop, which watches them: a client must not keep a loop alive that the
/// program has dropped, nor hide it from the garbage collector.
pub struct LoopTable<P: Protocol, T: Completes<P>>(RwLock<Vec<TableEntry<P, T>>>);

/// The connections of one loop.
struct TableEntry<P: Protocol, T: Completes<P>> {
    connections: Weak<LoopConnections<P, T>>,
    /// Addresses of the loop and of asyncio's entry for it. They may have been used again since: the
    /// connections, if they are still there, know better.
    event_loop: usize,
    note: usize,
}

impl<P: Protocol, T: Completes<P>> Default for LoopTable<P, T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<P: Protocol, T: Completes<P>> Drop for LoopTable<P, T> {
    /// Event loops keep their connections, so these are closed when their client is dropped. If the
    /// interpreter is gone, so are the loops, and their memory must not be touched.
    fn drop(&mut self) {
        let all = std::mem::take(self.0.get_mut());
        if all.is_empty() {
            return;
        }
        Python::try_attach(|py| {
            for connections in all.iter().filter_map(|it| it.connections.upgrade()) {
                if connections.is_own()
                    && let Err(error) = connections.end_soon(py)
                {
                    error.write_unraisable(py, Some(connections.event_loop(py)));
                }
            }
        });
    }
}

impl<P: Protocol, T: Completes<P> + 'static> LoopTable<P, T>
where
    LoopConnections<P, T>: Send + Sync,
{
    /// The connections of the loop that is running in this thread, created on first use. If no loop
    /// is running, `core` is not called.
    #[inline]
    pub fn here<C>(
        &self,
        py: Python<'_>,
        core: impl FnOnce() -> PyResult<C>,
        topology: impl Fn(&C) -> &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let note = loop_entry(py);
        let noted = note.as_ref().and_then(|note| {
            let at = note.as_ptr().addr();
            self.find(|entry| entry.note == at, |it| it.is_noted(note))
        });
        if let Some(connections) = noted {
            let core = core()?;
            if Arc::ptr_eq(connections.topology(), topology(&core)) {
                return Ok(connections);
            }
            return self.on(connections.event_loop(py), topology(&core));
        }
        let event_loop = running_loop(py)?;
        let connections = self.on(&event_loop, topology(&core()?))?;
        if let Some(note) = note {
            self.note(&connections, note);
        }
        Ok(connections)
    }

    #[cold]
    fn note(&self, connections: &Arc<LoopConnections<P, T>>, note: Bound<'_, PyAny>) {
        let at = note.as_ptr().addr();
        connections.note(note);
        let mut all = self.0.write();
        let own = Arc::as_ptr(connections);
        if let Some(entry) = all.iter_mut().find(|entry| entry.connections.as_ptr() == own) {
            entry.note = at;
        }
    }

    /// The connections of a loop to this cluster, created on first use.
    fn on(
        &self,
        event_loop: &Bound<'_, PyAny>,
        topology: &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let is_it = |it: &LoopConnections<P, T>| {
            it.is_on(event_loop) && Arc::ptr_eq(it.topology(), topology)
        };
        let at = event_loop.as_ptr().addr();
        match self.find(|entry| entry.event_loop == at, is_it) {
            Some(connections) => Ok(connections),
            None => self.add(event_loop, topology),
        }
    }

    #[cold]
    fn add(
        &self,
        event_loop: &Bound<'_, PyAny>,
        topology: &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        let py = event_loop.py();
        let connections = LoopConnections::start(topology.clone(), event_loop)?;
        // Closed loops never drive their connections again; nor do loops of a parent process.
        let dead: Vec<_> =
            self.all().into_iter().filter(|it| !it.is_own() || it.is_dead(py)).collect();
        {
            let mut all = self.0.write();
            all.retain(|TableEntry { connections, .. }| {
                let at = connections.as_ptr();
                connections.strong_count() > 0 && !dead.iter().any(|it| Arc::as_ptr(it) == at)
            });
            let event_loop = event_loop.as_ptr().addr();
            all.push(TableEntry { connections: Arc::downgrade(&connections), event_loop, note: 0 });
        }
        let mut ended = dead.iter().filter(|it| it.is_own());
        ended.try_for_each(|it| it.end(py))?;
        Ok(connections)
    }
}

impl<P: Protocol, T: Completes<P>> LoopTable<P, T> {
    /// The connections, created by this process, for which both are true.
    #[inline]
    fn find(
        &self,
        may_be: impl Fn(&TableEntry<P, T>) -> bool,
        is_it: impl Fn(&LoopConnections<P, T>) -> bool,
    ) -> Option<Arc<LoopConnections<P, T>>> {
        // A loop may end meanwhile, and with it its connections, which runs Python code that may call
        // this again or close the client: they are dropped after the lock.
        let mut others = SmallVec::<[_; 1]>::new();
        let all = self.0.read();
        for entry in all.iter().filter(|entry| may_be(entry)) {
            match entry.connections.upgrade() {
                Some(own) if own.is_own() && is_it(&own) => return Some(own),
                other => others.extend(other),
            }
        }
        None
    }

    /// The connections of all loops that are alive.
    fn all(&self) -> Vec<Arc<LoopConnections<P, T>>> {
        self.0.read().iter().filter_map(|entry| entry.connections.upgrade()).collect()
    }

    /// Closes all connections; those of the running loop at once.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        let here = running_loop(py).ok();
        let all = std::mem::take(&mut *self.0.write());
        for connections in all.iter().filter_map(|entry| entry.connections.upgrade()) {
            if !connections.is_own() {
                // The descriptor is shared with the parent of the fork, so it is left alone.
            } else if here.as_ref().is_some_and(|here| connections.is_on(here)) {
                connections.end(py)?;
            } else {
                connections.end_soon(py)?;
            }
        }
        Ok(())
    }
}
