//! Connections that a thread turns, for runtimes whose event loop cannot watch a descriptor: Bun and
//! Deno. All replies of a turn wake the environment once.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::Command;
use spikewire_aerospike::transport::native::{Native, Receiver};
use spikewire_aerospike::transport::{Aerospike, Next, Outcome};
use spikewire_aerospike::{Error, Kind};

use super::deliver_finished;
use crate::environment::Environment;
use crate::js::wake::Waker;
use crate::js::{Env, Result};
use crate::ticket::{Outbox, Ticket};

/// The connections of one client, turned by a thread.
#[derive(Debug)]
pub struct ThreadDriver {
    native: Native<Ticket>,
    waker: Arc<Waker>,
    environment: Rc<Environment>,
    outbox: Arc<Outbox>,
    is_kept: Rc<Cell<bool>>,
}

/// Puts outcomes into the outbox, and wakes the environment when a turn is over.
struct Courier {
    outbox: Arc<Outbox>,
    waker: Arc<Waker>,
}

impl Receiver<Aerospike, Ticket> for Courier {
    fn take(&mut self, ticket: Ticket, outcome: Outcome<'_>, next: &mut Next<Ticket>) {
        ticket.complete_later(outcome, next);
    }

    fn turned(&mut self, _next: &mut Next<Ticket>) {
        if !self.outbox.is_empty() {
            self.waker.wake();
        }
    }
}

impl ThreadDriver {
    /// A driver whose thread starts now.
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        cluster: Arc<Cluster>,
        outbox: Arc<Outbox>,
    ) -> Result<Self> {
        let is_kept = Rc::new(Cell::new(false));
        let place: Rc<Cell<Option<std::sync::Weak<Waker>>>> = Rc::default();
        let woken = {
            let (environment, outbox) = (Rc::downgrade(environment), outbox.clone());
            let (is_kept, place) = (is_kept.clone(), place.clone());
            move |env: Env<'_>| {
                let Some(environment) = environment.upgrade() else { return };
                if environment.is_ending() {
                    return;
                }
                deliver_finished(env, &environment, &outbox);
                environment.tell_done(env);
                let waker = place.take();
                if let Some(waker) = waker.as_ref().and_then(std::sync::Weak::upgrade) {
                    keep(env, &waker, &is_kept, &outbox);
                }
                place.set(waker);
            }
        };
        let waker = Arc::new(Waker::new(env, "Spikewire", woken)?);
        place.set(Some(Arc::downgrade(&waker)));
        let queue = cluster.options().queue;
        let courier = Courier { outbox: outbox.clone(), waker: waker.clone() };
        let native = Native::start_with(cluster, queue, courier).map_err(|error| {
            Error::new(Kind::Connection, format!("no thread for the connections: {error}"))
        })?;
        Ok(Self { native, waker, environment: environment.clone(), outbox, is_kept })
    }

    /// Takes a command.
    pub fn submit(&self, env: Env<'_>, command: Box<Command<Ticket>>) {
        drop(self.native.submit(command));
        self.after_call(env);
    }

    /// Takes what a batch or an administrative command starts with.
    pub fn submit_all(&self, env: Env<'_>, next: Next<Ticket>) {
        drop(self.native.submit_all(next));
        self.after_call(env);
    }

    /// Ends every connection.
    pub fn close(&self, env: Env<'_>) {
        self.native.close();
        deliver_finished(env, &self.environment, &self.outbox);
        self.environment.tell_done(env);
        self.after_call(env);
    }

    /// Ends every connection without a word to JavaScript.
    pub fn end(&self) {
        self.native.close();
        drop(self.outbox.take());
    }

    fn after_call(&self, env: Env<'_>) {
        keep(env, &self.waker, &self.is_kept, &self.outbox);
    }
}

/// Keeps the environment alive while something is in flight.
fn keep(env: Env<'_>, waker: &Waker, is_kept: &Cell<bool>, outbox: &Outbox) {
    // What is over and has not been handed out is still to be waited for.
    let wanted = outbox.pending() > 0 || !outbox.is_empty();
    if is_kept.replace(wanted) != wanted {
        waker.keep_alive(env, wanted);
    }
}
