//! What asynchronous clients have in common, whatever the database.
//!
//! | module | contents |
//! |---|---|
//! | `cell` | stores the outcome of a command for its future |
//! | `connections` | what drives the connections: threads, or |
//! | `tokio` | tasks on a tokio runtime |
//! | `thread` | blocking work in a thread of its own |

mod cell;
mod connections;
mod thread;
#[cfg(feature = "tokio")]
pub(crate) mod tokio;

pub(crate) use cell::Cell;
pub(crate) use connections::Connections;
pub(crate) use thread::on_a_thread;
