//! Connections driven by a thread, for runtimes whose event loop cannot watch a descriptor: Bun and
//! Deno. The environment is woken once for all replies of a turn.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use spikewire_transport::driver::Next;
use spikewire_transport::native::{Native, Receiver};
use spikewire_transport::protocol::{CommandOf, ErrorOf};
use spikewire_transport::{LoopDriver, Outcome, Protocol, Topology};

use super::{deliver_completions, failed};
use crate::environment::Environment;
use crate::js::wake::Waker;
use crate::js::{Env, Failure, Result};
use crate::outbox::{Completes, Outbox};

/// The connections of one client, driven by a thread.
pub struct ThreadDriver<P: Protocol, T: Completes<P>> {
    native: Native<P, T>,
    waker: Arc<Waker>,
    environment: Rc<Environment>,
    outbox: Arc<Outbox<T::Completion>>,
    keeps_alive: Rc<Cell<bool>>,
}

/// Puts outcomes into the outbox and wakes the environment at the end of a turn.
struct OutboxReceiver<F> {
    outbox: Arc<Outbox<F>>,
    waker: Arc<Waker>,
}

impl<P: Protocol, T: Completes<P>> Receiver<P, T> for OutboxReceiver<T::Completion> {
    fn take(&mut self, ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>) {
        ticket.complete_later(outcome, next);
    }

    fn on_turn_end(&mut self, _next: &mut Next<P, T>) {
        if !self.outbox.is_empty() {
            self.waker.wake();
        }
    }
}

impl<P, T> ThreadDriver<P, T>
where
    P: Protocol,
    T: Completes<P>,
    LoopDriver<P, T>: Send + Sync,
{
    /// Starts a driver and its thread.
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        topology: Arc<P::Topology>,
        outbox: Arc<Outbox<T::Completion>>,
    ) -> Result<Self>
    where
        ErrorOf<P>: Into<Failure>,
    {
        let keeps_alive = Rc::new(Cell::new(false));
        let place: Rc<Cell<Option<std::sync::Weak<Waker>>>> = Rc::default();
        let woken = {
            let (environment, outbox) = (Rc::downgrade(environment), outbox.clone());
            let (keeps_alive, place) = (keeps_alive.clone(), place.clone());
            move |env: Env<'_>| {
                let Some(environment) = environment.upgrade() else { return };
                if environment.is_ending() {
                    return;
                }
                deliver_completions(env, &environment, &outbox);
                environment.report_done(env);
                let waker = place.take();
                if let Some(waker) = waker.as_ref().and_then(std::sync::Weak::upgrade) {
                    keep(env, &waker, &keeps_alive, &outbox);
                }
                place.set(waker);
            }
        };
        let waker = Arc::new(Waker::new(env, "Spikewire", woken)?);
        place.set(Some(Arc::downgrade(&waker)));
        let queue = topology.settings().queue;
        let receiver = OutboxReceiver { outbox: outbox.clone(), waker: waker.clone() };
        let native = Native::start_with(topology, queue, receiver)
            .map_err(|error| failed::<P>("no thread for the connections", &error))?;
        Ok(Self { native, waker, environment: environment.clone(), outbox, keeps_alive })
    }

    /// Sends a command.
    pub fn submit(&self, env: Env<'_>, command: CommandOf<P, T>) {
        drop(self.native.submit(command));
        self.after_call(env);
    }

    /// Sends the first requests of a command that has several.
    pub fn submit_all(&self, env: Env<'_>, next: Next<P, T>) {
        drop(self.native.submit_all(next));
        self.after_call(env);
    }

    /// Closes every connection.
    pub fn close(&self, env: Env<'_>) {
        self.native.close();
        deliver_completions(env, &self.environment, &self.outbox);
        self.environment.report_done(env);
        self.after_call(env);
    }

    /// Closes every connection without calling JavaScript.
    pub fn end(&self) {
        self.native.close();
        drop(self.outbox.take());
    }

    /// Delivers what waits in the outbox.
    pub(super) fn deliver_now(&self, env: Env<'_>) {
        deliver_completions(env, &self.environment, &self.outbox);
        self.environment.report_done(env);
        self.after_call(env);
    }

    fn after_call(&self, env: Env<'_>) {
        keep(env, &self.waker, &self.keeps_alive, &self.outbox);
    }
}

/// Keeps the environment alive while anything is in flight.
fn keep<F>(env: Env<'_>, waker: &Waker, keeps_alive: &Cell<bool>, outbox: &Outbox<F>) {
    // Finished work that has not been delivered must be waited for, too.
    let needed = outbox.pending() > 0 || !outbox.is_empty();
    if keeps_alive.replace(needed) != needed {
        waker.keep_alive(env, needed);
    }
}
