//! A query as the caller sees it: one long answer, whatever happens to the nodes meanwhile.
//!
//! | module | what it holds |
//! |---|---|
//! | [`partitions`] | which partitions a caller wants |
//! | [`tracker`] | how far each partition was read, and who reads it now |
//! | [`cursor`] | the same as bytes, for another process to go on |
//! | [`rules`] | limits, and which failures are tried again |
//! | `task_id` | the numbers that nodes know queries and jobs by |

pub mod cursor;
pub mod partitions;
pub mod rules;
mod task_id;
pub mod tracker;

pub use partitions::Partitions;
pub use rules::{Limits, Retries, WINDOW};
pub use task_id::task_id;
pub use tracker::{Piece, Tracker};
