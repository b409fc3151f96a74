//! Copies of a command that is slow to be answered.
//!
//! Which commands have copies, how many and when, the topology says as they begin
//! ([`Topology::copy_of`]); which answer counts, their tickets do ([`Carried`]).
//! Each copy is a command of its own and waits for its time in the queue of retries. As most
//! commands are answered by then, most copies never begin.

use std::collections::binary_heap::PeekMut;

use super::Multiplexer;
use super::retry_queue::Delayed;
use crate::attempts::Attempts;
use crate::buffer;
use crate::carried::{Carried, Settled};
use crate::clock::Tick;
use crate::command::{Command, ResponseHandler};
use crate::protocol::{CommandOf, NodeOf, Protocol};
use crate::topology::{CopyPlan, Target as _, Topology};

/// Copies that wait for their time although their commands were answered.
const KEPT_COPIES: usize = 1024;

/// A command was answered that has a copy, or whose time is measured.
#[cold]
pub(super) fn answered<P: Protocol, T>(
    topology: &P::Topology,
    command: &mut CommandOf<P, T>,
    node: &NodeOf<P>,
    now: Tick,
) -> Settled {
    let start = command.start;
    let settled = command.settle(true);
    if command.target.is_measured() && command.attempts.made == 1 {
        let counts = settled != Settled::Dropped;
        topology.measured(&command.target, node, now.since(start), counts);
    }
    settled
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// The first attempt at a command, or at a copy whose time has come.
    #[inline(always)]
    pub(super) fn begin(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        let Self { topology, router, .. } = self;
        let preference = command.policy.replica;
        if let Some(plan) = topology.copy_of(router, &mut command.target, preference) {
            self.prepare_copy(&mut command, plan, now);
        }
        self.attempt(command, now);
    }

    /// A copy's time has come.
    #[cold]
    pub(super) fn begin_copy(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        if let Carried::Own(_) = command.ticket {
            self.in_flight += 1;
            return self.begin(command, now);
        }
        let begins = command.ticket.is_wanted()
            && self.topology.admits_copy(&command.target)
            && command.ticket.copy_begins();
        if !begins {
            return buffer::give(command.bytes);
        }
        self.in_flight += 1;
        self.copied = true;
        command.start = now;
        self.attempt(command, now);
    }

    #[cold]
    fn prepare_copy(
        &mut self,
        command: &mut CommandOf<P, T>,
        plan: CopyPlan<<P::Topology as Topology>::Target>,
        now: Tick,
    ) {
        let Command { mut policy, deadline, stream, rows, .. } = **command;
        let CopyPlan { delay, target, shares } = plan;
        let start = now.after(delay);
        if start >= deadline {
            return;
        }
        let ticket = if shares {
            policy.max_retries = 0;
            command.ticket.share(command.start)
        } else {
            command.ticket.twin()
        };
        let Some(ticket) = ticket else { return };
        // Copies of commands that were answered are forgotten when their time comes; no more of them
        // are kept until then than of others, or some.
        if self.delayed.len() > KEPT_COPIES + 4 * self.in_flight {
            self.delayed.retain(|next| !next.is_copy || !next.command.ticket.is_withdrawn());
        }
        let mut bytes = buffer::take();
        bytes.extend_from_slice(&command.bytes);
        let attempts = Attempts::default();
        let copy =
            Command { bytes, target, policy, start, deadline, stream, rows, attempts, ticket };
        self.alarm = self.alarm.min(start);
        self.delayed.push(Delayed { at: start, command: Box::new(copy), is_copy: true });
    }

    /// Drops the copies that come next and are not needed any more.
    #[inline]
    pub(super) fn forget_copies(&mut self) {
        while let Some(next) = self.delayed.peek_mut() {
            if !next.is_copy || !next.command.ticket.is_withdrawn() {
                return;
            }
            buffer::give(PeekMut::pop(next).command.bytes);
        }
    }
}
