//! A connected client: the cluster, and the transports that the blocking and the asynchronous API
//! share.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::blocking::BlockingExecutor;
use spikewire_aerospike::transport::Streams;
use spikewire_aerospike::{Error, Options};
use spikewire_transport::{CLIENT_CLOSED, Fault, FaultKind};

use crate::bridge::background::BackgroundSlot;
use crate::bridge::errors::Raise as _;
use crate::bridge::forks::forks;
use crate::bridge::lifecycle::Running;

/// Name, address, version and features of a node.
pub type NodeParts<'py> = (String, String, String, Bound<'py, PyTuple>);

/// The core of a client.
#[derive(Debug)]
pub struct Core {
    pub cluster: Arc<Cluster>,
    pub blocking: BlockingExecutor,
    pub streams: Arc<Streams>,
    /// Sends submitted calls.
    pub submitter: BackgroundSlot,
    fork_generation: u32,
}

impl Core {
    /// Connects to the cluster. Blocks.
    pub fn open(options: Options) -> Result<Self, Error> {
        let cluster = spikewire_aerospike::connect(options)?;
        let blocking = BlockingExecutor::new(cluster.clone());
        let streams = Streams::new(cluster.clone());
        let submitter = BackgroundSlot::new();
        Ok(Self { cluster, blocking, streams, submitter, fork_generation: forks() })
    }

    /// Name, address, version and features of every node.
    pub fn nodes<'py>(&self, py: Python<'py>) -> PyResult<Vec<NodeParts<'py>>> {
        let snapshot = self.cluster.snapshot();
        let parts = |node: &Arc<Node>| {
            let features = PyTuple::new(py, node.features.names())?;
            Ok((node.name.clone(), node.address.to_string(), node.build.to_string(), features))
        };
        snapshot.nodes.iter().map(parts).collect()
    }
}

impl Running for Core {
    type Error = Error;

    const NOT_CONNECTED: &'static str = "the client is not connected yet: use `async with \
        AsyncClient(...)` or `await AsyncClient.connect(...)`, and call `super().__init__` in the \
        `__init__` of a subclass";

    const CLOSED: &'static str = CLIENT_CLOSED;

    fn is_own(&self) -> bool {
        self.fork_generation == forks()
    }

    fn close(&self) {
        if self.is_own() {
            self.blocking.close();
            self.submitter.end();
            self.cluster.close();
            // Last, because running queries return their connections until the cluster is closed.
            self.streams.close();
        } else {
            self.abandon();
        }
    }

    fn abandon(&self) {
        self.cluster.abandon();
    }
}

/// The error for a client that is gone together with its address.
pub fn closed(py: Python<'_>) -> PyErr {
    Error::from(Fault::new(FaultKind::Closed, CLIENT_CLOSED)).raise(py)
}
