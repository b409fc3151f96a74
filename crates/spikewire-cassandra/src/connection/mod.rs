//! Cassandra as a protocol of the transport.
//!
//! | file | contents |
//! |---|---|
//! | `about` | describes requests for the metrics |
//! | `protocol` | which request a reply answers and what it means; the topology |

mod about;
mod protocol;

use crate::routing::{Replica, Target};

pub use crate::framing::{Cassandra, Handshake};

/// A request in flight.
pub type Command<T> = spikewire_transport::Command<Target, Replica, T>;

/// All connections of one driver behind a single pollable descriptor.
pub type Multiplexer<T> = spikewire_transport::Multiplexer<Cassandra, T>;

/// The connections driven by calling threads.
pub type BlockingPool<T> = spikewire_transport::BlockingPool<Cassandra, T>;

/// A server's reply to one request.
pub type Reply<'a> = spikewire_transport::Reply<'a, Cassandra>;

/// How a request ended: its reply, or an error.
pub type Outcome<'a> = spikewire_transport::Outcome<'a, Cassandra>;

/// A multiplexer running on an event loop.
pub type LoopDriver<T> = spikewire_transport::LoopDriver<Cassandra, T>;

/// The follow-up work of an outcome.
pub type Next<T> = spikewire_transport::driver::Next<Cassandra, T>;
