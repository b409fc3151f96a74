//! The verbs. Each turns checked arguments into a call; the runners in [`crate::aerospike::api`] run it.
//!
//! All classes share this implementation, datasets as well as clients. Their Python methods are
//! generated from `tools/verbs`.
//!
//! | module | contents |
//! |---|---|
//! | [`single`] | the verbs on one record |
//! | [`function`] | calls of functions that the cluster runs |
//! | [`steps`] | encoding operations into a request |
//!
//! The verbs on many records are in [`crate::aerospike::many`].

pub mod function;
pub mod single;
pub mod steps;

pub use super::options::{
    Defaults, Limits, ReadOptions, ReadRules, RetryRules, RowOptions, WriteOptions,
};
pub use function::Function;
pub use single::{apply, delete, exists, get, operate, touch, write};
pub use steps::{Steps, operations_of, write_bins};
