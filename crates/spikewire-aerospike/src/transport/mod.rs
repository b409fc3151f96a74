//! Connections that many commands share, and what turns them.
//!
//! A server answers a connection's requests strictly in order, so commands queue on a connection
//! and their replies complete first in, first out. That is a [`Multiplexer`]: every connection
//! behind one pollable descriptor, owned by one thread at a time. A foreign event loop turns it, a
//! [`native`] thread does, or calling threads do ([`BlockingPool`]).
//!
//! Queries are different: each [`stream::Stream`] has connections of its own for as long as it lasts.
//!
//! | module | what it holds |
//! |---|---|
//! | `aerospike` | what Aerospike is to the crate `spikewire-transport`: all of its wall |
//! | `about` | what a request is, to count it by |
//! | [`stream`], [`gather`] | queries and aggregations |
//! | `node_error` | what goes wrong with a node, in the same words for all |

mod about;
mod aerospike;
pub mod gather;
mod node_error;
pub mod stream;

pub use crate::framing::Aerospike;
pub use spikewire_transport::driver::EventLoop;
pub use spikewire_transport::{Poller, ResponseHandler, buffer, permits};
pub use stream::{Stream, Streams};

/// Every connection of one driver behind one pollable descriptor.
pub type Multiplexer<T> = spikewire_transport::Multiplexer<Aerospike, T>;

/// The connections that calling threads drive.
pub type BlockingPool<T> = spikewire_transport::BlockingPool<Aerospike, T>;

/// A server's reply to one command.
pub type Reply<'a> = spikewire_transport::Reply<'a, Aerospike>;

/// How a command ended: the reply, or why there is none.
pub type Outcome<'a> = spikewire_transport::Outcome<'a, Aerospike>;

/// What it takes to turn them on an event loop.
pub type LoopDriver<T> = spikewire_transport::LoopDriver<Aerospike, T>;

/// What an outcome leads to.
pub type Next<T> = spikewire_transport::driver::Next<Aerospike, T>;

/// A thread that turns them.
pub mod native {
    use crate::framing::Aerospike;

    pub use spikewire_transport::native::{Receiver, Ticket};

    /// A multiplexer on a thread of its own.
    pub type Native<T> = spikewire_transport::native::Native<Aerospike, T>;
}

/// Requests longer than this (bytes) travel on connections of their own, so that short commands
/// never wait behind them.
pub const LARGE: usize = 64 << 10;

/// The same holds for requests about more records than this. Smaller batches share connections as
/// so many commands on one record would: that saves a write and a read for each of them.
pub const MANY: usize = 64;

/// What an info request weighs: more than anything about records, so that it is told apart and has
/// a connection to itself.
pub(crate) const INFO_WEIGHT: usize = u32::MAX as usize;

/// The same for a request about users and roles.
pub(crate) const SECURITY_WEIGHT: usize = INFO_WEIGHT - 1;

/// The same for a message to one node, such as the start of a background job.
pub(crate) const MESSAGE_WEIGHT: usize = INFO_WEIGHT - 2;
