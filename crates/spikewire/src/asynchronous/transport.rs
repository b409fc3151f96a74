//! What turns the connections of an asynchronous client.

use std::cell::Cell;
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll};

use spikewire_sync::Mutex;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::Command;
use spikewire_aerospike::transport::Next;
use spikewire_aerospike::transport::native::Native;
use spikewire_aerospike::{Error, Kind, Result};

use super::cell::Ticket;
use super::watch::{Watch, Watcher};
use crate::query::records::Reading;

#[derive(Debug)]
pub(super) enum Transport {
    /// Threads of our own; and one more for queries, once there are any.
    Native(Box<[Native<Ticket>]>, Mutex<Option<Watcher>>),
    /// A task on a tokio runtime.
    #[cfg(feature = "tokio")]
    Tokio(super::tokio::Handle),
}

impl Transport {
    pub fn native(cluster: &Arc<Cluster>, threads: usize) -> Result<Self> {
        let start = |_| Native::start(cluster.clone());
        let threads = (0..threads).map(start).collect::<std::io::Result<_>>();
        threads.map(|threads| Self::Native(threads, Mutex::default())).map_err(|error| {
            Error::new(Kind::Connection, format!("no thread to drive connections: {error}"))
        })
    }

    #[cfg(feature = "tokio")]
    pub fn tokio(cluster: &Arc<Cluster>) -> Result<Self> {
        super::tokio::start(cluster.clone()).map(Self::Tokio)
    }

    /// Sends a command. The ticket is completed in any case.
    pub fn submit(&self, command: Box<Command<Ticket>>) {
        match self {
            Self::Native(threads, _) => {
                let at = if threads.len() == 1 { 0 } else { own_number() % threads.len() };
                // A command that comes too late is dropped, which completes its ticket.
                drop(threads[at].submit(command));
            }
            #[cfg(feature = "tokio")]
            Self::Tokio(handle) => handle.submit(command),
        }
    }

    /// Sends what a batch starts with. Its tickets are completed in any case.
    pub fn submit_all(&self, next: Next<Ticket>) {
        match self {
            Self::Native(threads, _) => {
                let at = if threads.len() == 1 { 0 } else { own_number() % threads.len() };
                drop(threads[at].submit_all(next));
            }
            #[cfg(feature = "tokio")]
            Self::Tokio(handle) => handle.submit_all(next),
        }
    }

    /// Begins to watch over a query.
    pub fn drive(&self, reading: Reading) -> Result<Driver> {
        match self {
            Self::Native(_, watcher) => {
                let mut watcher = watcher.lock();
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
            Self::Tokio(handle) => handle.drive(reading).map(Driver::Tokio),
        }
    }

    pub fn close(&self) {
        match self {
            Self::Native(threads, _) => threads.iter().for_each(Native::close),
            #[cfg(feature = "tokio")]
            Self::Tokio(handle) => handle.close(),
        }
    }
}

/// A query, and what tells when records of it may have come.
#[derive(Debug)]
pub(super) enum Driver {
    Native {
        /// Ends before the descriptor does.
        watch: Watch,
        reading: Reading,
    },
    #[cfg(feature = "tokio")]
    Tokio(super::tokio::Driver),
}

impl Driver {
    pub fn reading(&mut self) -> &mut Reading {
        match self {
            Self::Native { reading, .. } => reading,
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.reading(),
        }
    }

    pub fn as_reading(&self) -> &Reading {
        match self {
            Self::Native { reading, .. } => reading,
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.as_reading(),
        }
    }

    /// Ready when it is time to look for records again.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self {
            Self::Native { watch, reading } => watch.poll(context, reading.patience()).map(Ok),
            #[cfg(feature = "tokio")]
            Self::Tokio(driver) => driver.poll(context),
        }
    }
}

/// Numbers threads: each keeps to one driver, so that what it submits in a row is sent together.
fn own_number() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
    }
    NUMBER.with(|number| {
        number.get().unwrap_or_else(|| {
            let next = THREADS.fetch_add(1, Relaxed);
            number.set(Some(next));
            next
        })
    })
}
