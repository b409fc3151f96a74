//! A sharded server, like Scylla.

use spikewire_cql::sharding::Sharding;
use spikewire_sync::Mutex;

/// How a server is sharded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sharded {
    /// Number of shards.
    pub shards: u16,
    /// How many of a token's most significant bits are ignored.
    pub ignored_bits: u8,
    /// Whether there is a second port on which clients choose their shard.
    pub port: ShardAwarePort,
    /// Shards that close connections made over that port.
    pub refusing: Vec<u16>,
    /// Incorrect values in its SUPPORTED, by key.
    pub overrides: Vec<(String, String)>,
}

/// A port on which clients choose their shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardAwarePort {
    /// There is none.
    None,
    /// The source port of a connection chooses its shard.
    Chooses,
    /// The source port is ignored, as if something in between had rewritten it: connections get the
    /// shard that has the fewest.
    Rewritten,
}

impl Sharded {
    /// This many shards, with a port on which clients choose them.
    pub fn new(shards: u16) -> Self {
        let (refusing, overrides) = (Vec::new(), Vec::new());
        Self { shards, ignored_bits: 12, port: ShardAwarePort::Chooses, refusing, overrides }
    }
}

/// The traffic of a shard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Open connections.
    pub open: u64,
    /// Connections opened so far.
    pub opened: u64,
    /// Prepared statements executed for rows of this shard.
    pub own: u64,
    /// Prepared statements executed for rows of other shards.
    pub others: u64,
}

/// The shards of a running server.
#[derive(Debug)]
pub(crate) struct Shards {
    sharded: Sharded,
    port: Option<u16>,
    traffic: Mutex<Vec<Traffic>>,
}

impl Shards {
    /// `port` is the port on which clients choose their shard.
    pub(crate) fn new(sharded: Sharded, port: Option<u16>) -> Self {
        let traffic = vec![Traffic::default(); usize::from(sharded.shards.max(1))];
        Self { sharded, port, traffic: Mutex::new(traffic) }
    }

    fn sharding(&self, shard: u16) -> Sharding {
        let Sharded { shards, ignored_bits, .. } = self.sharded;
        Sharding { shard, shards: shards.max(1), ignored_bits, port: self.port, tls_port: None }
    }

    /// The options sent to a connection to this shard.
    pub(crate) fn options(&self, shard: u16) -> Vec<(String, String)> {
        let truth = self.sharding(shard).options().into_iter();
        let mut options: Vec<_> = truth.map(|(key, value)| (key.to_owned(), value)).collect();
        for (key, value) in &self.sharded.overrides {
            options.retain(|(known, _)| known != key);
            options.push((key.clone(), value.clone()));
        }
        options
    }

    /// The shard of a new connection; `from` is the client's source port, if that chooses. `None`
    /// if the shard refuses it.
    pub(crate) fn open(&self, from: Option<u16>) -> Option<u16> {
        let mut traffic = self.traffic.lock();
        let chosen = from.filter(|_| self.sharded.port == ShardAwarePort::Chooses);
        let shard = match chosen {
            Some(port) => usize::from(port) % traffic.len(),
            None => (0..traffic.len()).min_by_key(|shard| traffic[*shard].open).unwrap_or(0),
        };
        if from.is_some() && self.sharded.refusing.contains(&(shard as u16)) {
            return None;
        }
        traffic[shard].open += 1;
        traffic[shard].opened += 1;
        Some(shard as u16)
    }

    /// Records that a connection to a shard has ended.
    pub(crate) fn close(&self, shard: u16) {
        self.traffic.lock()[usize::from(shard)].open -= 1;
    }

    /// Counts a statement executed on a shard.
    pub(crate) fn count(&self, shard: u16, token: i64) {
        let is_own = self.sharding(shard).shard_of(token) == shard;
        let traffic = &mut self.traffic.lock()[usize::from(shard)];
        *if is_own { &mut traffic.own } else { &mut traffic.others } += 1;
    }

    /// The traffic of each shard.
    pub(crate) fn traffic(&self) -> Vec<Traffic> {
        self.traffic.lock().clone()
    }
}
