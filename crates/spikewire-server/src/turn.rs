//! Work in slices: a long reply, the filling of an index, a background job.

use std::time::Instant;

/// When work that ended its turn wants the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTurn {
    /// As soon as there is room.
    Soon,
    /// Not before this moment.
    At(Instant),
    /// Never: it is done.
    Never,
}
