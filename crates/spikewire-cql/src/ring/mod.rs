//! Which nodes hold a partition.
//!
//! | module | what it holds |
//! |---|---|
//! | `strategy` | [`Strategy`]: how a keyspace is replicated |
//! | `nodes` | [`Ring`]: the nodes and their tokens |
//! | `replicas` | [`Replicas`]: a keyspace's replicas for every token, worked out in advance |

mod nodes;
mod replicas;
mod strategy;

pub use nodes::{Member, Ring};
pub use replicas::Replicas;
pub use strategy::{Factor, InvalidStrategy, Strategy};
