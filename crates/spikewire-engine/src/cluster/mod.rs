//! The cluster as a client sees it: who is there and who holds which partition.
//!
//! One background thread per client (the tender) looks at the nodes every tend interval and
//! publishes an immutable [`Snapshot`] behind an atomic pointer. Commands read it without a lock.

mod node;
mod snapshot;

pub use node::{Breaker, Node};
pub use snapshot::{NamespaceMap, Snapshot};
