//! What turns the connections of an asynchronous client.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spikewire_engine::cluster::Cluster;
use spikewire_engine::command::Command;
use spikewire_engine::transport::native::Native;
use spikewire_engine::{Error, Kind, Result};

use super::cell::Ticket;

#[derive(Debug)]
pub(super) enum Transport {
    /// Threads of our own.
    Native(Box<[Native<Ticket>]>),
    /// A task on a tokio runtime.
    #[cfg(feature = "tokio")]
    Tokio(super::tokio::Handle),
}

impl Transport {
    pub fn native(cluster: &Arc<Cluster>, threads: usize) -> Result<Self> {
        let start = |_| Native::start(cluster.clone());
        let threads = (0..threads).map(start).collect::<std::io::Result<_>>();
        threads.map(Self::Native).map_err(|error| {
            Error::new(Kind::Connection, format!("no thread to drive connections: {error}"))
        })
    }

    #[cfg(feature = "tokio")]
    pub fn tokio(cluster: &Arc<Cluster>) -> Result<Self> {
        super::tokio::start(cluster.clone()).map(Self::Tokio)
    }

    /// Sends a command. The ticket is completed in any case.
    pub fn submit(&self, command: Command<Ticket>) {
        match self {
            Self::Native(threads) => {
                let at = if threads.len() == 1 { 0 } else { own_number() % threads.len() };
                // A command that comes too late is dropped, which completes its ticket.
                drop(threads[at].submit(command));
            }
            #[cfg(feature = "tokio")]
            Self::Tokio(handle) => handle.submit(command),
        }
    }

    pub fn close(&self) {
        match self {
            Self::Native(threads) => threads.iter().for_each(Native::close),
            #[cfg(feature = "tokio")]
            Self::Tokio(handle) => handle.close(),
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
