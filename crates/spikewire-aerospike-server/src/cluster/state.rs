//! State shared by all threads of a cluster.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use spikewire_sync::{Mutex, RwLock};
use spikewire_udf::Library;

use super::background::BackgroundQueue;
use super::options::Options;
use super::user_agents::UserAgents;
use crate::command::counters::SharedCounters;
use crate::error::invalid;
use crate::hash::mix;
use crate::index::unknown::UnknownNamespaces;
use crate::job::list::Jobs;
use crate::net::faults::Faults;
use crate::security::Security;
use crate::security::sessions::Sessions;
use crate::storage::clock::Clock;
use crate::storage::namespace::Namespace;
use crate::tls::Tls;

/// One node.
#[derive(Debug)]
pub struct Node {
    /// Its id as shown in the protocol.
    pub name: String,
    /// Its address.
    pub address: SocketAddr,
    /// Its counters.
    pub counters: SharedCounters,
    /// User agents of its clients.
    pub user_agents: UserAgents,
    /// Its queries and background jobs.
    pub jobs: Jobs,
    /// Open client connections.
    pub connections: AtomicUsize,
    /// Client connections ever opened.
    pub connections_opened: AtomicU64,
    /// Increases on every change of ownership; -1 before the initial balance.
    pub partition_generation: AtomicI64,
    /// Increases when its list of peers changes.
    pub peers_generation: AtomicU64,
    /// Sessions of logged-in users.
    pub sessions: Sessions,
    alive: AtomicBool,
    faults: RwLock<Option<Arc<Faults>>>,
}

impl Node {
    fn new(at: usize, address: SocketAddr, nodes: usize) -> Self {
        let id = 0x0BB9_0000_0000_0000 | u64::from(address.port()) << 16 | (at as u64 + 1);
        Self {
            name: format!("{id:X}"),
            address,
            counters: SharedCounters::default(),
            user_agents: UserAgents::default(),
            jobs: Jobs::default(),
            connections: AtomicUsize::new(0),
            connections_opened: AtomicU64::new(0),
            partition_generation: AtomicI64::new(-1),
            peers_generation: AtomicU64::new(if nodes > 1 { nodes as u64 + 1 } else { 0 }),
            sessions: Sessions::default(),
            alive: AtomicBool::new(true),
            faults: RwLock::default(),
        }
    }

    /// Whether the node is alive.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Sets whether the node is alive; returns whether that changed anything.
    pub fn set_alive(&self, alive: bool) -> bool {
        self.alive.swap(alive, Ordering::AcqRel) != alive
    }

    /// Resets the node's counters.
    pub fn revive(&self) {
        self.peers_generation.store(0, Ordering::Release);
        self.jobs.clear();
        self.sessions.clear();
        self.set_faults(None);
    }

    /// The injected faults, if any.
    pub fn faults(&self) -> Option<Arc<Faults>> {
        self.faults.read().clone()
    }

    /// Sets the injected faults.
    pub fn set_faults(&self, faults: Option<Faults>) {
        *self.faults.write() = faults.map(Arc::new);
    }
}

/// A cluster's shared state.
#[derive(Debug)]
pub struct ClusterState {
    /// Its options.
    pub options: Options,
    /// Its users; `None` without security.
    pub security: Option<Security>,
    /// TLS, if enabled.
    pub tls: Option<Tls>,
    /// Its nodes, including dead ones.
    pub nodes: Vec<Node>,
    /// Its namespaces.
    pub namespaces: Vec<Namespace>,
    /// Indexes of unknown namespaces.
    pub unknown_namespaces: UnknownNamespaces,
    /// Its clock.
    pub clock: Clock,
    /// When it started.
    pub started: Instant,
    /// Increases with every change of membership.
    pub rebalances: AtomicU64,
    /// Approximate number of partitions without their intended owners, over all namespaces.
    pub migrations: AtomicUsize,
    /// The last rebalance after which every partition had its intended owners.
    pub settled: AtomicU64,
    /// Whether there are truncated records to free.
    pub must_free: AtomicBool,
    /// The registered user-defined functions.
    pub modules: RwLock<Arc<Library>>,
    /// The queue of background work.
    pub background: BackgroundQueue,
    /// Set when the cluster stops, which also ends running functions.
    pub is_stopping: AtomicBool,
    /// Held while a node is killed or restarted.
    pub membership: Mutex<()>,
}

impl ClusterState {
    /// The state of a cluster that owns nothing yet.
    pub fn new(options: Options, tls: Option<Tls>, addresses: Vec<SocketAddr>) -> Self {
        let count = addresses.len();
        Self {
            nodes: addresses
                .into_iter()
                .enumerate()
                .map(|(at, address)| Node::new(at, address, count))
                .collect(),
            tls,
            security: Security::new(&options),
            namespaces: options.namespaces.iter().cloned().map(Namespace::new).collect(),
            unknown_namespaces: UnknownNamespaces::default(),
            clock: Clock::default(),
            started: Instant::now(),
            rebalances: AtomicU64::new(0),
            migrations: AtomicUsize::new(0),
            settled: AtomicU64::new(0),
            must_free: AtomicBool::new(false),
            modules: RwLock::default(),
            background: BackgroundQueue::default(),
            is_stopping: AtomicBool::new(false),
            membership: Mutex::default(),
            options,
        }
    }

    /// A namespace by name, and its index.
    pub fn namespace(&self, name: &[u8]) -> Option<(usize, &Namespace)> {
        self.namespaces
            .iter()
            .enumerate()
            .find(|(_, namespace)| namespace.options.name.as_bytes() == name)
    }

    /// A node by number.
    pub fn node(&self, node: usize) -> io::Result<&Node> {
        self.nodes.get(node).ok_or_else(|| {
            invalid(format!("no node {node}: the cluster has nodes 0 to {}", self.nodes.len() - 1))
        })
    }

    /// The live nodes.
    pub fn alive(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|node| self.nodes[*node].is_alive()).collect()
    }

    /// Number of copies that a partition of this namespace can have now.
    pub fn factor(&self, namespace: &Namespace) -> usize {
        namespace.options.replication_factor.min(self.alive().len())
    }

    /// Number of partitions still to be moved: 0 if and only if there are none.
    pub fn remaining(&self) -> usize {
        let settled = self.settled.load(Ordering::Acquire);
        if settled == self.rebalances.load(Ordering::Acquire) {
            return 0;
        }
        self.migrations.load(Ordering::Acquire).max(1)
    }

    /// A number that identifies the current membership.
    pub fn cluster_key(&self) -> u64 {
        let rebalances = self.rebalances.load(Ordering::Acquire);
        let port = self.nodes.first().map_or(0, |node| node.address.port());
        mix(rebalances << 16 | u64::from(port)) >> 12 | 1
    }
}
