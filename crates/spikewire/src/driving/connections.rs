//! The drivers of an asynchronous client's connections.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spikewire_transport::driver::Next;
use spikewire_transport::native::{Native, Ticket};
use spikewire_transport::protocol::CommandOf;
use spikewire_transport::topology::Target as _;
use spikewire_transport::{LoopDriver, OrderKey, Protocol, ResponseHandler};

/// Drivers of connections.
#[derive(Debug)]
pub(crate) enum Connections<P: Protocol, T: ResponseHandler> {
    /// Background threads.
    Native(Box<[Native<P, T>]>),
    /// Tasks on a tokio runtime, at least one.
    #[cfg(feature = "tokio")]
    Tokio(Box<[super::tokio::Handle<P, T>]>),
}

impl<P: Protocol, T: Ticket<P>> Connections<P, T>
where
    LoopDriver<P, T>: Send + Sync,
{
    /// Starts this many threads; an error is a message.
    pub fn native(topology: &Arc<P::Topology>, threads: usize) -> Result<Self, String> {
        let start = |_| Native::start(topology.clone());
        let threads = (0..threads).map(start).collect::<std::io::Result<_>>();
        threads
            .map(Self::Native)
            .map_err(|error| format!("no thread to drive connections: {error}"))
    }

    /// Starts tasks on the current runtime; an error is a message.
    #[cfg(feature = "tokio")]
    pub fn tokio(topology: &Arc<P::Topology>) -> Result<Self, String>
    where
        P: 'static,
        P::Topology: Send + Sync,
    {
        super::tokio::start_all(topology).map(Self::Tokio)
    }

    /// Sends a command. The ticket is completed in any case: one that comes too late is dropped,
    /// which completes it.
    pub fn submit(&self, command: CommandOf<P, T>) {
        match self {
            Self::Native(threads) => {
                drop(of_this_command(threads, command.target.order()).submit(command));
            }
            #[cfg(feature = "tokio")]
            Self::Tokio(tasks) => of_this_command(tasks, command.target.order()).submit(command),
        }
    }

    /// Sends the first commands of a batch. Its tickets are completed in any case.
    pub fn submit_all(&self, next: Next<P, T>) {
        match self {
            Self::Native(threads) => drop(of_this_thread(threads).submit_all(next)),
            #[cfg(feature = "tokio")]
            Self::Tokio(tasks) => of_this_thread(tasks).submit_all(next),
        }
    }

    /// Fails all commands in flight and closes the connections.
    pub fn close(&self) {
        match self {
            Self::Native(threads) => threads.iter().for_each(Native::close),
            #[cfg(feature = "tokio")]
            Self::Tokio(tasks) => tasks.iter().for_each(super::tokio::Handle::close),
        }
    }
}

/// Commands about one record use one driver, which keeps their order.
fn of_this_command<D>(drivers: &[D], order: OrderKey) -> &D {
    match drivers {
        [only] => only,
        several => match order.share(several.len()) {
            Some(share) => &several[share],
            None => of_this_thread(several),
        },
    }
}

/// Of other commands, each thread uses one driver, so that consecutive ones are sent together.
fn of_this_thread<D>(drivers: &[D]) -> &D {
    match drivers {
        [only] => only,
        several => &several[own_number() % several.len()],
    }
}

/// A number for each thread.
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
