//! Commands that wait for their next attempt.

use crate::clock::Tick;
use crate::command::Command;

/// A command that waits for its next attempt; the earliest is the greatest.
#[derive(Debug)]
pub(super) struct Delayed<T> {
    pub at: Tick,
    pub command: Command<T>,
}

impl<T> PartialEq for Delayed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<T> Eq for Delayed<T> {}

impl<T> PartialOrd for Delayed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Delayed<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.at.cmp(&self.at)
    }
}
