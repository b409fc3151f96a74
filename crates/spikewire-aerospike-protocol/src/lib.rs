//! The Aerospike wire protocol as pure code: bytes to meaning and back, no sockets, no threads.
//!
//! The client engine and the embedded server both stand on this crate and read it from opposite
//! sides, so every encoder has its decoder in the same file.
//!
//! | module | what it holds |
//! |---|---|
//! | [`frame`] | the 8-byte proto header in front of every message |
//! | [`auth`] | login and authenticate: the security messages and the password hash |
//! | [`manage`] | users and roles: the security messages that change and list them |
//! | [`host`] | seed hosts as people write them |
//! | [`info`] | the text protocol: requests, replies, errors |
//! | [`peers`], [`partition`], [`racks`] | the info values a cluster is described with |
//! | [`message`] | the binary message: header, fields, operations |
//! | [`request`] | composing a client request into a caller's buffer |
//! | [`batch`] | rows of many records in one request |
//! | [`query`] | scans and index queries: the request for a node's share, the records that stream back |
//! | [`void_time`] | when records expire: the wire's absolute seconds and a caller's TTL |
//! | [`key`], [`digests`] | user keys, digests of one and of many, partition ids |
//! | [`cdt`] | list and map operations |
//! | [`bits`], [`hll`] | bit operations on blobs, `HyperLogLog` operations |
//! | [`operation`] | all of these by name, from the arguments of any language |
//! | [`expression`] | filters and computed values, from text and to the wire |
//! | [`value`], [`particle`], [`msgpack`] | bin values, their types, and the field's `MessagePack` dialect |
//! | [`result_code`] | what the server's one-byte answers mean |
//! | [`limits`] | the sizes a server enforces |

#![forbid(unsafe_code)]

pub mod auth;
pub mod batch;
pub mod bits;
pub mod cdt;
pub mod digests;
pub mod expression;
pub mod frame;
pub mod hll;
pub mod host;
pub mod info;
pub mod key;
pub mod limits;
pub mod manage;
pub mod message;
pub mod msgpack;
mod one_block;
pub mod operation;
pub mod particle;
pub mod partition;
pub mod peers;
pub mod query;
pub mod racks;
pub mod request;
pub mod result_code;
pub mod value;
pub mod void_time;

/// Bytes that do not mean anything in this protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed {what}: {why}")]
pub struct Malformed {
    /// The thing that was being read, in the field's words.
    pub what: &'static str,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Malformed {
    /// Why something that runs on behind the last byte cannot be read.
    pub(crate) const CUT: &'static str = "runs past the message";

    /// Whether the bytes only end too early: with more of them it might be sound.
    pub fn is_cut(&self) -> bool {
        self.why == Self::CUT
    }

    /// Names what was being read and what is wrong with it.
    pub const fn new(what: &'static str, why: &'static str) -> Self {
        Self { what, why }
    }
}
