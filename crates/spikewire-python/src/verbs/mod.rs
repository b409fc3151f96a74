//! The verbs. Each turns checked arguments into a call; the faces run it.
//!
//! All faces share this one source, on datasets and on clients: [`verbs!`] writes the Python methods
//! of a class from it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`methods`] | names, keywords and documentation of the verbs as Python has them |
//! | [`options`] | the keywords of a call, and what they make of its request |
//! | [`single`] | the verbs on one record |
//! | [`function`] | calls of functions that the cluster runs |
//! | [`steps`] | operations on their way into a request |
//!
//! The verbs on many records are in [`crate::many`].

pub mod function;
mod methods;
pub mod options;
pub mod single;
pub mod steps;

pub use function::{Function, apply};
pub use options::{Defaults, ReadOptions, ReadRules, WriteOptions};
pub use single::{delete, exists, get, operate, touch, write};
pub use steps::{Operations, Steps, write_bins};

/// Writes a class with the verbs as Python methods: those of its own, then those on one record and
/// on many, and, where it says what it calls its queries, those on a whole set.
///
/// The class offers `fn address(&self, key) -> PyResult<Address>`, `fn defaults(&self) -> Defaults`
/// and `fn run(&self, py, call)` and `fn run_many(&self, py, call)`, both
/// `-> PyResult<Bound<PyAny>>`. What it needs for queries is told at [`verbs_on_a_set!`].
#[macro_export]
macro_rules! verbs {
    ($class:ty { $($own:tt)* }) => {
        $crate::verbs_on_one!($class { $($own)* });
    };
    ($class:ty, $($queries_and_own:tt)*) => {
        $crate::verbs_on_a_set!($class, $($queries_and_own)*);
    };
}
