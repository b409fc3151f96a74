//! State shared by all threads of a cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`node`] | one node: its address, counters, jobs, faults |
//! | [`counters`] | counters of a thread and of a node |
//! | [`stats`] | what a node has done |
//! | [`user_agents`] | what a node's clients call themselves |
//! | [`index_build`] | filling an index from the records that are there, and emptying it |

pub mod counters;
pub mod index_build;
pub mod node;
pub mod stats;
pub mod user_agents;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use spikewire_sync::{Mutex, RwLock};
use spikewire_udf::Library;

use self::node::Node;
use crate::background::BackgroundQueue;
use crate::error::invalid;
use crate::function_threads::FunctionThreads;
use crate::hash::mix;
use crate::index::unknown_namespaces::UnknownNamespaces;
use crate::options::Options;
use crate::record::clock::Clock;
use crate::security::Security;
use crate::storage::namespace::Namespace;
use crate::tls::Tls;

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
    /// The queue of background jobs that call functions, which may hold up one another only.
    pub function_jobs: BackgroundQueue,
    /// The threads for functions that take long.
    pub function_threads: FunctionThreads,
    /// Set when the cluster stops, which also ends running functions.
    pub is_stopping: AtomicBool,
    /// Held while a node is killed or restarted.
    pub membership: Mutex<()>,
}

impl ClusterState {
    /// The state of a cluster that owns nothing yet.
    pub fn new(options: Options, tls: Option<Tls>, addresses: Vec<SocketAddr>) -> io::Result<Self> {
        let count = addresses.len();
        let builds = options.builds()?;
        Ok(Self {
            nodes: addresses
                .into_iter()
                .enumerate()
                .zip(builds)
                .map(|((at, address), build)| Node::new(at, address, count, build, options.edition))
                .collect(),
            tls,
            security: Security::new(
                &options.users,
                options.nodes,
                options.session_ttl,
                options.quotas,
            ),
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
            function_jobs: BackgroundQueue::default(),
            function_threads: FunctionThreads::default(),
            is_stopping: AtomicBool::new(false),
            membership: Mutex::default(),
            options,
        })
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

    /// Resets what a restarted node does not remember.
    pub fn revive(&self, node: usize) {
        self.nodes[node].revive();
        if let Some(security) = &self.security {
            security.end_sessions(node);
        }
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
