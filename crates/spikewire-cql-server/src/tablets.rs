//! Tablets of a sharded server: equal parts of every table's ring, each on one shard, that move.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use spikewire_cql::dialect::TabletRouting;
use spikewire_cql::tablet::Tablet;

use crate::system::HOST;

/// Number of tablets of a table, as bits.
const BITS: u32 = 4;

/// Where the tablets are.
#[derive(Debug, Default)]
pub(crate) struct Tablets {
    /// How often they have moved.
    moves: AtomicU64,
}

impl Tablets {
    /// Moves each tablet to the next shard.
    pub(crate) fn shift(&self) {
        self.moves.fetch_add(1, Relaxed);
    }

    /// The shard of the tablet with a token.
    pub(crate) fn shard(&self, token: i64, shards: u16) -> u16 {
        ((number(token) + self.moves.load(Relaxed)) % u64::from(shards)) as u16
    }

    /// The tablet with a token. If it `has_strangers`, its replicas are on nodes that no client
    /// knows.
    pub(crate) fn tablet(
        &self,
        token: i64,
        shards: u16,
        routing: TabletRouting,
        has_strangers: bool,
    ) -> Tablet {
        let (number, size) = (number(token) as i64, 1_i64 << (64 - BITS));
        let last = i64::MIN.wrapping_add(size.wrapping_mul(number + 1)).wrapping_sub(1);
        let first = if number == 0 { i64::MIN } else { last.wrapping_sub(size) };
        let host = if has_strangers { [0xee; 16] } else { HOST };
        let version = (routing == TabletRouting::V2).then(|| self.version());
        Tablet { first, last, replicas: vec![(host, self.shard(token, shards))], version }
    }

    /// The version of all tablets: each of its blocks changes when they move.
    pub(crate) fn version(&self) -> u64 {
        ((self.moves.load(Relaxed) + 1) & 15) * 0x1111_1111_1111_1111
    }
}

/// The tablet with a token, from 0.
fn number(token: i64) -> u64 {
    (token as u64 ^ 1 << 63) >> (64 - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_is_in_its_tablet() {
        let tablets = Tablets::default();
        let size = 1_i64 << 60;
        for token in [i64::MIN + 1, -size - 1, -size, -1, 0, 1, size - 1, size, i64::MAX] {
            let tablet = tablets.tablet(token, 3, TabletRouting::V1, false);
            assert!(tablet.has(token), "{token}: {tablet:?}");
        }
        let before = tablets.tablet(5, 3, TabletRouting::V2, false);
        tablets.shift();
        let after = tablets.tablet(5, 3, TabletRouting::V2, false);
        assert_eq!((before.first, before.last), (after.first, after.last));
        assert_ne!(before.replicas, after.replicas);
        assert_ne!(before.version, after.version);
    }
}
