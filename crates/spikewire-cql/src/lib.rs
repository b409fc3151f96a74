//! The native protocol of Apache Cassandra, versions 4 and 5: bytes to meaning and back. No I/O, no
//! threads, no engine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`notation`] | the numbers, strings and byte runs that everything else is made of |
//! | [`types`] | the types of columns and bind markers |
//! | [`value`] | values by their types |
//! | [`token`] | where a partition lies |
//! | [`ring`], [`sharding`] | which nodes hold it; on which shard of a node |
//! | [`version`] | the versions that are spoken here |
//! | [`envelope`] | the header of every message, and what may precede its body |
//! | [`sealing`] | what lies around envelopes: nothing, compressed bodies, segments |
//! | [`compression`] | compressed bodies of version 4 |
//! | [`segment`] | segments of version 5 |
//! | [`consistency`] | consistency levels |
//! | [`request`] | what a client asks |
//! | [`response`] | what a server answers, and says of its own accord |

#![forbid(unsafe_code)]

pub mod compression;
pub mod consistency;
pub mod envelope;
pub mod notation;
pub mod request;
pub mod response;
pub mod ring;
pub mod sealing;
pub mod segment;
pub mod sharding;
pub mod token;
pub mod types;
pub mod value;
pub mod version;
