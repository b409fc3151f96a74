//! What turns a client's connections.
//!
//! | module | what it holds |
//! |---|---|
//! | [`uv`] | Node.js: the environment's own loop |
//! | [`thread`] | other runtimes: a thread that wakes the environment once for each burst |

pub mod thread;
pub mod uv;

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::Error;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::{Command, Prepared};
use spikewire_aerospike::transport::Next;

use crate::call::{ResponsePlan, settle};
use crate::environment::Environment;
use crate::js::{Env, Failure, Result};
use crate::ticket::{Finished, Outbox, OwnedReply, Pledge, Ticket};

use self::thread::ThreadDriver;
use self::uv::UvDriver;

/// What turns a client's connections.
#[derive(Debug)]
pub enum Driver {
    Uv(Rc<UvDriver>),
    Thread(ThreadDriver),
}

impl Driver {
    /// A driver on the environment's loop, or on a thread where it has none.
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        cluster: Arc<Cluster>,
        outbox: Arc<Outbox>,
    ) -> Result<Self> {
        match &environment.uv {
            Some(on) => UvDriver::start(on, environment, cluster, outbox).map(Self::Uv),
            None => ThreadDriver::start(env, environment, cluster, outbox).map(Self::Thread),
        }
    }

    /// Sends a command on one record.
    #[inline]
    pub fn submit(&self, env: Env<'_>, prepared: Prepared, pledge: Pledge, plan: ResponsePlan) {
        let Prepared { bytes, target, policy } = prepared;
        let now = Tick::now();
        let command = Command::new(bytes, target, policy, now, Ticket::One { pledge, plan });
        match self {
            Self::Uv(driver) => driver.submit(env, command, now),
            Self::Thread(driver) => driver.submit(env, command),
        }
    }

    /// Sends what a batch or an administrative command starts with.
    pub fn submit_all(&self, env: Env<'_>, next: Next<Ticket>) {
        match self {
            Self::Uv(driver) => driver.submit_all(env, next),
            Self::Thread(driver) => driver.submit_all(env, next),
        }
    }

    /// Ends it; what is in flight fails, and JavaScript gets to know.
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

/// Hands what is over to JavaScript.
pub fn deliver_finished(env: Env<'_>, environment: &Environment, outbox: &Outbox) {
    for finished in outbox.take() {
        match finished {
            Finished::Reply { slot, plan, outcome } => {
                let outcome = outcome.as_ref().map(OwnedReply::as_reply).map_err(Error::clone);
                plan.settle(env, environment, slot, outcome);
            }
            Finished::Value { slot, value } => {
                let value = value.settle(env, environment);
                settle(env, environment, slot, value);
            }
            Finished::Failed { slot, error } => {
                settle(env, environment, slot, Err(Failure::from(error)));
            }
        }
    }
}
