//! The native protocol of Apache Cassandra, versions 4 and 5: encoding and decoding. No I/O, no
//! threads, no engine.
//!
//! | module | contents |
//! |---|---|
//! | [`notation`] | numbers, strings and byte sequences, of which everything else consists |
//! | [`types`] | the types of columns and bind markers |
//! | [`value`] | encoding and decoding of values |
//! | [`token`] | tokens of partition keys |
//! | [`ring`], [`sharding`] | which nodes hold a partition, and which shard of a node |
//! | [`tablet`] | parts of a table that move between nodes and shards |
//! | [`version`], [`dialect`] | the supported protocol versions, and extensions |
//! | [`envelope`] | the header of every message, and what may precede its body |
//! | [`sealing`] | how envelopes are wrapped: not at all, in compressed bodies, in segments |
//! | [`compression`] | compressed bodies of version 4 |
//! | [`segment`] | segments of version 5 |
//! | [`consistency`] | consistency levels |
//! | [`request`] | requests of a client |
//! | [`response`] | responses and events of a server |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod compression;
pub mod consistency;
pub mod dialect;
pub mod envelope;
pub mod notation;
pub mod request;
pub mod response;
pub mod ring;
pub mod sealing;
pub mod segment;
pub mod sharding;
pub mod tablet;
pub mod token;
pub mod types;
pub mod value;
pub mod version;
