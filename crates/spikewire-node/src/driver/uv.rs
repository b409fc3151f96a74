//! The transport's loop driver on an environment's own event loop.
//!
//! libuv watches one descriptor. All replies of a turn are delivered to JavaScript in one callback
//! scope. The tasks that they wake run when it closes; after that, the requests of these tasks are
//! written together.

use std::cell::{Cell, OnceCell};
use std::os::fd::AsRawFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use spikewire_transport::driver::{EventLoop, Next};
use spikewire_transport::protocol::{CommandOf, ErrorOf, NodeOf};
use spikewire_transport::{LoopDriver, Multiplexer, Outcome, Protocol, Tick};

use super::{deliver_completions, failed};
use crate::environment::Environment;
use crate::js::{Env, Failure, Result};
use crate::outbox::{Completes, Outbox};
use crate::uv::handle::HandleCallbacks;
use crate::uv::{Handles, Loop};

/// The connections of one client, driven by its environment's event loop.
pub struct UvDriver<P: Protocol, T: Completes<P>> {
    connections: LoopDriver<P, T>,
    environment: Rc<Environment>,
    outbox: Arc<Outbox<T::Completion>>,
    handles: OnceCell<Rc<Handles<Self>>>,
    /// Set while outcomes are delivered and the tasks that they wake run.
    is_bursting: Cell<bool>,
    /// Whether a flush was requested meanwhile.
    flush_requested: Cell<bool>,
    /// Whether the loop is kept alive.
    keeps_alive: Cell<bool>,
}

impl<P: Protocol, T: Completes<P>> UvDriver<P, T> {
    /// Starts a driver on the environment's event loop.
    pub fn start(
        on: &Rc<Loop>,
        environment: &Rc<Environment>,
        topology: Arc<P::Topology>,
        outbox: Arc<Outbox<T::Completion>>,
    ) -> Result<Rc<Self>>
    where
        ErrorOf<P>: Into<Failure>,
    {
        let failed =
            |error: std::io::Error| failed::<P>("the event loop cannot watch connections", &error);
        let connections = LoopDriver::new(Multiplexer::for_loop(topology).map_err(failed)?);
        let descriptor = connections.as_raw_fd();
        let driver = Rc::new(Self {
            connections,
            environment: environment.clone(),
            outbox,
            handles: OnceCell::new(),
            is_bursting: Cell::new(false),
            flush_requested: Cell::new(false),
            keeps_alive: Cell::new(false),
        });
        let handles = Handles::watch_on(on, descriptor, driver.clone()).map_err(failed)?;
        let _ = driver.handles.set(handles);
        Ok(driver)
    }

    /// Sends a command.
    #[inline]
    pub fn submit(&self, env: Env<'_>, command: CommandOf<P, T>, now: Tick) {
        self.connections.submit(&self, command, now, &mut self.deliver(env));
        self.after_call(env);
    }

    /// Sends the first requests of a command that has several.
    pub fn submit_all(&self, env: Env<'_>, next: Next<P, T>) {
        self.connections.submit_all(&self, next);
        self.after_call(env);
    }

    /// Calls `look` with the node of each connection, whether it is open, and the requests in flight
    /// on it.
    pub fn each_connection(&self, look: &mut dyn FnMut(&NodeOf<P>, bool, usize)) {
        self.connections.each_connection(look);
    }

    /// Closes every connection.
    pub fn close(&self, env: Env<'_>) {
        self.connections.close(&self, &mut self.deliver(env));
        self.close_handles();
        self.after_call(env);
    }

    /// Closes every connection without calling JavaScript.
    pub fn end(&self) {
        self.connections
            .close_now(&mut |ticket: T, outcome, next| ticket.complete_later(outcome, next));
        drop(self.outbox.take());
        self.close_handles();
    }

    fn close_handles(&self) {
        if let Some(handles) = self.handles.get() {
            handles.close();
        }
    }

    /// Delivers what a call from JavaScript has completed synchronously.
    #[inline]
    pub(super) fn after_call(&self, env: Env<'_>) {
        if !self.outbox.is_empty() {
            deliver_completions(env, &self.environment, &self.outbox);
        }
        self.environment.report_done(env);
        self.keep_loop();
    }

    /// Keeps the loop alive while anything is in flight.
    #[inline]
    fn keep_loop(&self) {
        let keep = self.outbox.pending() > 0;
        if self.keeps_alive.get() != keep
            && let Some(handles) = self.handles.get()
        {
            self.keeps_alive.set(keep);
            handles.keep_alive(keep);
        }
    }

    /// Delivers outcomes by settling promises.
    fn deliver<'a>(&'a self, env: Env<'a>) -> impl FnMut(T, Outcome<'_, P>, &mut Next<P, T>) + 'a {
        move |ticket, outcome, next| ticket.complete(env, &self.environment, outcome, next)
    }

    /// Delivers what `work` completes, lets the waiting tasks run, and writes their requests.
    fn burst(&self, work: impl FnOnce(Env<'_>)) {
        self.is_bursting.set(true);
        self.run_in_scope(work);
        self.write();
        self.is_bursting.set(false);
        self.keep_loop();
    }

    /// Delivers what `work` completes; the waiting tasks have run when this returns.
    fn run_in_scope(&self, work: impl FnOnce(Env<'_>)) {
        let Some(context) = self.environment.context() else { return };
        context.run_on_loop(|env| {
            work(env);
            deliver_completions(env, &self.environment, &self.outbox);
            self.environment.report_done(env);
        });
    }

    /// Writes the requested output; promises are settled only if that fails.
    fn write(&self) {
        while self.flush_requested.take() {
            self.connections.flush(
                &self,
                &mut |ticket: T, outcome: Outcome<'_, P>, next: &mut Next<P, T>| {
                    ticket.complete_later(outcome, next);
                },
            );
            if !self.outbox.is_empty() {
                self.run_in_scope(|_| ());
            }
        }
    }
}

impl<P: Protocol, T: Completes<P>> EventLoop for &UvDriver<P, T> {
    fn flush_soon(&self) {
        if self.is_bursting.get() {
            self.flush_requested.set(true);
        } else if let Some(handles) = self.handles.get() {
            handles.before_waiting();
        }
    }

    fn wake_at(&self, at: Tick) {
        if let Some(handles) = self.handles.get() {
            // Whole milliseconds, rounded up: an earlier alarm would find nothing due.
            let left = at.since(Tick::now());
            handles.wake_after(left.as_micros().div_ceil(1000) as u64);
        }
    }
}

impl<P: Protocol, T: Completes<P>> HandleCallbacks for UvDriver<P, T> {
    fn readable(&self) {
        self.burst(|env| {
            let result = self.connections.turn(&self, Some(Duration::ZERO), &mut self.deliver(env));
            if result.is_err() {
                // The poller itself failed, so nothing can be waited for any more.
                self.connections.close(&self, &mut self.deliver(env));
                self.close_handles();
            }
        });
    }

    fn before_waiting(&self) {
        self.is_bursting.set(true);
        self.flush_requested.set(true);
        self.write();
        self.is_bursting.set(false);
        self.keep_loop();
    }

    fn timed_out(&self) {
        self.burst(|env| self.connections.expire(&self, &mut self.deliver(env)));
    }
}
