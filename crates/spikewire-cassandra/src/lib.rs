//! The Spikewire engine for Apache Cassandra, over connections that know no database.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`], [`authenticator`] | what a session is opened with |
//! | [`cluster`] | the control connection, nodes, tokens, who holds what |
//! | [`routing`] | which node a request goes to |
//! | [`connection`] | what Cassandra is to the crate `spikewire-transport`: all of its wall |
//! | [`session`], [`statement`] | composing requests; what is prepared |
//! | [`text`] | what the text of a statement tells |
//! | `memory` | what a session keeps between statements |
//! | [`execution`] | from a request to its answer, without I/O |
//! | [`speculation`] | copies of a statement to further nodes while no answer comes |
//! | [`many`] | how a call with many rows of parameters goes |
//! | [`ticket`] | a statement under way on a driver, with what waits for its answer |
//! | [`blocking`] | calling threads that send requests |
//! | [`error`] | what can go wrong |

#![forbid(unsafe_code)]

pub mod authenticator;
pub mod blocking;
pub mod cluster;
pub mod connection;
pub mod error;
pub mod execution;
pub mod many;
mod memory;
pub mod options;
pub mod routing;
pub mod session;
pub mod speculation;
pub mod statement;
pub mod text;
pub mod ticket;
mod timestamps;

pub use error::{Error, Kind, Result, SESSION_CLOSED};
pub use options::Options;
pub use session::Session;
