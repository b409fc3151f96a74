//! What Cassandra is to connections.
//!
//! | file | what it holds |
//! |---|---|
//! | `about` | what a request is, to count it by |
//! | `framing` | envelopes and segments; the handshake: start-up, login, keyspace |
//! | `protocol` | which request a reply answers, what it means to it; the nodes |

mod about;
mod framing;
mod protocol;

use crate::routing::{Replica, Target};

pub use framing::{Cassandra, Handshake};
pub(crate) use framing::{Refusal, plain_query};

/// A request on its way.
pub type Command<T> = spikewire_transport::Command<Target, Replica, T>;

/// Every connection of one driver behind one pollable descriptor.
pub type Multiplexer<T> = spikewire_transport::Multiplexer<Cassandra, T>;

/// The connections that calling threads drive.
pub type BlockingPool<T> = spikewire_transport::BlockingPool<Cassandra, T>;

/// A server's reply to one request.
pub type Reply<'a> = spikewire_transport::Reply<'a, Cassandra>;

/// How a request ended: the reply, or why there is none.
pub type Outcome<'a> = spikewire_transport::Outcome<'a, Cassandra>;

/// What it takes to turn them on an event loop.
pub type LoopDriver<T> = spikewire_transport::LoopDriver<Cassandra, T>;

/// What an outcome leads to.
pub type Next<T> = spikewire_transport::driver::Next<Cassandra, T>;
