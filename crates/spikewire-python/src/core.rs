//! A connected client: the cluster and the transports that both faces use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pyo3::prelude::*;

use spikewire_engine::cluster::Cluster;
use spikewire_engine::transport::{Batches, Lanes, Streams};
use spikewire_engine::{Error, Kind, Options};

use crate::errors;

/// Counts forks: connections and threads made before the latest one belong to the parent.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// How many forks lie between the first process and this one.
pub fn forks() -> u32 {
    FORKS.load(Relaxed)
}

/// Called in the child after a fork.
#[pyfunction]
pub fn _after_fork() {
    FORKS.fetch_add(1, Relaxed);
}

/// The running half of a client.
#[derive(Debug)]
pub struct Core {
    pub cluster: Arc<Cluster>,
    pub lanes: Arc<Lanes>,
    pub batches: Arc<Batches>,
    pub streams: Arc<Streams>,
    born: u32,
}

impl Core {
    /// Finds the cluster; blocks.
    pub fn open(options: Options) -> Result<Self, Error> {
        let cluster = Cluster::connect(options)?;
        let lanes = Lanes::new(cluster.clone());
        let batches = Batches::new(cluster.clone());
        let streams = Streams::new(cluster.clone());
        Ok(Self { cluster, lanes, batches, streams, born: forks() })
    }

    /// Whether this process is the one that opened it.
    pub fn is_own(&self) -> bool {
        self.born == forks()
    }

    /// Ends everything; callers that wait get an error.
    pub fn close(&self) {
        if self.is_own() {
            self.lanes.close();
            self.batches.close();
            self.streams.close();
            self.cluster.close();
        } else {
            self.cluster.abandon();
        }
    }
}

/// The error for a client that is not connected.
pub fn not_connected(py: Python<'_>, closed: bool) -> PyErr {
    let message = if closed {
        "the client is closed"
    } else {
        "the client is not connected yet: use `async with AsyncClient(...)` or \
         `await AsyncClient.connect(...)`"
    };
    errors::to_python(py, &Error::new(Kind::Closed, message), None)
}
