//! Connections shared by many commands, for any database and any event loop.
//!
//! This crate contains no database code. Two small traits define what it needs from a database:
//! [`Protocol`] (where a frame ends, which command it answers, what it means, the handshake) and
//! [`Topology`] (which node a command goes to). Everything is generic over them and monomorphised.
//!
//! | module | contents |
//! |---|---|
//! | [`protocol`], [`topology`] | what a database provides |
//! | [`command`], [`policy`], [`attempts`] | a command, its limits, when it is retried, when a write is in doubt |
//! | `backoff` | pauses between attempts |
//! | `handler` | what the transport calls on a ticket before it is completed |
//! | `ticket_handle` | the ticket of a command, perhaps shared with a copy of the command or with other callers |
//! | [`shared_reads`] | what a client has to know to let identical reads share one request |
//! | [`multiplexer`], `connection`, `connection_table`, `shard_connections` | all connections of a driver; one of them; those of each node, and of its parts |
//! | [`blocking`] | calling threads that drive multiplexers |
//! | [`pipeline`] | a connection without its socket, used by every driver |
//! | [`dial`], [`shard_route`], [`wire`], [`tls`] | opening a connection; its addresses; its byte stream; encryption |
//! | [`open_ahead`], [`ready`] | opening connections before they are needed; where they wait |
//! | [`session`] | a connection for one thread: one request at a time, and events |
//! | [`driver`] | running on an event loop: writes, the timer, follow-up work, closing |
//! | [`native`] | a dedicated thread as the event loop |
//! | [`upkeep_tasks`] | periodic work on a client's background thread |
//! | [`descriptors`] | file descriptors that a forked child closes |
//! | [`permits`] | a limit on calls in flight, with a queue in front of it |
//! | [`breaker`] | the circuit breaker: keeps commands away from a node that fails too often |
//! | [`health`] | how long a node's replies take, and whether it is suspected to be mute |
//! | `waiting` | commands that wait for their turn, with two priorities |
//! | [`limiter`], [`retry_budget`] | how many commands a node gets at a time; how many retries a client sends |
//! | [`jitter`], `slow_start` | pauses that differ from client to client; the share of a node that is back |
//! | [`metrics`] | counters and latencies of commands, if enabled; rare events |
//! | [`fault`], [`reply`] | errors, worded the same way everywhere; a reply |
//! | [`resolve`] | name resolution with a time limit |
//! | [`buffer`], [`clock`] | reusable buffers; monotonic time |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
// The only unsafe code: a forked child closes the descriptors that it inherited.
#![deny(unsafe_code)]

pub mod attempts;
mod backoff;
pub mod blocking;
pub mod breaker;
pub mod buffer;
pub mod build;
pub mod clock;
pub mod command;
mod connection;
mod connection_table;
pub mod descriptors;
pub mod dial;
pub mod driver;
pub mod fault;
mod handler;
pub mod health;
pub mod jitter;
pub mod keys;
pub mod limiter;
#[cfg(all(test, loom))]
mod loom_tests;
pub mod metrics;
pub mod multiplexer;
pub mod native;
pub mod node_stats;
pub mod open_ahead;
pub mod permits;
pub mod pipeline;
pub mod policy;
pub mod protocol;
pub mod ready;
pub mod reply;
mod request_kind;
pub mod resolve;
pub mod retry_budget;
pub mod session;
mod shard_connections;
pub mod shard_route;
pub mod shared_reads;
mod slow_start;
mod socket;
mod ticket_handle;
pub mod tls;
pub mod topology;
pub mod upkeep_tasks;
mod waiting;
pub mod wire;

pub use attempts::{Attempts, Failure, ServerFailure, Verdict};
pub use backoff::Backoff;
pub use blocking::{BlockingPool, BlockingTicket, CallerLimits};
pub use breaker::Breaker;
pub use clock::{Span, Tick};
pub use command::{Command, ResponseHandler};
pub use driver::{EventLoop, LoopDriver};
pub use fault::{CLIENT_CLOSED, CommandError, Fault, FaultKind};
pub use health::Health;
pub use keys::OrderKey;
pub use limiter::{Limiter, LimiterStats};
pub use metrics::Metrics;
pub use multiplexer::{Multiplexer, Poller};
pub use policy::{CommandFlags, Policy, Priority, deadline};
pub use protocol::Protocol;
pub use reply::{Outcome, Reply};
pub use retry_budget::RetryBudget;
pub use session::{Session, SessionError};
pub use shard_route::{ShardRoute, SourcePort};
pub use shared_reads::{ShareReads, SharedReads};
pub use ticket_handle::TicketHandle;
pub use tls::Encryption;
pub use topology::Topology;
pub use upkeep_tasks::{UpkeepTask, UpkeepTasks};
