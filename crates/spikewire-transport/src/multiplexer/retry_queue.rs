//! Commands waiting for their next attempt, and copies waiting for their first.

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::protocol::{CommandOf, Protocol};

/// A command waiting for its next attempt. The ordering is reversed: the earliest is the greatest,
/// and of several that are due at the same time, the one that came first.
#[derive(Debug)]
pub(super) struct DelayedCommand<C> {
    pub at: Tick,
    /// Numbers them in order of arrival.
    number: u64,
    pub command: C,
    /// Whether it is a copy of a command in flight. It counts as a command when it starts.
    pub is_copy: bool,
}

impl<C> PartialEq for DelayedCommand<C> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl<C> Eq for DelayedCommand<C> {}

impl<C> PartialOrd for DelayedCommand<C> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> Ord for DelayedCommand<C> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Keeps a command until its time has come.
    pub(super) fn delay(&mut self, at: Tick, command: CommandOf<P, T>) {
        self.push_delayed(at, command, false);
    }

    /// Keeps a copy of a command until its time has come.
    pub(super) fn delay_copy(&mut self, at: Tick, copy: CommandOf<P, T>) {
        self.push_delayed(at, copy, true);
    }

    fn push_delayed(&mut self, at: Tick, command: CommandOf<P, T>, is_copy: bool) {
        self.delays += 1;
        self.delayed.push(DelayedCommand { at, number: self.delays, command, is_copy });
    }
}
