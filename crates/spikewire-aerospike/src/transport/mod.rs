//! Connections shared by many commands, and their drivers.
//!
//! A server answers requests on a connection strictly in order, so commands queue on a connection
//! and their replies complete first in, first out. A [`Multiplexer`] manages all connections behind
//! one pollable descriptor and is owned by one thread at a time: a host's event loop, a [`native`]
//! thread, or calling threads ([`BlockingPool`]).
//!
//! Queries are different: each [`stream::Stream`] has its own connections while it runs.
//!
//! | module | what it holds |
//! |---|---|
//! | `aerospike` | what Aerospike is to the crate `spikewire-transport`: all of its wall |
//! | `about` | what a request is, to count it by |
//! | [`stream`], [`gather`] | queries and aggregations |
//! | `node_error` | what goes wrong with a node, in the same words for all |

mod about;
mod aerospike;
mod explain;
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

/// The outcome of a command: the reply, or why there is none.
pub type Outcome<'a> = spikewire_transport::Outcome<'a, Aerospike>;

/// Drives a multiplexer on an event loop.
pub type LoopDriver<T> = spikewire_transport::LoopDriver<Aerospike, T>;

/// The commands that follow an outcome.
pub type Next<T> = spikewire_transport::driver::Next<Aerospike, T>;

/// A dedicated thread that drives a multiplexer.
pub mod native {
    use crate::framing::Aerospike;

    pub use spikewire_transport::native::{Receiver, Ticket};

    /// A multiplexer on a thread of its own.
    pub type Native<T> = spikewire_transport::native::Native<Aerospike, T>;
}

/// Requests longer than this (in bytes) use separate connections, so that short commands never wait
/// behind them.
pub const LARGE: usize = 64 << 10;

/// The same applies to requests for more records than this. Smaller batches share connections as if
/// they were single-record commands, which saves a write and a read for each.
pub const MANY: usize = 64;
