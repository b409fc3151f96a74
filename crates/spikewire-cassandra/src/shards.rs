//! The shards of a node, as its connections report them.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spikewire_cql::dialect::Extensions;
use spikewire_cql::sharding::Sharding;
use spikewire_cql::token::shard_of;
use spikewire_transport::{ShardRoute, SourcePort, Tick};

/// How long the shard-aware port is avoided after a connection over it failed or led to another
/// shard, as happens if something in between changes source ports.
const AVOIDED: Duration = Duration::from_secs(300);

/// A node's shards.
#[derive(Debug)]
pub struct Shards {
    /// The number of shards, the number of ignored bits of a token, and the port, packed. 0 if
    /// nothing is known, or there is only one shard.
    packed: AtomicU64,
    avoided_until: AtomicU64,
    /// Bits of a prepared statement's flags that say that it is conditional.
    lwt_mark: AtomicU32,
    /// Whether prepared statements have ids of their results' metadata.
    metadata_ids: AtomicBool,
    encrypted: bool,
    /// Whether its shard-aware port may be used.
    uses_port: bool,
}

impl Shards {
    /// The shards of a node that was not asked yet.
    pub fn new(encrypted: bool, uses_port: bool) -> Self {
        let (packed, avoided_until) = (AtomicU64::new(0), AtomicU64::new(0));
        let (lwt_mark, metadata_ids) = (AtomicU32::new(0), AtomicBool::new(false));
        Self { packed, avoided_until, lwt_mark, metadata_ids, encrypted, uses_port }
    }

    /// Records what a node reported on a connection, and the extensions that it uses.
    pub fn learn(&self, sharding: Option<Sharding>, extensions: &Extensions) {
        self.lwt_mark.store(extensions.lwt_mark.unwrap_or(0), Relaxed);
        self.metadata_ids.store(extensions.metadata_id, Relaxed);
        let packed = sharding.filter(|sharding| sharding.shards > 1).map_or(0, |sharding| {
            let port = if self.encrypted { sharding.tls_port } else { sharding.port };
            u64::from(sharding.shards)
                | u64::from(sharding.ignored_bits) << 16
                | u64::from(port.unwrap_or(0)) << 32
        });
        self.packed.store(packed, Relaxed);
    }

    /// The extensions that concern what its replies look like.
    pub fn extensions(&self) -> Extensions {
        let lwt_mark = Some(self.lwt_mark.load(Relaxed)).filter(|mask| *mask != 0);
        let metadata_id = self.metadata_ids.load(Relaxed);
        Extensions { lwt_mark, metadata_id, ..Extensions::default() }
    }

    /// How many there are; 0 if that is unknown or does not matter.
    #[inline]
    pub fn count(&self) -> u16 {
        self.packed.load(Relaxed) as u16
    }

    /// The shard that has the rows of a token.
    #[inline]
    pub fn of(&self, token: i64) -> Option<u16> {
        let packed = self.packed.load(Relaxed);
        if packed == 0 {
            return None;
        }
        Some(shard_of(token, u32::from(packed as u16), (packed >> 16) as u8) as u16)
    }

    /// The way to a shard of the node with this address.
    pub fn shard_route(&self, ip: IpAddr, shard: u16) -> Option<ShardRoute> {
        let packed = self.packed.load(Relaxed);
        let (divisor, port) = (packed as u16, (packed >> 32) as u16);
        let is_avoided = || Tick::now().0 < self.avoided_until.load(Relaxed);
        if port == 0 || shard >= divisor || !self.uses_port || is_avoided() {
            return None;
        }
        let from = SourcePort { divisor, remainder: shard };
        Some(ShardRoute { address: SocketAddr::new(ip, port), from })
    }

    /// Records that the port did not lead where it should.
    pub fn avoid_port(&self) {
        self.avoided_until.store(Tick::now().after(AVOIDED).0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARDING: Sharding =
        Sharding { shard: 1, shards: 4, ignored_bits: 12, port: Some(19_042), tls_port: None };

    #[test]
    fn shard_ports_are_used_until_one_leads_to_another_shard() {
        let ip = IpAddr::from([10, 0, 0, 1]);
        let shards = Shards::new(false, true);
        assert_eq!((shards.count(), shards.of(5), shards.shard_route(ip, 0)), (0, None, None));
        shards.learn(Some(SHARDING), &Extensions::default());
        assert_eq!((shards.count(), shards.of(-9_219_783_007_514_621_794)), (4, Some(3)));
        let from = SourcePort { divisor: 4, remainder: 2 };
        assert_eq!(
            shards.shard_route(ip, 2),
            Some(ShardRoute { address: (ip, 19_042).into(), from })
        );
        assert_eq!(shards.shard_route(ip, 4), None, "there is no such shard");
        shards.avoid_port();
        assert_eq!((shards.shard_route(ip, 2), shards.of(i64::MAX)), (None, Some(3)));
        // After an upgrade, for example.
        shards.learn(None, &Extensions::default());
        assert_eq!((shards.count(), shards.of(5)), (0, None));
    }

    #[test]
    fn a_shard_route_needs_a_port_of_the_same_encryption() {
        let ip = IpAddr::from([10, 0, 0, 1]);
        for (shards, sharding) in [
            (Shards::new(true, true), SHARDING),
            (Shards::new(false, false), SHARDING),
            (Shards::new(false, true), Sharding { port: None, tls_port: Some(1), ..SHARDING }),
        ] {
            shards.learn(Some(sharding), &Extensions::default());
            assert_eq!((shards.count(), shards.shard_route(ip, 1)), (4, None), "{shards:?}");
        }
        let encrypted = Shards::new(true, true);
        encrypted
            .learn(Some(Sharding { tls_port: Some(19_142), ..SHARDING }), &Extensions::default());
        assert_eq!(encrypted.shard_route(ip, 1).map(|route| route.address.port()), Some(19_142));
    }

    #[test]
    fn a_node_with_one_shard_is_not_sharded() {
        let shards = Shards::new(false, true);
        shards.learn(Some(Sharding { shard: 0, shards: 1, ..SHARDING }), &Extensions::default());
        assert_eq!((shards.count(), shards.of(5)), (0, None));
    }
}
