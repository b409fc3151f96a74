//! Cassandra: sessions, statements, rows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`] | a session: connecting, closing, information about the cluster |
//! | [`options`] | options of sessions |
//! | [`statement`] | prepared statements; options of an execution |
//! | [`verbs`] | `execute`, `page`, `prepare`, `batch` |
//! | [`bind`] | the values of a statement |
//! | [`job`], [`ticket`] | JavaScript's side of a statement's steps to its result; who receives it |
//! | [`rows`] | results |
//! | [`tables`] | tables as parameters |
//! | [`classes`] | classes of user-defined types |
//! | [`value`] | values, both ways |
//! | [`errors`] | errors |

mod bind;
mod classes;
mod errors;
mod job;
pub mod options;
pub mod questions;
pub mod rows;
pub mod session;
mod statement;
pub mod tables;
mod ticket;
pub mod value;
pub mod verbs;
