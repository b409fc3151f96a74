//! Copies of commands whose reply is slow to come.
//!
//! The topology decides which commands have copies, how many and when, as they start
//! ([`Topology::copy_of`]). Their tickets decide which reply counts ([`TicketHandle`]). Each copy is a
//! command of its own and waits for its time in the retry queue. Most commands are answered by
//! then, so most copies never start.

use std::collections::binary_heap::PeekMut;
use std::sync::Arc;

use super::Multiplexer;
use crate::attempts::Attempts;
use crate::buffer;
use crate::clock::Tick;
use crate::command::{Command, ResponseHandler};
use crate::protocol::{CommandOf, NodeOf, Protocol};
use crate::ticket_handle::{Settlement, TicketHandle};
use crate::topology::{CopyPlan, Target as _, Topology};

/// How many copies of commands already answered may wait for their time.
const ANSWERED_COPIES: usize = 1024;

/// A command that has a copy, or whose latency is measured, was answered.
#[cold]
pub(super) fn answered<P: Protocol, T>(
    topology: &P::Topology,
    command: &mut CommandOf<P, T>,
    node: &Arc<NodeOf<P>>,
    body: &[u8],
    now: Tick,
) -> Settlement {
    let start = command.start;
    let settled = command.settle(true);
    if command.target.is_measured() && command.attempts.count == 1 {
        let counts = settled != Settlement::Dropped;
        topology.measured(&command.target, node, now.since(start), counts);
    }
    topology.answered(&command.target, node, body);
    settled
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Starts a copy whose time has come.
    #[cold]
    pub(super) fn begin_copy(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        if let TicketHandle::Own(_) = command.ticket {
            if !self.may_retry(now) {
                return buffer::give(command.bytes);
            }
            self.in_flight += 1;
            return self.begin(command, now);
        }
        let begins = command.ticket.is_needed()
            && self.topology.admits_copy(&command.target)
            && self.may_retry(now)
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
    pub(super) fn prepare_copy(
        &mut self,
        command: &mut CommandOf<P, T>,
        plan: CopyPlan<<P::Topology as Topology>::Target>,
        now: Tick,
    ) {
        let Command { mut policy, deadline, stream, kind, rows, .. } = **command;
        let CopyPlan { delay, target, shares } = plan;
        let start = now.after(delay);
        if start >= deadline {
            return;
        }
        let ticket = if shares {
            policy.max_retries = 0;
            command.ticket.share(command.start)
        } else {
            command.ticket.ticket_for_copy()
        };
        let Some(ticket) = ticket else { return };
        // Copies of answered commands are dropped when their time comes; until then, their number
        // is limited relative to the commands in flight.
        if self.delayed.len() > ANSWERED_COPIES + 4 * self.in_flight {
            self.delayed.retain(|next| !next.is_copy || !next.command.ticket.is_withdrawn());
        }
        let mut bytes = buffer::take();
        bytes.extend_from_slice(&command.bytes);
        let attempts = Attempts::default();
        let copy = Command {
            bytes,
            target,
            policy,
            start,
            deadline,
            stream,
            kind,
            rows,
            reply_bytes: 0,
            attempts,
            ticket,
        };
        self.alarm = self.alarm.min(start);
        self.delay_copy(start, Box::new(copy));
    }

    /// Drops the next copies in the queue if they are not needed any more.
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
