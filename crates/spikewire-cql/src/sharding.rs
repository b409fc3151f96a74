//! Shards: Scylla divides a node into parts, one per processor core, and reports them in SUPPORTED.
//! Each connection leads to one of them.
//!
//! Source: Scylla's `docs/dev/protocol-extensions.md`, "Intranode sharding".

use crate::response::Supported;
use crate::token::{is_murmur3, shard_of};

/// The shard that a connection leads to, from 0.
const SHARD: &str = "SCYLLA_SHARD";
/// Number of shards of the node.
const SHARDS: &str = "SCYLLA_NR_SHARDS";
/// The partitioner class, which determines tokens.
const PARTITIONER: &str = "SCYLLA_PARTITIONER";
/// How a shard is computed from a token; only one algorithm exists.
const ALGORITHM: &str = "SCYLLA_SHARDING_ALGORITHM";
const BIASED: &str = "biased-token-round-robin";
/// How many of a token's most significant bits are ignored.
const IGNORED_BITS: &str = "SCYLLA_SHARDING_IGNORE_MSB";
/// Port on which the client chooses the shard: the connection's source port modulo the number of
/// shards.
const PORT: &str = "SCYLLA_SHARD_AWARE_PORT";
/// The same for encrypted connections.
const TLS_PORT: &str = "SCYLLA_SHARD_AWARE_PORT_SSL";

/// Maximum number of shards accepted: more than any machine has cores.
pub const MOST_SHARDS: u16 = 4096;

/// What a node reports about its shards on one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharding {
    /// The shard that the connection leads to.
    pub shard: u16,
    /// Number of shards.
    pub shards: u16,
    /// How many of a token's most significant bits are ignored.
    pub ignored_bits: u8,
    /// The port on which the client's source port chooses the shard.
    pub port: Option<u16>,
    /// The same for encrypted connections.
    pub tls_port: Option<u16>,
}

impl Sharding {
    /// What a server reports; `None` if it reports nothing, or nothing valid. Since any shard can
    /// answer any request, clients can do without.
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

    /// The same as options of a server, for its SUPPORTED.
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
