//! The life cycle of a client, from connecting to closing, including forks.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_sync::RwLock;
use spikewire_transport::{Fault, FaultKind};

use super::errors::{Raise, raise};
use super::signal::detached_apart;

/// The core of a connected client.
pub trait Running: fmt::Debug + Send + Sync + 'static {
    /// The error type of its protocol.
    type Error: Raise + Send + 'static;

    /// The message for a client that is not connected yet, which says how to connect it.
    const NOT_CONNECTED: &'static str;

    /// The message for a client that is closed.
    const CLOSED: &'static str;

    /// Whether this process opened it.
    fn is_own(&self) -> bool;

    /// Shuts everything down; waiting callers get an error. Must not be called while attached to
    /// the interpreter.
    fn close(&self);

    /// Releases everything in a forked child, without waiting for threads that do not exist there.
    fn abandon(&self);
}

/// Whether a client is connected, and its core if so.
#[derive(Debug)]
pub struct Lifecycle<C: Running> {
    /// Whether the client connects on first use, because no program opens it explicitly.
    lazy: bool,
    /// The addresses it was given, for messages.
    seeds: String,
    state: RwLock<LifecycleState<C>>,
}

#[derive(Debug)]
enum LifecycleState<C> {
    New,
    Open(Arc<C>),
    Closed,
}

impl<C> Clone for LifecycleState<C> {
    fn clone(&self) -> Self {
        match self {
            Self::New => Self::New,
            Self::Open(core) => Self::Open(core.clone()),
            Self::Closed => Self::Closed,
        }
    }
}

impl<C: Running> Lifecycle<C> {
    /// The state of a client that is not connected yet. If `lazy`, it connects on first use.
    pub fn new(lazy: bool, seeds: String) -> Self {
        Self { lazy, seeds, state: RwLock::new(LifecycleState::New) }
    }

    /// The error for a client that is not connected.
    #[cold]
    fn not_connected(&self, py: Python<'_>, closed: bool) -> PyErr {
        let message = if closed { C::CLOSED } else { C::NOT_CONNECTED };
        let message = format!("{message} ({})", self.seeds);
        raise::<C::Error>(py, Fault::new(FaultKind::Closed, message))
    }

    /// Connects the client unless it is connected already. Blocks, detached from the interpreter,
    /// until a signal handler raises.
    /// Returns whether the client was not connected before, neither here nor in the parent of a
    /// fork.
    pub fn open(
        &self,
        py: Python<'_>,
        connect: impl FnOnce() -> Result<C, C::Error> + Send + 'static,
    ) -> PyResult<bool> {
        let is_new = match self.state() {
            LifecycleState::Open(core) if core.is_own() => return Ok(false),
            // Inherited from the parent. Dropping it as usual would wait for a thread that does not
            // exist here.
            LifecycleState::Open(core) => {
                core.abandon();
                false
            }
            LifecycleState::Closed => return Err(self.not_connected(py, true)),
            LifecycleState::New => true,
        };
        let late = |late: Result<C, C::Error>| drop(late.map(|core| core.close()));
        let opened = detached_apart(py, connect, late)?;
        let core = Arc::new(opened.map_err(|error| error.raise(py))?);
        let late = {
            let mut state = self.state.write();
            match &*state {
                // Another thread connected or closed the client in the meantime.
                LifecycleState::Open(other) if other.is_own() => Some((core, false)),
                LifecycleState::Closed => Some((core, true)),
                _ => {
                    *state = LifecycleState::Open(core);
                    None
                }
            }
        };
        let Some((late, closed)) = late else { return Ok(is_new) };
        py.detach(|| late.close());
        if closed { Err(self.not_connected(py, true)) } else { Ok(false) }
    }

    /// The current state. No lock is held while Python code runs: that may release the interpreter
    /// to a thread that waits for the lock, or run a finalizer that needs it.
    fn state(&self) -> LifecycleState<C> {
        self.state.read().clone()
    }

    /// The core. In a forked child it is recreated on first use.
    #[inline]
    pub fn core<F: FnOnce() -> Result<C, C::Error> + Send + 'static>(
        &self,
        py: Python<'_>,
        connect: impl Fn() -> F,
    ) -> PyResult<Arc<C>> {
        loop {
            match self.state() {
                LifecycleState::Open(core) if core.is_own() => return Ok(core),
                LifecycleState::Open(_) => {}
                LifecycleState::New if self.lazy => {}
                LifecycleState::New => return Err(self.not_connected(py, false)),
                LifecycleState::Closed => return Err(self.not_connected(py, true)),
            }
            self.open(py, connect())?;
        }
    }

    /// The core, if there is one.
    pub fn running(&self) -> Option<Arc<C>> {
        match self.state() {
            LifecycleState::Open(core) => Some(core),
            _ => None,
        }
    }

    /// Whether commands can be sent.
    pub fn is_open(&self) -> bool {
        matches!(&*self.state.read(), LifecycleState::Open(_))
    }

    /// Whether this process has connections of this client.
    pub fn holds_connections(&self) -> bool {
        matches!(&*self.state.read(), LifecycleState::Open(core) if core.is_own())
    }

    /// Whether the client was closed for good.
    pub fn is_closed(&self) -> bool {
        matches!(&*self.state.read(), LifecycleState::Closed)
    }

    /// Closes the client for good. Returns its core, if there was one, so that the caller shuts it
    /// down.
    pub fn close(&self) -> Option<Arc<C>> {
        match std::mem::replace(&mut *self.state.write(), LifecycleState::Closed) {
            LifecycleState::Open(core) => Some(core),
            _ => None,
        }
    }
}

impl<C: Running> fmt::Display for Lifecycle<C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match &*self.state.read() {
            LifecycleState::New => "not connected",
            LifecycleState::Open(_) => "connected",
            LifecycleState::Closed => "closed",
        })
    }
}

impl<C: Running> Drop for Lifecycle<C> {
    /// The last reference is gone, so the connections are closed. `__del__` of the client has
    /// already issued the warning.
    fn drop(&mut self) {
        let Some(core) = self.close() else { return };
        // Detached from the interpreter, because stopping the background thread may take a moment.
        if Python::try_attach(|py| py.detach(|| core.close())).is_none() {
            core.close();
        }
    }
}
