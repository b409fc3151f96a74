//! The embedded clusters of an environment, by handle.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use spikewire_aerospike_server::Cluster;
use spikewire_sync::RwLock;

/// An embedded cluster until it is stopped. Work on other threads holds references, too.
#[derive(Debug)]
pub struct EmbeddedCluster(RwLock<Option<Cluster>>);

impl EmbeddedCluster {
    /// A running cluster.
    pub fn new(cluster: Cluster) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Some(cluster))))
    }

    /// Calls `work` with the cluster; fails if it was stopped.
    pub fn with<R>(&self, work: impl FnOnce(&Cluster) -> io::Result<R>) -> io::Result<R> {
        match &*self.0.read() {
            Some(cluster) => work(cluster),
            None => Err(io::Error::other("the embedded cluster was stopped")),
        }
    }

    /// Stops every node and waits for their threads.
    pub fn stop(&self) {
        let cluster = self.0.write().take();
        drop(cluster);
    }
}

/// The embedded clusters of an environment.
#[derive(Debug, Default)]
pub struct Clusters(RefCell<Vec<Option<Arc<EmbeddedCluster>>>>);

impl Clusters {
    /// Adds a cluster and returns its handle, which is never reused.
    pub fn add(&self, cluster: Arc<EmbeddedCluster>) -> u32 {
        let mut clusters = self.0.borrow_mut();
        clusters.push(Some(cluster));
        clusters.len() as u32 - 1
    }

    /// The cluster with this handle, unless it was removed.
    pub fn get(&self, handle: u32) -> Option<Arc<EmbeddedCluster>> {
        self.0.borrow().get(handle as usize).cloned().flatten()
    }

    /// Removes a cluster.
    pub fn remove(&self, handle: u32) -> Option<Arc<EmbeddedCluster>> {
        self.0.borrow_mut().get_mut(handle as usize).and_then(Option::take)
    }

    /// Stops all clusters.
    pub fn end(&self) {
        let clusters = std::mem::take(&mut *self.0.borrow_mut());
        clusters.into_iter().flatten().for_each(|cluster| cluster.stop());
    }
}
