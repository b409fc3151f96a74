//! A client from connecting to closing, forks included.

use std::fmt;
use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_sync::RwLock;
use spikewire_transport::{Fault, FaultKind};

use super::errors::{Raise, raise};

/// The running half of a client.
pub trait Running: fmt::Debug + Send + Sync {
    /// How its protocol fails.
    type Error: Raise + Send;

    /// What to do about a client that is not connected yet.
    const NOT_CONNECTED: &'static str;

    /// That it is closed.
    const CLOSED: &'static str;

    /// Whether this process is the one that opened it.
    fn is_own(&self) -> bool;

    /// Ends everything; callers that wait get an error. Not to be called with the interpreter held.
    fn close(&self);

    /// Lets go, in the child of a fork, without waiting for threads that are not here.
    fn abandon(&self);
}

/// The error for a client that is not connected.
pub fn not_connected<C: Running>(py: Python<'_>, closed: bool) -> PyErr {
    let message = if closed { C::CLOSED } else { C::NOT_CONNECTED };
    raise::<C::Error>(py, Fault::new(FaultKind::Closed, message))
}

/// Whether a client is connected, and its running half if it is.
#[derive(Debug)]
pub struct Lifecycle<C: Running> {
    /// Whether it connects when it is first needed, because no program opens it.
    lazy: bool,
    state: RwLock<State<C>>,
}

#[derive(Debug)]
enum State<C> {
    New,
    Open(Arc<C>),
    Closed,
}

impl<C> Clone for State<C> {
    fn clone(&self) -> Self {
        match self {
            Self::New => Self::New,
            Self::Open(core) => Self::Open(core.clone()),
            Self::Closed => Self::Closed,
        }
    }
}

impl<C: Running> Lifecycle<C> {
    /// That of a client which is not connected yet, and, if `lazy`, connects by itself.
    pub fn new(lazy: bool) -> Self {
        Self { lazy, state: RwLock::new(State::New) }
    }

    /// Connects, unless that is done already; blocks without holding the interpreter. Says whether
    /// it was not connected before, neither here nor in the parent of a fork.
    pub fn open(
        &self,
        py: Python<'_>,
        connect: impl FnOnce() -> Result<C, C::Error> + Send,
    ) -> PyResult<bool> {
        let is_new = match self.state() {
            State::Open(core) if core.is_own() => return Ok(false),
            // The parent's: without this, dropping it would wait for a thread that is not here.
            State::Open(core) => {
                core.abandon();
                false
            }
            State::Closed => return Err(not_connected::<C>(py, true)),
            State::New => true,
        };
        let core = Arc::new(py.detach(connect).map_err(|error| error.raise(py))?);
        let late = {
            let mut state = self.state.write();
            match &*state {
                // Another thread was faster, or closed the client meanwhile.
                State::Open(other) if other.is_own() => Some((core, false)),
                State::Closed => Some((core, true)),
                _ => {
                    *state = State::Open(core);
                    None
                }
            }
        };
        let Some((late, closed)) = late else { return Ok(is_new) };
        py.detach(|| late.close());
        if closed { Err(not_connected::<C>(py, true)) } else { Ok(false) }
    }

    /// The state as it is now. No lock is held when Python code runs: that may let go of the
    /// interpreter to a thread that waits for the lock, or run a finalizer that needs it.
    fn state(&self) -> State<C> {
        self.state.read().clone()
    }

    /// The running half. In the child of a fork it is made anew on first use.
    #[inline]
    pub fn core(
        &self,
        py: Python<'_>,
        connect: impl Fn() -> Result<C, C::Error> + Sync,
    ) -> PyResult<Arc<C>> {
        loop {
            match self.state() {
                State::Open(core) if core.is_own() => return Ok(core),
                State::Open(_) => {}
                State::New if self.lazy => {}
                State::New => return Err(not_connected::<C>(py, false)),
                State::Closed => return Err(not_connected::<C>(py, true)),
            }
            self.open(py, &connect)?;
        }
    }

    /// The running half if there is one.
    pub fn running(&self) -> Option<Arc<C>> {
        match self.state() {
            State::Open(core) => Some(core),
            _ => None,
        }
    }

    /// Whether commands can be sent.
    pub fn is_open(&self) -> bool {
        matches!(&*self.state.read(), State::Open(_))
    }

    /// Whether this process holds connections of it.
    pub fn holds_connections(&self) -> bool {
        matches!(&*self.state.read(), State::Open(core) if core.is_own())
    }

    /// Whether it was closed, so that it can never be used again.
    pub fn is_closed(&self) -> bool {
        matches!(&*self.state.read(), State::Closed)
    }

    /// Closes for good; the running half, if there was one, is handed out for its end.
    pub fn close(&self) -> Option<Arc<C>> {
        match std::mem::replace(&mut *self.state.write(), State::Closed) {
            State::Open(core) => Some(core),
            _ => None,
        }
    }
}

impl<C: Running> fmt::Display for Lifecycle<C> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match &*self.state.read() {
            State::New => "not connected",
            State::Open(_) => "connected",
            State::Closed => "closed",
        })
    }
}

impl<C: Running> Drop for Lifecycle<C> {
    /// The last reference is gone, so its connections end; the client's own `__del__` has warned.
    fn drop(&mut self) {
        let Some(core) = self.close() else { return };
        // Off the interpreter, as ending the background thread may take a moment.
        if Python::try_attach(|py| py.detach(|| core.close())).is_none() {
            core.close();
        }
    }
}
