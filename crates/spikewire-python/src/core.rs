//! A connected client: the cluster and the transports that both faces use.

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::{fmt, io};

use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::blocking::BlockingExecutor;
use spikewire_aerospike::transport::Streams;
use spikewire_aerospike::{Error, Kind, Options};

use crate::errors;
use crate::forks::forks;

/// A thread that works for a client.
pub trait Background: Any + fmt::Debug + Send + Sync {
    /// Ends it; not to be called with the interpreter held.
    fn end(&self);
}

/// The running half of a client.
#[derive(Debug)]
pub struct Core {
    pub cluster: Arc<Cluster>,
    pub blocking: BlockingExecutor,
    pub streams: Arc<Streams>,
    /// Started when something is submitted for the first time.
    submitter: OnceLock<Box<dyn Background>>,
    starting: Mutex<()>,
    born: u32,
}

impl Core {
    /// Finds the cluster; blocks.
    pub fn open(options: Options) -> Result<Self, Error> {
        let cluster = Cluster::connect(options)?;
        let blocking = BlockingExecutor::new(cluster.clone());
        let streams = Streams::new(cluster.clone());
        let (submitter, starting) = (OnceLock::new(), Mutex::new(()));
        Ok(Self { cluster, blocking, streams, submitter, starting, born: forks() })
    }

    /// What sends submitted calls; `start` starts it, once.
    pub fn submitter<S: Background>(
        &self,
        start: impl FnOnce() -> io::Result<S>,
    ) -> io::Result<&S> {
        if self.submitter.get().is_none() {
            let _starting = self.starting.lock();
            if self.submitter.get().is_none() {
                // Nothing else sets it while `starting` is held.
                let _ = self.submitter.set(Box::new(start()?));
            }
        }
        let submitter = self.submitter.get().map(|started| &**started as &dyn Any);
        let known = submitter.and_then(|started| started.downcast_ref());
        known.ok_or_else(|| io::Error::other("it ended at once"))
    }

    /// Ends the thread of submitted calls; not to be called with the interpreter held.
    pub fn end_submitted(&self) {
        if let Some(submitter) = self.submitter.get()
            && self.is_own()
        {
            submitter.end();
        }
    }

    /// Name and address of every node.
    pub fn nodes(&self) -> Vec<(String, String)> {
        let snapshot = self.cluster.snapshot();
        snapshot.nodes.iter().map(|node| (node.name.clone(), node.address.to_string())).collect()
    }

    /// Whether this process is the one that opened it.
    pub fn is_own(&self) -> bool {
        self.born == forks()
    }

    /// Ends everything; callers that wait get an error.
    pub fn close(&self) {
        if self.is_own() {
            self.blocking.close();
            self.end_submitted();
            self.cluster.close();
            // Last, because what still runs gives its connections back until the cluster is closed.
            self.streams.close();
        } else {
            self.cluster.abandon();
        }
    }
}

impl Drop for Core {
    /// In the child of a fork there is no thread to end, and whatever it held stays as it was.
    fn drop(&mut self) {
        if !self.is_own() {
            std::mem::forget(self.submitter.take());
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
