//! Queries without I/O: which partitions to read from which nodes, until every record was delivered
//! once, although nodes fail and partitions move meanwhile.
//!
//! | module | contents |
//! |---|---|
//! | [`spec`] | the parameters, and the plan or the job that follows from them |
//! | `ops` | operations on every record: reads of a query, writes of a job |
//! | `range` | validation of the index range |
//! | [`selection`] | filters that are texts: whether the nodes choose the index, and what they chose |
//! | [`partitions`] | the partitions to read |
//! | [`tracker`] | how far each partition was read, and which request reads it now |
//! | [`cursor`] | progress as bytes, from which another process can resume |
//! | [`rules`] | limits, and which failures are retried |
//! | `task_id` | the numbers by which nodes know queries and jobs |

pub mod cursor;
mod ops;
pub mod partitions;
mod range;
pub mod rules;
pub mod selection;
#[cfg(test)]
mod selection_tests;
pub mod spec;
mod task_id;
pub mod tracker;

pub use ops::QueryOps;
pub use partitions::Partitions;
pub use range::check_index;
pub(crate) use rules::pauses;
pub use rules::{Limits, Retries, WINDOW};
pub use selection::{Access, Explanation, FilterSource, IndexWish, Selection};
pub use spec::{QueryPlan, QuerySpec};
pub use task_id::task_id;
pub use tracker::{Piece, Tracker};
