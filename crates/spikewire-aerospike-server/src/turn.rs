//! Work in slices: streamed replies, index builds, background jobs.

use std::time::Instant;

/// When work needs its next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTurn {
    /// As soon as possible.
    Soon,
    /// Not before this time.
    At(Instant),
    /// Never: it is done.
    Never,
}
