//! The connections of a client on all of its event loops.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_sync::RwLock;
use spikewire_transport::Protocol;

use super::connections::LoopConnections;
use super::driver::Driver;
use super::event_loop::running_loop;
use super::loop_note::loop_note;
use super::promise::Completes;

/// The connections of each event loop that uses a client. There are few, so a linear search beats a
/// map.
pub struct LoopTable<P: Protocol, T: Completes<P>>(RwLock<Vec<Entry<P, T>>>);

/// The connections of one loop, and the driver object that the loop calls. The client owns both.
struct Entry<P: Protocol, T> {
    connections: Arc<LoopConnections<P, T>>,
    driver: Py<Driver>,
    /// asyncio's entry for the loop when it was last seen running. It refers to the loop, as the
    /// connections do.
    note: Option<Py<PyAny>>,
}

impl<P: Protocol, T: Completes<P>> Default for LoopTable<P, T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<P: Protocol, T: Completes<P>> Drop for LoopTable<P, T> {
    /// Event loops keep their drivers alive, so these are closed when their client is dropped.
    fn drop(&mut self) {
        let entries = std::mem::take(self.0.get_mut());
        if entries.is_empty() {
            return;
        }
        let mut entries = Some(entries);
        Python::try_attach(|py| {
            for Entry { connections, driver, .. } in entries.take().unwrap_or_default() {
                if connections.is_own()
                    && let Err(error) = connections.end_soon(py)
                {
                    error.write_unraisable(py, Some(driver.bind(py)));
                }
            }
        });
        // The interpreter is gone, and so are the loops. Their memory must not be touched.
        std::mem::forget(entries);
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
        let note = loop_note(py);
        let noted = note.as_ref().and_then(|note| self.noted(note));
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
            self.note(&connections, note.unbind());
        }
        Ok(connections)
    }

    /// The connections, created by this process, of the loop to which this entry belongs.
    #[inline]
    fn noted(&self, note: &Bound<'_, PyAny>) -> Option<Arc<LoopConnections<P, T>>> {
        let entries = self.0.read();
        let is_it = |entry: &&Entry<P, T>| {
            entry.note.as_ref().is_some_and(|known| known.is(note)) && entry.connections.is_own()
        };
        entries.iter().find(is_it).map(|entry| entry.connections.clone())
    }

    #[cold]
    fn note(&self, connections: &Arc<LoopConnections<P, T>>, note: Py<PyAny>) {
        let mut entries = self.0.write();
        let entry = entries.iter_mut().find(|it| Arc::ptr_eq(&it.connections, connections));
        let before = entry.and_then(|entry| entry.note.replace(note));
        // The last reference to a loop may go with it, which runs Python code.
        drop(entries);
        drop(before);
    }

    /// The connections of a loop to this cluster, created on first use.
    fn on(
        &self,
        event_loop: &Bound<'_, PyAny>,
        topology: &Arc<P::Topology>,
    ) -> PyResult<Arc<LoopConnections<P, T>>> {
        // No lock is held while Python code runs: a finalizer may call this again, or close the
        // client.
        let own = {
            let entries = self.0.read();
            let mut known = entries.iter().map(|entry| &entry.connections);
            known.find(|it| it.is_on(event_loop) && Arc::ptr_eq(it.topology(), topology)).cloned()
        };
        match own {
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
        let (connections, driver) = LoopConnections::start(topology.clone(), event_loop)?;
        // Closed loops never drive their connections again; nor do loops of a parent process.
        let all: Vec<_> = {
            let entries = self.0.read();
            entries.iter().map(|it| (it.connections.clone(), it.driver.clone_ref(py))).collect()
        };
        let (dead, _): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(it, _)| !it.is_own() || it.is_dead(py));
        let mut gone = Vec::new();
        {
            let mut entries = self.0.write();
            let is_dead = |entry: &mut Entry<P, T>| {
                dead.iter().any(|(other, _)| Arc::ptr_eq(&entry.connections, other))
            };
            gone.extend(entries.extract_if(.., is_dead));
            entries.push(Entry { connections: connections.clone(), driver, note: None });
        }
        drop(gone);
        let mut ended = dead.iter().filter(|(it, _)| it.is_own());
        ended.try_for_each(|(it, _)| it.end(py))?;
        Ok(connections)
    }
}

impl<P: Protocol, T: Completes<P>> LoopTable<P, T> {
    /// Closes all connections; those of the running loop at once.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        let here = running_loop(py).ok();
        let entries = std::mem::take(&mut *self.0.write());
        for Entry { connections, .. } in entries {
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
