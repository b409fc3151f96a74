//! A sharded server, like Scylla.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spikewire_cql::dialect::{Extensions, TabletRouting};
use spikewire_cql::response::ServerError;
use spikewire_cql::response::error::{Code, Details, LimitedOperation};
use spikewire_cql::sharding::Sharding;
use spikewire_cql::tablet::Tablet;
use spikewire_sync::Mutex;

use crate::tablets::Tablets;

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
    /// Scylla's extensions that it offers. With any, it speaks version 4 only.
    pub extensions: Extensions,
    /// Whether the tablets that it names are on nodes that it does not list.
    pub has_strangers: bool,
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
        Self {
            shards,
            ignored_bits: 12,
            port: ShardAwarePort::Chooses,
            refusing,
            extensions: Extensions::default(),
            has_strangers: false,
            overrides,
        }
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
    tablets: Tablets,
    /// Whether each partition is used too often.
    is_limited: AtomicBool,
}

impl Shards {
    /// `port` is the port on which clients choose their shard.
    pub(crate) fn new(sharded: Sharded, port: Option<u16>) -> Self {
        let traffic = vec![Traffic::default(); usize::from(sharded.shards.max(1))];
        let (tablets, is_limited) = (Tablets::default(), AtomicBool::new(false));
        Self { sharded, port, traffic: Mutex::new(traffic), tablets, is_limited }
    }

    fn sharding(&self, shard: u16) -> Sharding {
        let Sharded { shards, ignored_bits, .. } = self.sharded;
        Sharding { shard, shards: shards.max(1), ignored_bits, port: self.port, tls_port: None }
    }

    /// The options sent to a connection to this shard.
    pub(crate) fn options(&self, shard: u16) -> Vec<(String, String)> {
        let truth = self.sharding(shard).options().into_iter();
        let truth = truth.chain(self.sharded.extensions.supported());
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
        let is_own = self.shard_of(token) == shard;
        let traffic = &mut self.traffic.lock()[usize::from(shard)];
        *if is_own { &mut traffic.own } else { &mut traffic.others } += 1;
    }

    /// The extensions that it offers.
    pub(crate) fn extensions(&self) -> Extensions {
        self.sharded.extensions
    }

    fn shard_of(&self, token: i64) -> u16 {
        match self.sharded.extensions.tablets {
            TabletRouting::None => self.sharding(0).shard_of(token),
            _ => self.tablets.shard(token, self.sharded.shards.max(1)),
        }
    }

    /// The tablet to name in the reply to a statement that came to this shard, on a connection with
    /// these extensions, with this block of the version that its client knows.
    pub(crate) fn tablet_for(
        &self,
        shard: u16,
        token: i64,
        extensions: &Extensions,
        block: Option<u8>,
    ) -> Option<Tablet> {
        let is_needed = match extensions.tablets {
            TabletRouting::None => false,
            TabletRouting::V1 => self.shard_of(token) != shard,
            TabletRouting::V2 => {
                block.is_none_or(|block| block != Tablet::block(self.tablets.version(), block >> 4))
            }
        };
        let Sharded { shards, has_strangers, .. } = self.sharded;
        let routing = extensions.tablets;
        is_needed.then(|| self.tablets.tablet(token, shards.max(1), routing, has_strangers))
    }

    /// Moves each tablet to the next shard.
    pub(crate) fn move_tablets(&self) {
        self.tablets.shift();
    }

    /// From now on, each partition is used too often, or not any more.
    pub(crate) fn limit(&self, is_limited: bool) {
        self.is_limited.store(is_limited, Relaxed);
    }

    /// The error of a statement while partitions are used too often. Reads are rejected by the
    /// coordinator, writes by replicas.
    pub(crate) fn check_limit(
        &self,
        writes: bool,
        extensions: &Extensions,
    ) -> Result<(), ServerError> {
        if !self.is_limited.load(Relaxed) {
            return Ok(());
        }
        let message = "Per-partition rate limit reached".to_owned();
        let operation = if writes { LimitedOperation::Write } else { LimitedOperation::Read };
        Err(match extensions.rate_limit {
            Some(number) => ServerError {
                code: Code::RateLimit(number),
                message,
                details: Details::RateLimit { operation, by_coordinator: !writes },
            },
            None => ServerError { code: Code::Config, message, details: Details::None },
        })
    }

    /// The traffic of each shard.
    pub(crate) fn traffic(&self) -> Vec<Traffic> {
        self.traffic.lock().clone()
    }
}
