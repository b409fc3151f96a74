//! The verbs. Each turns checked arguments into a call; the runners in [`crate::aerospike::api`] run it.
//!
//! All classes share this implementation, datasets as well as clients. Their Python methods are
//! generated from `tools/verbs`.
//!
//! | module | contents |
//! |---|---|
//! | [`single`] | the verbs on one record, and what all verbs take |
//! | [`rows`] | what batches take for rows that do not set it |
//! | [`function`] | calls of functions that the cluster runs |
//!
//! The verbs on many records are in [`crate::aerospike::many`].

pub mod function;
pub mod rows;
pub mod single;

pub use function::Function;
pub use rows::{Limits, RowOptions};
pub use single::{
    AttemptKeywords, Call, Defaults, ReadOptions, ReadRules, WriteOptions, apply, delete, exists,
    get, operate, operations_of, plain_bins, refs, touch, write, write_bins,
};
