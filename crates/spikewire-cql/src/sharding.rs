//! Shards: Scylla divides a node into parts, one for each of its processors, and says so where it
//! says what it supports. A connection leads to one of them.
//!
//! The facts are those of Scylla's `docs/dev/protocol-extensions.md`, "Intranode sharding".

use crate::response::Supported;
use crate::token::{is_murmur3, shard_of};

/// The shard that a connection leads to, from 0 on.
const SHARD: &str = "SCYLLA_SHARD";
/// How many shards the node has.
const SHARDS: &str = "SCYLLA_NR_SHARDS";
/// The class that gives a partition its token.
const PARTITIONER: &str = "SCYLLA_PARTITIONER";
/// How a token gets its shard; there is one way.
const ALGORITHM: &str = "SCYLLA_SHARDING_ALGORITHM";
const BIASED: &str = "biased-token-round-robin";
/// How many of a token's highest bits count for nothing in that.
const IGNORED_BITS: &str = "SCYLLA_SHARDING_IGNORE_MSB";
/// Where the shard of a connection is chosen by the client: it is the port that the connection comes
/// from, modulo the number of shards.
const PORT: &str = "SCYLLA_SHARD_AWARE_PORT";
/// The same, for encrypted connections.
const TLS_PORT: &str = "SCYLLA_SHARD_AWARE_PORT_SSL";

/// The most shards that are believed: more than any machine has processors.
pub const MOST_SHARDS: u16 = 4096;

/// What a node says of its shards, on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharding {
    /// The one that the connection leads to.
    pub shard: u16,
    /// How many there are.
    pub shards: u16,
    /// How many of a token's highest bits count for nothing.
    pub ignored_bits: u8,
    /// Where the port of the client chooses the shard.
    pub port: Option<u16>,
    /// The same, encrypted.
    pub tls_port: Option<u16>,
}

impl Sharding {
    /// What a server says; `None` where it says nothing, or nothing that makes sense: any shard
    /// answers any request, so that one can do without.
    pub fn of(supported: &Supported<'_>) -> Option<Self> {
        let first = |key| supported.get(key).first().copied();
        let number = |key| first(key)?.parse::<u16>().ok();
        let is_known = is_murmur3(first(PARTITIONER)?) && first(ALGORITHM)? == BIASED;
        let (shard, shards, ignored_bits) =
            (number(SHARD)?, number(SHARDS)?, number(IGNORED_BITS)?);
        let makes_sense = shard < shards && shards <= MOST_SHARDS && ignored_bits < 64;
        let port = |key| number(key).filter(|port| *port > 0);
        (is_known && makes_sense).then_some(Self {
            shard,
            shards,
            ignored_bits: ignored_bits as u8,
            port: port(PORT),
            tls_port: port(TLS_PORT),
        })
    }

    /// The same as the options of a server, which belong into its SUPPORTED.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let mut options = vec![
            (SHARD, self.shard.to_string()),
            (SHARDS, self.shards.to_string()),
            (PARTITIONER, "org.apache.cassandra.dht.Murmur3Partitioner".to_owned()),
            (ALGORITHM, BIASED.to_owned()),
            (IGNORED_BITS, self.ignored_bits.to_string()),
        ];
        options.extend(self.port.map(|port| (PORT, port.to_string())));
        options.extend(self.tls_port.map(|port| (TLS_PORT, port.to_string())));
        options
    }

    /// The shard that has the rows of a token.
    pub fn shard_of(&self, token: i64) -> u16 {
        shard_of(token, self.shards.into(), self.ignored_bits) as u16
    }
}
