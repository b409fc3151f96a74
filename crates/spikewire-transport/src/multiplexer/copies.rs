//! Copies of a command that is slow to be answered.
//!
//! Which commands have copies, how many and when, their target says as they begin
//! ([`Target::begins`](crate::topology::Target::begins)); which answer counts, their tickets do.
//! Each copy is a command of its own and waits for its time in the queue of retries. As most
//! commands are answered by then, most copies never begin.

use std::collections::binary_heap::PeekMut;
use std::time::Duration;

use super::Multiplexer;
use super::retry_queue::Delayed;
use crate::attempts::Attempts;
use crate::buffer;
use crate::clock::Tick;
use crate::command::{Command, ResponseHandler};
use crate::protocol::{CommandOf, Protocol};
use crate::topology::{Target as _, Topology};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// The first attempt at a command, or at a copy whose time has come.
    #[inline(always)]
    pub(super) fn begin(&mut self, mut command: CommandOf<P, T>, now: Tick) {
        if let Some((delay, target)) = command.target.begins() {
            self.prepare_copy(&mut command, delay, target, now);
        }
        self.attempt(command, now);
    }

    #[cold]
    fn prepare_copy(
        &mut self,
        command: &mut CommandOf<P, T>,
        delay: Duration,
        target: <P::Topology as Topology>::Target,
        now: Tick,
    ) {
        let Command { policy, deadline, stream, rows, .. } = **command;
        let start = now.after(delay);
        if start >= deadline {
            return;
        }
        let Some(ticket) = command.ticket.twin() else { return };
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
