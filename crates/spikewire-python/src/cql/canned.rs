//! A CQL server of canned replies, for the benchmark lab and `spikewire cassandra --canned`.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use spikewire_cql::dialect::{Extensions, TabletRouting};
use spikewire_cql::sharding::MOST_SHARDS;
use spikewire_cql_server::{Options, Server, ShardAwarePort, Sharded, Traffic};
use spikewire_sync::RwLock;

use crate::arguments::count;
use crate::bridge::forks::forks;
use crate::errors::value_error;

/// The maximum number of rows in a reply.
const MOST_ROWS: u64 = 1_000_000;

/// A running server; `spikewire.testing.cassandra.CannedServer` is built on it.
#[pyclass(frozen, subclass, module = "spikewire._native")]
pub struct CannedCore {
    server: RwLock<Option<Server>>,
    address: SocketAddr,
    fork_generation: u32,
}

impl CannedCore {
    /// In a forked child the server's threads do not exist, so there is nothing to stop.
    fn end(&self) {
        if self.fork_generation == forks() {
            let server = self.server.write().take();
            drop(server);
        }
    }

    /// Fails in a forked child, where a thread of the parent may hold the lock.
    fn check_process(&self) -> PyResult<()> {
        if self.fork_generation == forks() {
            return Ok(());
        }
        Err(PyOSError::new_err("the server belongs to the process that started it"))
    }
}

impl Drop for CannedCore {
    fn drop(&mut self) {
        let server = self.server.get_mut().take();
        if self.fork_generation != forks() {
            std::mem::forget(server);
        }
    }
}

/// The code of the server's error for partitions that are used too often.
const RATE_LIMIT: i32 = 0x4321;

/// Scylla's extensions, by their names in Python.
fn read_extensions(names: &[String]) -> PyResult<Extensions> {
    let mut extensions = Extensions::default();
    for name in names {
        match name.as_str() {
            "rate_limit" => extensions.rate_limit = Some(RATE_LIMIT),
            "metadata_id" => extensions.metadata_id = true,
            "tablets" => extensions.tablets = TabletRouting::V1,
            "tablets_v2" => extensions.tablets = TabletRouting::V2,
            other => {
                return Err(value_error(format!(
                    "extensions must be \"rate_limit\", \"metadata_id\", \"tablets\" or \
                     \"tablets_v2\", got {other:?}"
                )));
            }
        }
    }
    Ok(extensions)
}

#[pymethods]
impl CannedCore {
    #[new]
    #[pyo3(signature = (*, host, port, rows, shards, shard_aware_port, refusing, says, extensions))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        host: &str,
        port: &Bound<'_, PyAny>,
        rows: &Bound<'_, PyAny>,
        shards: &Bound<'_, PyAny>,
        shard_aware_port: Option<&str>,
        refusing: Vec<u16>,
        says: HashMap<String, String>,
        extensions: Vec<String>,
    ) -> PyResult<Self> {
        let address: IpAddr = host
            .parse()
            .map_err(|_| value_error(format!("host must be an IP address, got {host:?}")))?;
        let port = count("port", port, 0, 65_535)? as u16;
        let rows = count("rows", rows, 1, MOST_ROWS)? as usize;
        let shards = count("shards", shards, 0, MOST_SHARDS.into())? as u16;
        let way = match shard_aware_port {
            None => ShardAwarePort::None,
            Some("chooses") => ShardAwarePort::Chooses,
            Some("rewritten") => ShardAwarePort::Rewritten,
            Some(other) => {
                return Err(value_error(format!(
                    "shard_aware_port must be \"chooses\", \"rewritten\" or None, got {other:?}"
                )));
            }
        };
        let overrides = says.into_iter().collect();
        let extensions = read_extensions(&extensions)?;
        let sharded =
            Sharded { port: way, refusing, overrides, extensions, ..Sharded::new(shards) };
        let sharded = (shards > 0).then_some(sharded);
        let options = Options { address: SocketAddr::new(address, port), rows, sharded };
        let server = py.detach(|| Server::start(&options)).map_err(|error| {
            PyOSError::new_err(format!("could not listen on {}: {error}", options.address))
        })?;
        let address = server.address();
        Ok(Self { server: RwLock::new(Some(server)), address, fork_generation: forks() })
    }

    /// Host and port.
    fn _address(&self) -> String {
        self.address.to_string()
    }

    /// How many statements were answered; 0 once it is stopped.
    fn _served(&self) -> PyResult<u64> {
        self.check_process()?;
        Ok(self.server.read().as_ref().map_or(0, Server::served))
    }

    /// What has come to each shard: connections open and opened, statements about its rows and about
    /// those of others.
    fn _traffic(&self) -> PyResult<Vec<(u64, u64, u64, u64)>> {
        self.check_process()?;
        let traffic = self.server.read().as_ref().map(Server::traffic).unwrap_or_default();
        let each = traffic.into_iter();
        let counts = |Traffic { open, opened, own, others }| (open, opened, own, others);
        Ok(each.map(counts).collect())
    }

    /// Moves each tablet to the next shard.
    fn _move_tablets(&self) -> PyResult<()> {
        self.check_process()?;
        if let Some(server) = &*self.server.read() {
            server.move_tablets();
        }
        Ok(())
    }

    /// From now on, each partition is used too often, or not any more.
    fn _limit(&self, is_limited: bool) -> PyResult<()> {
        self.check_process()?;
        if let Some(server) = &*self.server.read() {
            server.limit(is_limited);
        }
        Ok(())
    }

    /// Ends it, and its connections.
    fn _stop(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}
