//! Connections that many commands share, for any database and any event loop.
//!
//! This crate knows no database. Two small traits define what it needs from one: a
//! [`Protocol`] (where a frame ends, which command it answers, what it means, how a connection is
//! greeted) and a [`Topology`] (which node a command goes to). Everything is generic over them and
//! monomorphised.
//!
//! | module | what it holds |
//! |---|---|
//! | [`protocol`], [`topology`] | what a database provides |
//! | [`command`], [`policy`], [`attempts`] | a command, its limits, when it is tried again, what is in doubt |
//! | `backoff` | the pauses between attempts |
//! | `handler` | what a ticket is asked before the end |
//! | `carried` | the ticket of a command, shared with a copy of it where it has one |
//! | [`multiplexer`], `connection`, `placement`, `lanes` | all connections of a driver, one of them, which one a command takes |
//! | [`blocking`] | calling threads that turn multiplexers |
//! | [`pipeline`], `in_flight`, [`inbound`] | one connection without its socket: for every driver |
//! | [`dial`], [`way`], [`wire`], [`tls`] | how a connection is opened, where to and from where; its byte stream; encryption |
//! | [`session`] | a connection for one thread: questions one by one, and events |
//! | [`driver`] | riding an event loop: when to write, the timer, what outcomes lead to, closing |
//! | [`native`] | a thread that does so |
//! | [`janitors`] | what is due now and then on a client's background thread |
//! | [`descriptors`] | what a forked child closes |
//! | [`permits`] | a bound on the calls in flight, and the line in front of it |
//! | [`breaker`] | keeps commands away from a node that fails too often |
//! | [`metrics`] | what commands came to, while that is asked for; what happens seldom |
//! | [`fault`], [`reply`] | what goes wrong, in the same words for all; one answer |
//! | [`resolve`] | host names, without waiting for the resolver longer than that |
//! | [`buffer`], [`clock`] | buffers that are used again; monotonic time |

// One place is unsafe: a forked child closes the descriptors that it inherited.
#![deny(unsafe_code)]

pub mod attempts;
mod backoff;
pub mod blocking;
pub mod breaker;
pub mod buffer;
mod carried;
pub mod clock;
pub mod command;
mod connection;
pub mod descriptors;
pub mod dial;
pub mod driver;
pub mod fault;
mod handler;
mod in_flight;
pub mod inbound;
pub mod janitors;
mod lanes;
pub mod metrics;
pub mod multiplexer;
pub mod native;
pub mod permits;
pub mod pipeline;
mod placement;
pub mod policy;
pub mod protocol;
pub mod reply;
pub mod resolve;
pub mod session;
mod socket;
pub mod tls;
pub mod topology;
pub mod way;
pub mod wire;

pub use attempts::{Attempts, Failure, Refusal, Verdict};
pub use backoff::Backoff;
pub use blocking::{BlockingPool, BlockingTicket, CallerLimits};
pub use breaker::Breaker;
pub use carried::Carried;
pub use clock::{Span, Tick};
pub use command::{Command, ResponseHandler};
pub use driver::{EventLoop, LoopDriver};
pub use fault::{CLIENT_CLOSED, CommandError, Fault, FaultKind};
pub use janitors::{Janitor, Janitors};
pub use metrics::Metrics;
pub use multiplexer::{Multiplexer, Poller};
pub use policy::{Policy, deadline};
pub use protocol::Protocol;
pub use reply::{Outcome, Reply};
pub use session::{Session, SessionError};
pub use tls::Encryption;
pub use topology::Topology;
pub use way::{SourcePort, Way};
