//! The cluster: its nodes, the ownership of partitions, and membership changes.
//!
//! | module | what it holds |
//! |---|---|
//! | [`placement`] | which nodes should own a partition |
//! | [`rebalance`] | moving partitions when nodes leave and return |
//! | [`transactions`] | the end of transactions that no client ends |
//! | [`nsup`] | the namespace supervisor: migrates partitions, removes expired and truncated records |

pub mod nsup;
pub mod placement;
pub mod rebalance;
pub mod transactions;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::nsup::Nsup;
use crate::background::BackgroundThread;
use crate::error::invalid;
use crate::faults::Faults;
use crate::index::list::IndexCreation;
use crate::net::listener::Port;
use crate::net::{Network, WorkerCommand};
use crate::options::Options;
use crate::state::ClusterState;
use crate::state::index_build::IndexBuild;
use crate::state::stats::{self, NodeStats};
use crate::tls::Tls;
use crate::tls::certificates::Certificates;

/// A running cluster. Dropping it stops every node and joins its threads.
#[derive(Debug)]
pub struct Cluster {
    state: Arc<ClusterState>,
    network: Network,
    nsup: Nsup,
    _background: BackgroundThread,
    _function_jobs: BackgroundThread,
}

impl Cluster {
    /// Starts the nodes, which accept connections when this returns.
    pub fn start(options: Options) -> io::Result<Self> {
        options.check()?;
        let tls = options.tls.as_ref().map(|tls| Tls::new(tls, options.bind)).transpose()?;
        let ports = Port::reserve(options.bind, options.port, options.nodes)?;
        let addresses = ports.iter().map(Port::address).collect();
        let state = Arc::new(ClusterState::new(options, tls, addresses)?);
        rebalance::first(&state);
        let network = Network::start(&state, ports)?;
        let nsup = Nsup::start(state.clone())?;
        let background = BackgroundThread::start(state.background.clone())?;
        let function_jobs = BackgroundThread::start(state.function_jobs.clone())?;
        for (at, namespace) in state.namespaces.iter().enumerate() {
            for set in &namespace.options.indexed_sets {
                if let Some(IndexCreation::New(index)) = namespace.index_set("", set) {
                    state.background.add(Box::new(IndexBuild::new(state.clone(), at, index)));
                }
            }
        }
        Ok(Self { state, network, nsup, _background: background, _function_jobs: function_jobs })
    }

    /// The address of every node, including dead ones.
    pub fn seeds(&self) -> Vec<SocketAddr> {
        self.state.nodes.iter().map(|node| node.address).collect()
    }

    /// The files for clients of a cluster with TLS. They are deleted with the cluster.
    pub fn certificates(&self) -> Option<&Certificates> {
        self.state.tls.as_ref().map(|tls| &tls.certificates)
    }

    /// The id of a node as shown in the protocol.
    pub fn node_name(&self, node: usize) -> io::Result<String> {
        Ok(self.state.node(node)?.name.clone())
    }

    /// Whether a node is alive.
    pub fn is_alive(&self, node: usize) -> io::Result<bool> {
        Ok(self.state.node(node)?.is_alive())
    }

    /// Kills a node: its connections are reset, its port refuses connections, its records are lost.
    /// The others take over its partitions at once and then copy them until every one has its
    /// replicas again. Killing a dead node does nothing.
    pub fn kill(&self, node: usize) -> io::Result<()> {
        let _alone = self.state.membership.lock();
        if !self.state.node(node)?.set_alive(false) {
            return Ok(());
        }
        self.network.command(|| WorkerCommand::Close(node))?;
        self.state.nodes[node].jobs.clear();
        rebalance::remove(&self.state, node);
        self.nsup.wake();
        Ok(())
    }

    /// Restarts a dead node: same port, no data. It owns nothing until its partitions have been
    /// copied to it, and from 8.2 on answers nothing at first ([`Options::sync_time`]). Restarting a live node does nothing.
    pub fn restart(&self, node: usize) -> io::Result<()> {
        let _alone = self.state.membership.lock();
        if !self.state.node(node)?.set_alive(true) {
            return Ok(());
        }
        self.state.revive(node);
        self.state.nodes[node].begin_sync(self.state.options.sync_time);
        rebalance::add(&self.state, node);
        self.network.command(|| WorkerCommand::Open(node))?;
        self.nsup.wake();
        Ok(())
    }

    /// Injects faults into a node, from the next request on.
    pub fn inject(&self, node: usize, faults: Faults) -> io::Result<()> {
        faults.check()?;
        self.state.node(node)?.set_faults(Some(faults));
        self.network.command(|| WorkerCommand::Faults(node))
    }

    /// Clears the faults of a node.
    pub fn clear_faults(&self, node: usize) -> io::Result<()> {
        self.state.node(node)?.set_faults(None);
        self.network.command(|| WorkerCommand::Faults(node))
    }

    /// Deletes all records of a set, or of a whole namespace.
    pub fn truncate(&self, namespace: &str, set: Option<&str>) -> io::Result<()> {
        let (_, namespace) = self
            .state
            .namespace(namespace.as_bytes())
            .ok_or_else(|| invalid(format!("no namespace {namespace:?} in this cluster")))?;
        namespace.truncate(set.map(str::as_bytes), self.state.clock.divide());
        self.state.must_free.store(true, std::sync::atomic::Ordering::Release);
        self.nsup.wake();
        Ok(())
    }

    /// Statistics of a node.
    pub fn stats(&self, node: usize) -> io::Result<NodeStats> {
        self.state.node(node)?;
        Ok(stats::of(&self.state, node))
    }

    /// Whether every partition has its intended owners.
    pub fn is_settled(&self) -> bool {
        self.state.remaining() == 0
    }

    /// Waits until the cluster is settled; returns whether it was within `limit`.
    pub fn wait_settled(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while !self.is_settled() {
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    /// Stops every node and joins the threads.
    pub fn stop(self) {}
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.state.is_stopping.store(true, std::sync::atomic::Ordering::Release);
        self.state.function_threads.close();
    }
}
