//! The Spikewire engine for Apache Cassandra, on top of the database-independent transport.
//!
//! | module | contents |
//! |---|---|
//! | [`options`], [`authenticator`], [`address_translator`] | session options; the program's part in connections |
//! | `session_options` | the options by name, with their bounds |
//! | `url_scheme` | the options in URLs and environment variables |
//! | `framing` | envelopes and segments; the handshake: start-up, login, keyspace |
//! | `shards` | the shards of a node, and which of them a token belongs to |
//! | [`cluster`] | the control connection, nodes, tokens, replicas |
//! | [`routing`] | which node a request goes to |
//! | [`connection`] | Cassandra as a protocol of the crate `spikewire-transport` |
//! | [`session`], [`statement`] | composing requests; prepared statements |
//! | [`text`] | what a statement's text says about it |
//! | `memory` | a session's state between statements |
//! | [`execution`] | from a request to its answer, without I/O |
//! | [`statement_job`] | from a statement's arguments to its result: preparing, pages |
//! | [`speculation`] | copies of a statement, sent to further nodes if the answer is slow |
//! | [`many`] | options of calls with many rows of parameters |
//! | [`type_registry`] | what a host registered for the values of user-defined types |
//! | [`ticket`] | a statement in flight on a driver, with what waits for its answer |
//! | `timestamps` | timestamps of writes |
//! | [`blocking`] | calling threads that send requests |
//! | [`error`] | the error type |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod address_translator;
pub mod authenticator;
pub mod blocking;
pub mod bundle;
pub mod cluster;
pub mod connection;
pub mod error;
pub mod execution;
mod framing;
pub mod many;
mod memory;
pub mod options;
pub mod routing;
pub mod session;
mod session_options;
mod shards;
pub mod speculation;
pub mod statement;
pub mod statement_job;
pub mod text;
pub mod ticket;
mod timestamps;
pub mod type_registry;
mod url_scheme;

pub use error::{Error, Kind, Result, SESSION_CLOSED};
pub use options::Options;
pub use session::Session;
pub use session_options::SessionOptions;
pub use url_scheme::{URL_SCHEME, UrlChecks};
