//! The Aerospike wire protocol: encoders and decoders without I/O or threads.
//!
//! The client engine and the embedded server use this crate from opposite sides, so every encoder
//! is in the same file as its decoder.
//!
//! | module | what it holds |
//! |---|---|
//! | [`frame`] | the 8-byte proto header in front of every message |
//! | [`compression`] | messages in compressed form |
//! | [`auth`] | login and authenticate: the security messages and the password hash |
//! | [`manage`] | users and roles: the security messages that change and list them |
//! | [`host`] | seed hosts as people write them |
//! | [`info`] | the text protocol: requests, replies, errors |
//! | [`peers`], [`partition`], [`racks`] | the info values a cluster is described with |
//! | [`message`] | the binary message: header, fields, operations |
//! | [`request`] | composing a client request into a caller's buffer |
//! | [`batch`] | rows of many records in one request |
//! | [`transaction`] | transactions: what commands carry, the monitor record, verifying and rolling |
//! | [`query`] | scans and index queries: the request for a node's share, the records that stream back |
//! | [`void_time`] | when records expire: the wire's absolute seconds and a caller's TTL |
//! | [`key`], [`digests`] | user keys, digests of one and of many, partition ids |
//! | [`cdt`] | list and map operations |
//! | [`bits`], [`hll`], [`strings`] | bit operations on blobs, `HyperLogLog` operations, operations on strings |
//! | [`operation`] | all of these by name, from the arguments of any language |
//! | [`features`] | what servers can do by their version, and what requests need |
//! | [`expression`] | filters and computed values, from text and to the wire |
//! | [`value`], [`particle`], [`msgpack`] | bin values, their types, and the field's `MessagePack` dialect; how hosts write and read theirs |
//! | [`Place`] | where in a bin or an argument a value is, for errors |
//! | [`result_code`] | what the server's one-byte answers mean |
//! | [`error_details`] | what servers say about a failure beyond that |
//! | [`limits`] | the sizes a server enforces |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod auth;
pub mod batch;
pub mod bits;
pub mod cdt;
pub mod compression;
pub mod digests;
mod encoding;
pub mod error_details;
pub mod expression;
mod fault;
pub mod features;
pub mod frame;
pub mod hll;
pub mod host;
pub mod info;
pub mod key;
pub mod limits;
pub mod manage;
pub mod message;
pub mod msgpack;
pub mod nesting;
mod one_block;
pub mod operation;
pub mod particle;
pub mod partition;
pub mod peers;
mod place;
pub mod query;
pub mod racks;
pub mod request;
pub mod result_code;
pub mod strings;
pub mod transaction;
pub mod value;
mod value_sink;
mod value_type;
pub mod void_time;

pub use place::Place;

/// Bytes that are not valid in this protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed {what}: {why}")]
pub struct Malformed {
    /// What was being decoded, in the terms of the protocol.
    pub what: &'static str,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Malformed {
    /// The reason given for truncated input.
    pub(crate) const CUT: &'static str = "runs past the message";

    /// Whether the input is merely truncated and might be valid with more bytes.
    pub fn is_cut(&self) -> bool {
        self.why == Self::CUT
    }

    /// An error with what was being decoded and what is wrong with it.
    pub const fn new(what: &'static str, why: &'static str) -> Self {
        Self { what, why }
    }
}
