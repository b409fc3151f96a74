//! A node of the cluster.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use spikewire_cql::tablet::Tablet;
use spikewire_transport::metrics::{Gauges, Recent};
use spikewire_transport::ready::ReadyConnections;
use spikewire_transport::tls::Tls;
use spikewire_transport::{Breaker, Encryption, Health, Tick};

use crate::options::Options;
use crate::shards::Shards;

/// A node's id, which it keeps when its address changes.
pub type HostId = [u8; 16];

/// A node, by which connections are keyed.
#[derive(Debug)]
pub struct Node {
    /// A small number, unique among the nodes in use within the session. A node that returns with
    /// another address gets another one; its former one is free once nothing refers to the former
    /// node, so that its connections are not confused with new ones.
    pub number: u32,
    /// Its id.
    pub host_id: HostId,
    /// Its address.
    pub address: SocketAddr,
    /// Where it is reached: its address, or that of a proxy for all nodes.
    pub dial: SocketAddr,
    /// Its datacenter.
    pub datacenter: String,
    /// Its rack.
    pub rack: String,
    /// The server's version as it reports it.
    pub release: String,
    /// Its circuit breaker.
    pub breaker: Breaker,
    /// How well it answers.
    pub health: Health,
    /// Gauges of its connections.
    pub gauges: Gauges,
    /// Its connections that were opened ahead.
    pub ready: ReadyConnections,
    /// How connections to it are encrypted.
    pub encryption: Option<Encryption>,
    /// Its shards, if the server has some.
    pub shards: Arc<Shards>,
    /// Recent latencies of statements that have copies; created by the first of them.
    latencies: OnceLock<Box<Recent>>,
    active: AtomicBool,
    /// Whether the cluster considers it alive, as far as known.
    alive: AtomicBool,
    /// Whether it could be reached, if that was tried.
    reachable: AtomicBool,
    /// Whether it has been silent for so long that outstanding replies are given up.
    lost: AtomicBool,
}

/// What the system tables say about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Its id.
    pub host_id: HostId,
    /// Its address.
    pub address: SocketAddr,
    /// Where it is reached, if not there.
    pub proxy: Option<SocketAddr>,
    /// Its datacenter.
    pub datacenter: String,
    /// Its rack.
    pub rack: String,
    /// The server's version.
    pub release: String,
    /// Its schema version.
    pub schema_version: Option<[u8; 16]>,
    /// Its tokens: the ends of its ranges.
    pub tokens: Vec<i64>,
}

/// An id as servers write it.
fn text_of(host_id: &HostId) -> String {
    let digits = format!("{:032x}", u128::from_be_bytes(*host_id));
    let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20]];
    format!("{}-{}", groups.join("-"), &digits[20..])
}

/// How connections to a node are encrypted: a proxy knows the node by its id.
fn encryption(tls: &Tls, of: &Description) -> Encryption {
    let by_address = || tls.to_address(of.address.ip());
    match of.proxy {
        // An id is a valid name.
        Some(_) => tls.to_host(&text_of(&of.host_id)).unwrap_or_else(|_| by_address()),
        None => by_address(),
    }
}

impl Description {
    /// Where it is reached.
    fn dial(&self) -> SocketAddr {
        self.proxy.unwrap_or(self.address)
    }
}

impl Node {
    /// A newly found node, which is assumed to be up.
    pub fn new(number: u32, of: &Description, options: &Options) -> Self {
        let breaker = Breaker::default();
        breaker.reset(options.max_error_rate);
        let health = Health::new(options.slow_start);
        if !options.adaptive_limits {
            health.limiter().switch_off();
        }
        let shards = Shards::new(options.encryption.is_some(), options.shard_aware_port);
        Self {
            number,
            host_id: of.host_id,
            address: of.address,
            dial: of.dial(),
            datacenter: of.datacenter.clone(),
            rack: of.rack.clone(),
            release: of.release.clone(),
            breaker,
            health,
            gauges: Gauges::default(),
            ready: ReadyConnections::default(),
            encryption: options.encryption.as_ref().map(|tls| encryption(tls, of)),
            shards: Arc::new(shards),
            latencies: OnceLock::new(),
            active: AtomicBool::new(true),
            alive: AtomicBool::new(true),
            reachable: AtomicBool::new(true),
            lost: AtomicBool::new(false),
        }
    }

    /// The same node with another number, so that it has connections of its own.
    pub(super) fn again(&self, number: u32, options: &Options) -> Self {
        let description = Description {
            host_id: self.host_id,
            address: self.address,
            proxy: (self.dial != self.address).then_some(self.dial),
            datacenter: self.datacenter.clone(),
            rack: self.rack.clone(),
            release: self.release.clone(),
            schema_version: None,
            tokens: Vec::new(),
        };
        let node = Self::new(number, &description, options);
        node.alive.store(self.alive.load(Relaxed), Relaxed);
        node.reachable.store(self.reachable.load(Relaxed), Relaxed);
        node
    }

    /// Recent latencies of statements, as far as recorded.
    pub(crate) fn latencies(&self) -> &Recent {
        self.latencies.get_or_init(Box::default)
    }

    /// Its id as servers write it: hexadecimal digits in groups.
    pub fn id(&self) -> String {
        text_of(&self.host_id)
    }

    /// The shard that has a tablet's rows here; as for other rows if the tablet does not say.
    #[cold]
    pub(crate) fn shard_in(&self, tablet: &Tablet, token: i64) -> Option<u16> {
        let replica = tablet.replicas.iter().find(|(host, _)| *host == self.host_id);
        let shard = replica.map(|(_, shard)| *shard);
        shard.filter(|shard| *shard < self.shards.count()).or_else(|| self.shards.of(token))
    }

    /// Whether it still matches this description.
    pub fn is_as(&self, of: &Description) -> bool {
        self.host_id == of.host_id
            && self.address == of.address
            && self.dial == of.dial()
            && self.datacenter == of.datacenter
            && self.rack == of.rack
            && self.release == of.release
    }

    /// Whether it is part of the cluster; once `false`, it stays so.
    pub fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Retires the node; its connections are dropped.
    pub fn retire(&self) {
        self.active.store(false, Relaxed);
        self.ready.close(&self.gauges);
    }

    /// Whether it is believed to answer. Nodes that are not are asked last.
    pub fn is_up(&self) -> bool {
        self.alive.load(Relaxed) && self.reachable.load(Relaxed) && !self.health.is_suspected()
    }

    /// Whether outstanding replies are given up.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// Records whether another node says that it is alive.
    pub(super) fn set_alive(&self, alive: bool) {
        if !self.alive.swap(alive, Relaxed) && alive {
            self.returns();
        }
    }

    /// It is back, or new in the cluster: its share of the requests grows from now on.
    pub(super) fn returns(&self) {
        self.health.returns(Tick::now(), Duration::MAX);
    }

    /// Records whether it answers.
    pub(super) fn set_reachable(&self, reachable: bool) {
        let was_reachable = self.reachable.swap(reachable, Relaxed);
        if reachable {
            if !was_reachable {
                self.returns();
            }
            self.lost.store(false, Relaxed);
            self.health.answered_probe(Tick::now());
        } else {
            self.health.missed_probe();
        }
    }

    /// Records that it has not answered for long.
    pub(super) fn lose(&self) {
        self.lost.store(true, Relaxed);
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.address)
    }
}
