//! The line of commands in front of all connections, where as many are in flight as may be.
//!
//! It is empty, and costs a comparison, where no number is set. Whoever comes first is let in first;
//! one that nobody waits for any more is passed over. Time in line counts like any other.

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::{Fault, FaultKind};
use crate::protocol::{CommandOf, Protocol, Sharing};

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Whether a command that comes has to wait in line; questions to nodes do not.
    #[cold]
    pub(super) fn has_no_room(&self, command: &CommandOf<P, T>) -> bool {
        // It is counted itself, and does not overtake the line.
        let is_full = self.in_flight - self.line.len() > self.most || !self.line.is_empty();
        is_full && P::sharing(command.bytes.len(), command.rows) != Sharing::Control
    }

    /// Begins with those that come first as long as there is room; whether there were any.
    #[cold]
    pub(super) fn let_in(&mut self, now: Tick) -> bool {
        let mut some = false;
        while self.in_flight - self.line.len() < self.most {
            let Some(command) = self.line.pop_front() else { break };
            some = true;
            if command.ticket.is_wanted() {
                self.begin(command, now);
            } else {
                self.fail(command, Fault::new(FaultKind::Withdrawn, "withdrawn").into());
            }
        }
        some
    }

    /// Takes those out that are over.
    pub(super) fn late_in_line(&mut self, now: Tick) -> Vec<CommandOf<P, T>> {
        if !self.line.iter().any(|command| command.is_over(now)) {
            return Vec::new();
        }
        let line = std::mem::take(&mut self.line).into_iter();
        let (late, kept): (Vec<_>, _) = line.partition(|command| command.is_over(now));
        self.line = kept.into();
        late
    }
}
