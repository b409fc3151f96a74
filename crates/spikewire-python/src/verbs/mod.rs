//! The verbs. Each turns checked arguments into a call; the runners in [`crate::face`] run it.
//!
//! All classes share this implementation, datasets as well as clients. Their Python methods are
//! generated from `tools/verbs`.
//!
//! | module | contents |
//! |---|---|
//! | [`options`] | the keywords of a call, and the request options built from them |
//! | [`single`] | the verbs on one record |
//! | [`function`] | calls of functions that the cluster runs |
//! | [`steps`] | encoding operations into a request |
//!
//! The verbs on many records are in [`crate::many`].

pub mod function;
pub mod options;
pub mod single;
pub mod steps;

pub use function::Function;
pub use options::{Defaults, Limits, ReadOptions, ReadRules, RetryRules, RowOptions, WriteOptions};
pub use single::{apply, delete, exists, get, operate, touch, write};
pub use steps::{Steps, write_bins};
