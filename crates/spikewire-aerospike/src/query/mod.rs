//! Queries from the caller's view: one stream of records, whatever happens to the nodes meanwhile.
//!
//! | module | what it holds |
//! |---|---|
//! | [`spec`] | what was asked for, checked, and the plan it makes |
//! | `ops` | what is read of each record, or done to it |
//! | `range` | which values of which index |
//! | [`partitions`] | which partitions a caller wants |
//! | [`tracker`] | how far each partition was read, and who reads it now |
//! | [`cursor`] | the same as bytes, for another process to go on |
//! | [`rules`] | limits, and which failures are tried again |
//! | `task_id` | the numbers that nodes know queries and jobs by |

pub mod cursor;
mod ops;
pub mod partitions;
mod range;
pub mod rules;
pub mod spec;
mod task_id;
pub mod tracker;

pub use ops::QueryOps;
pub use partitions::Partitions;
pub use range::check_index;
pub(crate) use rules::pauses;
pub use rules::{Limits, Retries, WINDOW};
pub use spec::{QueryPlan, QuerySpec};
pub use task_id::task_id;
pub use tracker::{Piece, Tracker};
