//! The verbs, run by the calling thread, by an event loop, or by a background thread.
//!
//! | module | contents |
//! |---|---|
//! | [`classes`] | what all classes with verbs have in common |
//! | [`methods`] | their methods, generated from `tools/verbs` |
//! | [`blocking`] | the calling thread drives the connection |
//! | [`asynchronous`] | an event loop drives a multiplexer |
//! | [`submit`] | a background thread does, with a bounded number of calls in flight |
//! | [`transaction`] | transactions, and their end |
//! | [`ticket`] | what the last two complete: the future of a call, or a part of a batch |

pub mod asynchronous;
pub mod blocking;
mod classes;
mod methods;
pub mod submit;
mod ticket;
pub mod transaction;

use pyo3::prelude::*;

use self::asynchronous::Loops;
pub use self::classes::Verbs;
use crate::aerospike::client::Shared;
use crate::bridge::python_code;

/// Ends the clients that unpickled datasets brought along, and the threads of submitted calls;
/// called when the process exits.
#[pyfunction]
pub fn _at_exit(py: Python<'_>) -> PyResult<()> {
    blocking::end_submitted(py);
    classes::close_adopted::<Shared>(py)?;
    classes::close_adopted::<Loops>(py)?;
    python_code::finish(py);
    Ok(())
}
