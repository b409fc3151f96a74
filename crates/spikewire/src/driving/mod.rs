//! Parts of asynchronous clients that are independent of the database.
//!
//! | file | what it holds |
//! |---|---|
//! | `cell` | where the outcome of a command waits for its future |
//! | `connections` | what turns the connections: threads, or |
//! | `tokio` | a task on a tokio runtime |
//! | `thread` | something that blocks, on a thread of its own |

mod cell;
mod connections;
mod thread;
#[cfg(feature = "tokio")]
pub(crate) mod tokio;

pub(crate) use cell::Cell;
pub(crate) use connections::Connections;
pub(crate) use thread::on_a_thread;
