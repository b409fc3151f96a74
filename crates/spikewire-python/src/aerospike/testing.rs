//! The embedded cluster, for `spikewire.testing` and `spikewire serve`.

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_sync::RwLock;

use spikewire_aerospike_server::{Certificates, Cluster, Faults, Options};

use crate::arguments::{OptionArgument, seconds};
use crate::bridge::forks::forks;
use crate::errors::value_error;

/// A running embedded cluster; `spikewire.testing.Cluster` is built on it.
#[pyclass(frozen, subclass, module = "spikewire._native")]
pub struct ClusterCore {
    cluster: RwLock<Option<Cluster>>,
    addresses: Vec<String>,
    /// Paths of the authority, the client's certificate and its key, if there is TLS.
    certificates: Option<(PathBuf, PathBuf, PathBuf)>,
    fork_generation: u32,
}

impl ClusterCore {
    fn is_stopped(&self) -> bool {
        self.fork_generation == forks() && self.cluster.read().is_none()
    }

    /// Stops the cluster. In a forked child its threads do not exist, so there is nothing to stop,
    /// and a thread of the parent may hold the lock.
    fn end(&self) {
        if self.fork_generation == forks() {
            let cluster = self.cluster.write().take();
            drop(cluster);
        }
    }
}

impl Drop for ClusterCore {
    fn drop(&mut self) {
        let cluster = self.cluster.get_mut().take();
        if self.fork_generation != forks() {
            std::mem::forget(cluster);
        }
    }
}

impl ClusterCore {
    /// Runs detached from the interpreter, because migrations and joins take time.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Cluster) -> std::io::Result<R> + Send,
    ) -> PyResult<R> {
        // Its threads do not exist in a forked child, and one of them may hold the lock there.
        if self.fork_generation != forks() {
            return Err(PyOSError::new_err(
                "the embedded cluster belongs to the process that started it: in the child of a \
                 fork, clients can connect to it, but only the parent can change it or look into it",
            ));
        }
        py.detach(|| match &*self.cluster.read() {
            Some(cluster) => work(cluster).map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidInput => value_error(error.to_string()),
                _ => PyOSError::new_err(error.to_string()),
            }),
            None => Err(stopped()),
        })
    }
}

fn stopped() -> PyErr {
    PyOSError::new_err("the embedded cluster was stopped")
}

#[pymethods]
impl ClusterCore {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = match options {
            Some(options) => Options::read(&OptionArgument(options.clone().into_any()))?,
            None => Options::default(),
        };
        let cluster =
            py.detach(|| Cluster::start(options)).map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidInput => value_error(error.to_string()),
                _ => PyOSError::new_err(format!("could not start the embedded cluster: {error}")),
            })?;
        let addresses = cluster.seeds().iter().map(ToString::to_string).collect();
        let paths =
            |files: &Certificates| (files.ca.clone(), files.certificate.clone(), files.key.clone());
        let certificates = cluster.certificates().map(paths);
        let cluster = RwLock::new(Some(cluster));
        Ok(Self { cluster, addresses, certificates, fork_generation: forks() })
    }

    /// Whether it was stopped, by this process.
    fn _is_stopped(&self) -> bool {
        self.is_stopped()
    }

    /// Host and port of every node, dead ones included. A forked child can read them, too.
    fn _addresses(&self) -> PyResult<Vec<String>> {
        if self.is_stopped() { Err(stopped()) } else { Ok(self.addresses.clone()) }
    }

    /// Paths of the authority, the client's certificate and its key, if there is TLS.
    fn _certificates(&self) -> PyResult<Option<(PathBuf, PathBuf, PathBuf)>> {
        if self.is_stopped() { Err(stopped()) } else { Ok(self.certificates.clone()) }
    }

    fn _kill(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.kill(node))
    }

    fn _restart(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.restart(node))
    }

    fn _is_alive(&self, py: Python<'_>, node: usize) -> PyResult<bool> {
        self.with(py, |cluster| cluster.is_alive(node))
    }

    fn _node_name(&self, py: Python<'_>, node: usize) -> PyResult<String> {
        self.with(py, |cluster| cluster.node_name(node))
    }

    fn _truncate(&self, py: Python<'_>, namespace: &str, set: Option<&str>) -> PyResult<()> {
        self.with(py, |cluster| cluster.truncate(namespace, set))
    }

    /// Whether every partition has its owners within `limit` seconds.
    fn _wait_settled(&self, py: Python<'_>, limit: &Bound<'_, PyAny>) -> PyResult<bool> {
        let limit = seconds("timeout", limit)?;
        self.with(py, |cluster| Ok(cluster.wait_settled(limit)))
    }

    #[pyo3(signature = (node, **faults))]
    fn _inject(
        &self,
        py: Python<'_>,
        node: usize,
        faults: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let faults = match faults {
            Some(faults) => Faults::read(&OptionArgument(faults.clone().into_any()))?,
            None => Faults::default(),
        };
        self.with(py, |cluster| cluster.inject(node, faults))
    }

    fn _clear_faults(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.clear_faults(node))
    }

    /// Counters and sizes of a node.
    fn _stats<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.with(py, |cluster| cluster.stats(node))?;
        let dict = PyDict::new(py);
        dict.set_item("alive", stats.alive)?;
        dict.set_item("connections", stats.connections)?;
        dict.set_item("connections_opened", stats.connections_opened)?;
        dict.set_item("objects", stats.objects)?;
        dict.set_item("master_objects", stats.master_objects)?;
        dict.set_item("bytes", stats.bytes)?;
        dict.set_item("master_partitions", stats.master_partitions)?;
        dict.set_item("replica_partitions", stats.replica_partitions)?;
        dict.set_item("requests", stats.counters.requests)?;
        dict.set_item("compressed_requests", stats.counters.compressed_requests)?;
        dict.set_item("compressed_replies", stats.counters.compressed_replies)?;
        dict.set_item("master_commits", stats.counters.master_commits)?;
        Ok(dict)
    }

    /// Stops every node.
    fn _stop(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}
