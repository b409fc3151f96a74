//! An embedded cluster for the Aerospike protocol: nodes in one process, for development, tests and
//! benchmarks.
//!
//! ```
//! use spikewire_aerospike_server::{Cluster, Options};
//!
//! let cluster = Cluster::start(Options { nodes: 3, ..Options::default() })?;
//! println!("connect to {:?}", cluster.seeds());
//! cluster.kill(1)?;
//! cluster.restart(1)?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Nodes own partitions as in a real cluster: a partition has a master and replicas on other nodes;
//! a killed node loses its memory, and the others copy the partitions it held. A write is applied
//! to all copies of a partition before it is acknowledged, so with two copies no acknowledged write
//! is lost when one node dies.
//!
//! | module | what it holds |
//! |---|---|
//! | [`cluster`] | membership, placement, migration |
//! | [`options`], `bounds` | what a cluster is started with |
//! | [`state`] | what all threads share: nodes, namespaces, counters |
//! | [`record`] | records, their bins, sets and times |
//! | [`storage`] | namespaces, partitions and their copies |
//! | [`value`] | which bin values are stored, and how |
//! | [`cdt`] | list and map operations |
//! | [`bits`], [`hll`], [`strings`] | bit operations on blobs, `HyperLogLog` operations, operations on strings |
//! | [`expression`] | filters, and values that are computed |
//! | [`outcome`] | what operations inside a bin hand back |
//! | [`reason`] | why a command fails, beyond its result code |
//! | [`turn`] | work that is done in slices |
//! | [`background`] | the thread that fills indexes and runs background jobs |
//! | [`function_threads`] | the threads for functions that take long |
//! | [`command`] | binary requests |
//! | [`index`] | secondary indexes |
//! | [`job`] | scans and queries as jobs of a node |
//! | [`info`] | text requests |
//! | [`security`] | users, and what they may do |
//! | [`tls`] | encrypted connections |
//! | [`net`] | sockets |
//! | [`faults`] | how a node can be made to misbehave |
//! | [`serve`] | the program's options |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod background;
pub mod bits;
mod bounds;
pub mod cdt;
pub mod cluster;
pub mod command;
mod error;
pub mod expression;
pub mod faults;
pub mod function_threads;
mod hash;
pub mod hll;
pub mod index;
pub mod info;
pub mod job;
pub mod net;
pub mod options;
pub mod outcome;
pub mod reason;
pub mod record;
pub mod security;
#[cfg(feature = "cli")]
pub mod serve;
pub mod state;
pub mod storage;
pub mod strings;
pub mod tls;
pub mod turn;
pub mod value;

pub use cluster::Cluster;
pub use faults::{Drip, Faults, Refuse};
pub use options::{Edition, Options};
pub use security::options::UserOptions;
pub use state::stats::NodeStats;
pub use storage::options::NamespaceOptions;
pub use tls::certificates::Certificates;
pub use tls::options::TlsOptions;
