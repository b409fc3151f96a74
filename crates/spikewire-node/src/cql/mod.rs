//! Cassandra: sessions, statements, rows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`] | a session: connecting, closing, information about the cluster |
//! | [`options`] | options of sessions |
//! | [`statement`] | prepared statements; options of an execution |
//! | [`verbs`] | `execute`, `page`, `prepare`, `batch` |
//! | [`bind`] | the values of a statement |
//! | [`job`], [`ticket`] | a statement from its first request to its result |
//! | [`rows`], [`shapes`] | results; their columns |
//! | [`classes`] | classes of user-defined types |
//! | [`value`] | values, both ways |
//! | [`errors`] | errors |
//! | [`hooks`] | JavaScript functions called from here |

mod bind;
mod classes;
pub mod errors;
pub mod hooks;
mod job;
mod options;
mod rows;
pub mod session;
pub mod shapes;
pub mod statement;
mod ticket;
mod value;
pub mod verbs;
