//! The drivers of an asynchronous client's connections.

use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::task::{Context, Poll};

use spikewire_sync::Mutex;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::Command;
use spikewire_aerospike::transport::{Aerospike, Next};
use spikewire_aerospike::{Error, Kind, Result};

use super::cell::Ticket;
use super::watch::{Watch, Watcher};
use crate::aerospike::query_plan::RunningQuery;
use crate::driving::Connections;

#[derive(Debug)]
pub(super) struct Transport {
    connections: Connections<Aerospike, Ticket>,
    /// A thread for queries, created for the first one that no runtime watches.
    watcher: Mutex<Option<Watcher>>,
}

impl Transport {
    pub fn native(cluster: &Arc<Cluster>, threads: usize) -> Result<Self> {
        let connections = Connections::native(cluster, threads)
            .map_err(|message| Error::new(Kind::Connection, message))?;
        Ok(Self { connections, watcher: Mutex::default() })
    }

    #[cfg(feature = "tokio")]
    pub fn tokio(cluster: &Arc<Cluster>) -> Result<Self> {
        let connections = Connections::tokio(cluster).map_err(Error::invalid)?;
        Ok(Self { connections, watcher: Mutex::default() })
    }

    /// Sends a command. Its ticket is completed in any case.
    pub fn submit(&self, command: Box<Command<Ticket>>) {
        self.connections.submit(command);
    }

    /// Sends the first commands of a batch. Its tickets are completed in any case.
    pub fn submit_all(&self, next: Next<Ticket>) {
        self.connections.submit_all(next);
    }

    /// Starts watching a query.
    pub fn drive(&self, reading: RunningQuery) -> Result<Driver> {
        match &self.connections {
            Connections::Native(_) => {
                let mut watcher = self.watcher.lock();
                let watch = match &*watcher {
                    Some(watcher) => watcher.watch(reading.as_raw_fd()),
                    None => Watcher::start()
                        .and_then(|started| watcher.insert(started).watch(reading.as_raw_fd())),
                };
                let watch = watch.map_err(|error| {
                    Error::new(Kind::Connection, format!("nothing to watch a query with: {error}"))
                })?;
                Ok(Driver::Native { watch, reading })
            }
            #[cfg(feature = "tokio")]
            Connections::Tokio(tasks) => {
                super::tokio::Driver::new(&tasks[0], reading).map(Driver::Tokio)
            }
        }
    }

    pub fn close(&self) {
        self.connections.close();
    }
}

/// A query, and the notification that records may have arrived.
#[derive(Debug)]
pub(super) enum Driver {
    Native {
        /// Dropped before the descriptor is closed.
        watch: Watch,
        reading: RunningQuery,
    },
    #[cfg(feature = "tokio")]
    Tokio(super::tokio::Driver),
}

impl Driver {
    pub fn reading(&mut self) -> &mut RunningQuery {
        match self {
            Self::Native { reading, .. } => reading,
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.reading(),
        }
    }

    pub fn as_reading(&self) -> &RunningQuery {
        match self {
            Self::Native { reading, .. } => reading,
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.as_reading(),
        }
    }

    /// Ready when it is time to check for records again.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self {
            Self::Native { watch, reading } => watch.poll(context, reading.patience()).map(Ok),
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.poll(context),
        }
    }
}
