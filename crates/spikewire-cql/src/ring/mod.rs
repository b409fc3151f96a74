//! Which nodes hold a partition.
//!
//! | module | contents |
//! |---|---|
//! | `strategy` | [`Strategy`]: how a keyspace is replicated |
//! | `nodes` | [`Ring`]: the nodes and their tokens |
//! | `replicas` | [`Replicas`]: precomputed replicas of a keyspace, for every token |

mod nodes;
mod replicas;
mod strategy;

pub use nodes::{Member, Ring};
pub use replicas::Replicas;
pub use strategy::{Factor, InvalidStrategy, Strategy};
