//! One node of the cluster.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spikewire_transport::metrics::Gauges;
use spikewire_transport::{Breaker, Encryption};

use super::Shards;
use crate::options::Options;

/// A node's identity, which it keeps when its address changes.
pub type HostId = [u8; 16];

/// A node: what connections are keyed by.
#[derive(Debug)]
pub struct Node {
    /// A number unique within the session and never used again: a node that comes back with
    /// another address gets a new one, so that connections of the former life are not mistaken.
    pub number: u32,
    /// Who it is.
    pub host_id: HostId,
    /// Where it is reached.
    pub address: SocketAddr,
    /// Its datacenter.
    pub datacenter: String,
    /// Its rack.
    pub rack: String,
    /// The server's version, as it says it.
    pub release: String,
    /// Keeps requests away when it fails too often.
    pub breaker: Breaker,
    /// Its connections.
    pub gauges: Gauges,
    /// How connections to it are encrypted.
    pub encryption: Option<Encryption>,
    /// What it says of its shards, if it is a server that has some.
    pub shards: Arc<Shards>,
    active: AtomicBool,
    /// Whether the cluster takes it for alive, as far as it said so.
    alive: AtomicBool,
    /// Whether it could be connected to, as far as that was tried.
    reachable: AtomicBool,
    /// Whether it has said nothing for so long that the answers that it owes are given up.
    lost: AtomicBool,
}

/// What the system tables say about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Who it is.
    pub host_id: HostId,
    /// Where it is reached.
    pub address: SocketAddr,
    /// Its datacenter.
    pub datacenter: String,
    /// Its rack.
    pub rack: String,
    /// The server's version.
    pub release: String,
    /// The schema that it has.
    pub schema_version: Option<[u8; 16]>,
    /// Where its ranges end.
    pub tokens: Vec<i64>,
}

impl Node {
    /// A node that was just found, which is taken for up.
    pub fn new(number: u32, of: &Description, options: &Options) -> Self {
        let breaker = Breaker::default();
        breaker.reset(options.max_error_rate);
        let shards = Shards::new(options.encryption.is_some(), options.shard_aware_port);
        Self {
            number,
            host_id: of.host_id,
            address: of.address,
            datacenter: of.datacenter.clone(),
            rack: of.rack.clone(),
            release: of.release.clone(),
            breaker,
            gauges: Gauges::default(),
            encryption: options.encryption.as_ref().map(|tls| tls.to_address(of.address.ip())),
            shards: Arc::new(shards),
            active: AtomicBool::new(true),
            alive: AtomicBool::new(true),
            reachable: AtomicBool::new(true),
            lost: AtomicBool::new(false),
        }
    }

    /// Its identity as servers write it: hexadecimal digits in groups.
    pub fn id(&self) -> String {
        let digits = format!("{:032x}", u128::from_be_bytes(self.host_id));
        let groups = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20]];
        format!("{}-{}", groups.join("-"), &digits[20..])
    }

    /// Whether it still is what was described.
    pub fn is_as(&self, of: &Description) -> bool {
        self.host_id == of.host_id
            && self.address == of.address
            && self.datacenter == of.datacenter
            && self.rack == of.rack
            && self.release == of.release
    }

    /// Whether it is part of the cluster; once false it stays so.
    pub fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Takes the node out; its connections are dropped.
    pub fn retire(&self) {
        self.active.store(false, Relaxed);
    }

    /// Whether it is thought to answer. One that is not is asked last.
    pub fn is_up(&self) -> bool {
        self.alive.load(Relaxed) && self.reachable.load(Relaxed)
    }

    /// Whether the answers that it owes are given up.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }

    /// Another node says whether it is alive.
    pub(super) fn set_alive(&self, alive: bool) {
        self.alive.store(alive, Relaxed);
    }

    /// It answers, or not.
    pub(super) fn set_reachable(&self, reachable: bool) {
        self.reachable.store(reachable, Relaxed);
        if reachable {
            self.lost.store(false, Relaxed);
        }
    }

    /// It does not answer, and has not for long.
    pub(super) fn lose(&self) {
        self.lost.store(true, Relaxed);
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.address)
    }
}
