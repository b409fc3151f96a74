//! Commands waiting for their next attempt, and copies waiting for their first.

use crate::clock::Tick;

/// A command waiting for its next attempt. The ordering is reversed: the earliest is the greatest.
#[derive(Debug)]
pub(super) struct Delayed<C> {
    pub at: Tick,
    pub command: C,
    /// Whether it is a copy of a command in flight. It counts as a command when it starts.
    pub is_copy: bool,
}

impl<C> PartialEq for Delayed<C> {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<C> Eq for Delayed<C> {}

impl<C> PartialOrd for Delayed<C> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<C> Ord for Delayed<C> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.at.cmp(&self.at)
    }
}
