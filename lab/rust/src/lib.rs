//! The load for each Rust client: the same job as input, and the same result as output, as for the
//! Python workers.

mod access;
mod call_error;
mod callers;
mod clock;
pub mod cql;
mod harness;
mod job;
mod lines;
mod measure;
mod open;
mod operations;
#[cfg(feature = "ours")]
mod ours;
#[cfg(feature = "peer")]
mod peer;
mod scan;
mod series;
mod workload;

pub use access::{Access, Tls};
pub use call_error::CallError;
pub use harness::{Client, Target, main};
pub use operations::{Operator, STRING_BINS, main as operations};
#[cfg(feature = "ours")]
pub use ours::client_builder;
#[cfg(feature = "peer")]
pub use peer::client_policy;
pub use scan::{Scanner, main as scan};
pub use workload::{BinSpec, Value};

/// The version of a dependency with which this program was built.
pub fn locked_version(package: &str) -> String {
    let header = format!("name = \"{package}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    let entry = lock.split_once(&header).and_then(|(_, rest)| rest.split_once('"'));
    entry.map_or_else(|| "unknown".to_owned(), |(version, _)| version.to_owned())
}
