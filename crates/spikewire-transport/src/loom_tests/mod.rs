//! Tests that loom runs in every order in which their threads can take turns: `make test-loom`.
//!
//! What is tested is code that threads share without a single lock around it: who is woken, which
//! outcome counts, what is visible afterwards. A lost wake-up is a deadlock, which loom reports;
//! what is not visible is a data race in a [`loom::cell::UnsafeCell`]. There is no network here:
//! commands fail because the cluster has no node. Tests of private parts are next to those.

mod events;
mod keys;
mod native;
mod permits;
mod tickets;

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::breaker::Breaker;
use crate::clock::Tick;
use crate::command::Command;
use crate::fault::{CommandError, Fault};
use crate::health::Health;
use crate::policy::{Policy, Preference};
use crate::protocol::{CommandOf, Frame, Framing, Malformed, Protocol, RequestKind, Sharing};
use crate::topology::{Endpoint, Settings, Target, Topology};

/// Runs a test in every order with at most this many involuntary switches of threads, which finds
/// nearly all faults that more of them find, in a fraction of the time.
pub(crate) fn explore(switches: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound.get_or_insert(switches);
    model.check(test);
}

/// A cell that threads must not use at the same time, or without seeing what was done before.
#[derive(Debug, Default)]
pub(crate) struct Exclusive(loom::cell::UnsafeCell<usize>);

// SAFETY: that only one thread at a time uses it is what the tests are about; loom checks it.
#[expect(unsafe_code, reason = "the test of whether something else makes it safe")]
unsafe impl Sync for Exclusive {}

impl Exclusive {
    /// Uses it; returns how often that was done before.
    #[expect(unsafe_code, reason = "the test of whether something else makes it safe")]
    pub(crate) fn enter(&self) -> usize {
        self.0.with_mut(|count| {
            // SAFETY: loom ends the test if another thread uses it meanwhile.
            let count = unsafe { &mut *count };
            *count += 1;
            *count - 1
        })
    }
}

/// A protocol that is never spoken.
#[derive(Debug)]
pub(crate) struct Unspoken;

/// A cluster without nodes.
#[derive(Debug)]
pub(crate) struct NoNodes;

/// A node that no cluster has.
#[derive(Debug)]
pub(crate) struct NoNode(Breaker, Health);

/// Why a command failed.
#[derive(Debug, Clone)]
pub(crate) struct Failed;

#[derive(Debug, Clone)]
pub(crate) struct Anything;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Anywhere;

/// A command without a time limit.
#[expect(clippy::unnecessary_box_returns, reason = "commands are boxed")]
pub(crate) fn command<T>(ticket: T) -> CommandOf<Unspoken, T> {
    let policy = Policy { timeout: Duration::ZERO, max_retries: 0, ..Policy::default() };
    Command::new(Vec::new(), Anything, policy, Tick::now(), ticket)
}

impl Framing for Unspoken {
    fn cut(&mut self, _: &[u8]) -> Result<Option<Frame>, Malformed> {
        Ok(None)
    }
}

impl Protocol for Unspoken {
    type Topology = NoNodes;
    type Code = u8;

    fn new(_: &NoNodes, _: &NoNode) -> Self {
        Self
    }

    fn code(_: &[u8]) -> u8 {
        0
    }

    fn server_error(_: &[u8]) -> Failed {
        Failed
    }

    fn sharing(_: usize, _: usize, _: RequestKind) -> Sharing {
        Sharing::Shared
    }
}

impl Topology for NoNodes {
    type Node = NoNode;
    type Target = Anything;
    type Preference = Anywhere;
    type Error = Failed;
    type Router = ();

    fn router(&self) {}

    fn route(&self, (): &(), _: &Anything, _: Anywhere, _: u32) -> Result<Arc<NoNode>, Failed> {
        Err(Failed)
    }

    fn settings(&self) -> Settings {
        Settings {
            connections_per_node: 1,
            depth: 1,
            queue: 16,
            in_flight: 16,
            connect_timeout: Duration::ZERO,
            idle: Duration::ZERO,
        }
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn refresh_soon(&self) {}

    fn has_alternative(&self, _: &Anything, _: Anywhere, _: &NoNode) -> bool {
        false
    }
}

impl fmt::Display for NoNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no node")
    }
}

impl Endpoint for NoNode {
    fn key(&self) -> u32 {
        0
    }

    fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, 0).into()
    }

    fn is_active(&self) -> bool {
        false
    }

    fn breaker(&self) -> &Breaker {
        &self.0
    }

    fn health(&self) -> &Health {
        &self.1
    }
}

impl From<Fault> for Failed {
    fn from(_: Fault) -> Self {
        Self
    }
}

impl CommandError for Failed {
    fn after(self, _: u32, _: bool) -> Self {
        self
    }

    fn tried(&self) -> (u32, bool) {
        (0, false)
    }

    fn on(self, _: String) -> Self {
        self
    }

    fn is_final(&self) -> bool {
        true
    }
}

impl Target for Anything {
    fn writes(&self) -> bool {
        false
    }
}

impl Preference for Anywhere {
    fn moves_on(self) -> bool {
        false
    }
}
