//! The embedded clusters of an environment, by their handles.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use spikewire_server::Cluster;
use spikewire_sync::RwLock;

/// An embedded cluster until it is stopped. Work on other threads counts it, too.
#[derive(Debug)]
pub struct Held(RwLock<Option<Cluster>>);

impl Held {
    /// A running cluster.
    pub fn new(cluster: Cluster) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Some(cluster))))
    }

    /// Does something with the cluster, unless it was stopped.
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
pub struct Clusters(RefCell<Vec<Option<Arc<Held>>>>);

impl Clusters {
    /// Takes in a cluster; its handle, which no other cluster gets.
    pub fn add(&self, cluster: Arc<Held>) -> u32 {
        let mut clusters = self.0.borrow_mut();
        clusters.push(Some(cluster));
        clusters.len() as u32 - 1
    }

    /// The cluster of this handle, unless it was let go.
    pub fn get(&self, handle: u32) -> Option<Arc<Held>> {
        self.0.borrow().get(handle as usize).cloned().flatten()
    }

    /// Lets a cluster go.
    pub fn remove(&self, handle: u32) -> Option<Arc<Held>> {
        self.0.borrow_mut().get_mut(handle as usize).and_then(Option::take)
    }

    /// Stops all of them.
    pub fn end(&self) {
        let clusters = std::mem::take(&mut *self.0.borrow_mut());
        clusters.into_iter().flatten().for_each(|cluster| cluster.stop());
    }
}
