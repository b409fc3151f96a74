//! A connected client: the cluster and the transports that both faces use.

use std::io;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use spikewire_sync::Mutex;

use spikewire_engine::cluster::Cluster;
use spikewire_engine::transport::{Batches, Lanes, Streams};
use spikewire_engine::{Error, Kind, Options};

use crate::errors;
use crate::face::submitter::Submitter;
use crate::forks::forks;

/// The running half of a client.
#[derive(Debug)]
pub struct Core {
    pub cluster: Arc<Cluster>,
    pub lanes: Arc<Lanes>,
    pub batches: Arc<Batches>,
    pub streams: Arc<Streams>,
    /// Started when something is submitted for the first time.
    submitter: OnceLock<Submitter>,
    starting: Mutex<()>,
    born: u32,
}

impl Core {
    /// Finds the cluster; blocks.
    pub fn open(options: Options) -> Result<Self, Error> {
        let cluster = Cluster::connect(options)?;
        let lanes = Lanes::new(cluster.clone());
        let batches = Batches::new(cluster.clone());
        let streams = Streams::new(cluster.clone());
        let (submitter, starting) = (OnceLock::new(), Mutex::new(()));
        Ok(Self { cluster, lanes, batches, streams, submitter, starting, born: forks() })
    }

    /// What sends submitted calls, up to `limit` at once.
    pub fn submitter(&self, limit: usize) -> io::Result<&Submitter> {
        if let Some(submitter) = self.submitter.get() {
            return Ok(submitter);
        }
        let _starting = self.starting.lock();
        if self.submitter.get().is_none() {
            // Nobody else sets it while `starting` is held.
            let _ = self.submitter.set(Submitter::start(self.cluster.clone(), limit)?);
        }
        self.submitter.get().ok_or_else(|| io::Error::other("it ended at once"))
    }

    /// Ends the thread of submitted calls; not to be called with the interpreter held.
    pub fn end_submitted(&self) {
        if let Some(submitter) = self.submitter.get()
            && self.is_own()
        {
            submitter.close();
        }
    }

    /// Whether this process is the one that opened it.
    pub fn is_own(&self) -> bool {
        self.born == forks()
    }

    /// Ends everything; callers that wait get an error.
    pub fn close(&self) {
        if self.is_own() {
            self.lanes.close();
            self.end_submitted();
            self.cluster.close();
            // Last, because what still runs gives its connections back until the cluster is closed.
            self.batches.close();
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
