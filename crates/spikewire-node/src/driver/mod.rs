//! Drivers of a client's connections.
//!
//! | module | what it holds |
//! |---|---|
//! | [`uv`] | Node.js: the environment's own event loop |
//! | [`thread`] | other runtimes: a thread that wakes the environment once per burst |

pub mod thread;
pub mod uv;

use std::rc::Rc;
use std::sync::Arc;

use spikewire_transport::driver::Next;
use spikewire_transport::protocol::{CommandOf, ErrorOf, NodeOf};
use spikewire_transport::{Fault, FaultKind, LoopDriver, Protocol, Tick};

use crate::environment::Environment;
use crate::js::{Env, Failure, Result};
use crate::outbox::{Completes, Completion, Outbox};

use self::thread::ThreadDriver;
use self::uv::UvDriver;

/// A driver of a client's connections, for any protocol.
pub enum Driver<P: Protocol, T: Completes<P>> {
    Uv(Rc<UvDriver<P, T>>),
    Thread(ThreadDriver<P, T>),
}

impl<P: Protocol, T: Completes<P>> std::fmt::Debug for Driver<P, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Uv(_) => "Uv",
            Self::Thread(_) => "Thread",
        })
    }
}

impl<P, T> Driver<P, T>
where
    P: Protocol,
    T: Completes<P>,
    LoopDriver<P, T>: Send + Sync,
{
    /// Starts a driver on the environment's event loop, or on a thread if it has none or if
    /// connections wait for the program (`waits`).
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        topology: Arc<P::Topology>,
        outbox: Arc<Outbox<T::Completion>>,
        waits: bool,
    ) -> Result<Self>
    where
        ErrorOf<P>: Into<Failure>,
    {
        match environment.uv.as_ref().filter(|_| !waits) {
            Some(on) => UvDriver::start(on, environment, topology, outbox).map(Self::Uv),
            None => ThreadDriver::start(env, environment, topology, outbox).map(Self::Thread),
        }
    }

    /// Sends a command.
    #[inline]
    pub fn submit(&self, env: Env<'_>, command: CommandOf<P, T>, now: Tick) {
        match self {
            Self::Uv(driver) => driver.submit(env, command, now),
            Self::Thread(driver) => driver.submit(env, command),
        }
    }

    /// Sends the first requests of a command that has several.
    pub fn submit_all(&self, env: Env<'_>, next: Next<P, T>) {
        match self {
            Self::Uv(driver) => driver.submit_all(env, next),
            Self::Thread(driver) => driver.submit_all(env, next),
        }
    }

    /// Delivers what waits in the outbox.
    pub fn deliver_now(&self, env: Env<'_>) {
        match self {
            Self::Uv(driver) => driver.after_call(env),
            Self::Thread(driver) => driver.deliver_now(env),
        }
    }

    /// Calls `look` with the node of each connection, whether it is open, and the requests in flight
    /// on it. Those of a thread are in its use: returns false.
    pub fn each_connection(&self, look: &mut dyn FnMut(&NodeOf<P>, bool, usize)) -> bool {
        match self {
            Self::Uv(driver) => driver.each_connection(look),
            Self::Thread(_) => return false,
        }
        true
    }

    /// Closes every connection; commands in flight fail, and JavaScript is told.
    pub fn close(&self, env: Env<'_>) {
        match self {
            Self::Uv(driver) => driver.close(env),
            Self::Thread(driver) => driver.close(env),
        }
    }

    /// Ends it together with its environment.
    pub fn end(&self) {
        match self {
            Self::Uv(driver) => driver.end(),
            Self::Thread(driver) => driver.end(),
        }
    }
}

/// The failure to start a driver.
fn failed<P: Protocol>(what: &str, error: &std::io::Error) -> Failure
where
    ErrorOf<P>: Into<Failure>,
{
    let fault = Fault::new(FaultKind::Connection, format!("{what}: {error}"));
    ErrorOf::<P>::from(fault).into()
}

/// Delivers finished work to JavaScript.
fn deliver_completions<F: Completion>(env: Env<'_>, environment: &Environment, outbox: &Outbox<F>) {
    for completion in outbox.take() {
        // It may have been abandoned after it had ended.
        outbox.clear_abandoned(completion.slot());
        completion.deliver(env, environment);
    }
}
