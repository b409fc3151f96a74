//! The queue in front of all connections, used when the limit on commands in flight is reached.
//!
//! It is empty, and costs a comparison, if no limit is set. Interactive commands are
//! admitted first, in order of arrival; those that nobody waits for any more are skipped. Time spent in the queue counts
//! against the deadline.

use super::Multiplexer;
use super::send::is_control;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{Fault, FaultKind};
use crate::protocol::{CommandOf, Protocol};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Whether a new command has to wait; control requests do not.
    #[cold]
    pub(super) fn has_no_room(&self, command: &CommandOf<P, T>) -> bool {
        // The command itself is already counted; it must not overtake the queue.
        let is_full = self.requests() > self.most || !self.line.is_empty();
        is_full && !is_control::<P, T>(command)
    }

    /// Commands in flight that do not wait here, and have requests of their own.
    fn requests(&self) -> usize {
        self.in_flight - self.line.len() - self.reads.followers()
    }

    /// Starts commands from the queue while there is room; returns whether there were any.
    #[cold]
    pub(super) fn let_in(&mut self, now: Tick) -> bool {
        let mut some = false;
        while self.requests() < self.most {
            let Some(command) = self.line.pop_front() else { break };
            some = true;
            if command.ticket.is_needed() {
                self.begin(command, now);
            } else {
                self.fail(command, Fault::new(FaultKind::Withdrawn, "withdrawn").into());
            }
        }
        some
    }

    /// Removes the commands that have timed out or were withdrawn.
    pub(super) fn late_in_line(&mut self, now: Tick) -> Vec<CommandOf<P, T>> {
        self.line.take_if(|command| command.is_over(now))
    }
}
