//! The verbs. Each turns checked arguments into a call; the faces run it.
//!
//! All faces share this one source, on datasets and on clients. The Python methods are generated from
//! `tools/verbs`: see [`crate::face`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | the keywords of a call, and what they make of its request |
//! | [`single`] | the verbs on one record |
//! | [`function`] | calls of functions that the cluster runs |
//! | [`steps`] | operations on their way into a request |
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
