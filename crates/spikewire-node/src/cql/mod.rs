//! Cassandra: sessions, statements, rows.
//!
//! | module | what it holds |
//! |---|---|
//! | [`session`] | a session: connecting, closing, what it knows |
//! | [`options`] | what it is opened with |
//! | [`statement`] | prepared statements; what is said about one execution |
//! | [`verbs`] | `execute`, `page`, `prepare`, `batch` |
//! | [`bind`] | the values of a statement |
//! | [`job`], [`ticket`] | a statement from its first request to its result |
//! | [`rows`], [`shapes`] | what rows become; the columns that they have |
//! | [`classes`] | what values of user-defined types become |
//! | [`value`] | values, both ways |
//! | [`errors`] | what goes wrong |
//! | [`hooks`] | the package's functions that are called |

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
