//! Scans and index queries: an object that runs lazily and is read at the caller's pace.
//!
//! | module | contents |
//! |---|---|
//! | `plan` | the keywords, and the request built from them |
//! | `index` | the index and the range of its values |
//! | `reading` | a running query, for both APIs: records are decoded a few at a time |
//! | `blocking`, `asynchronous` | the two APIs |
//! | `methods` | what their queries have in common |
//! | `step` | what a task awaits: the next record, page or batch |
//! | `on_loop`, `stream_driver` | a query read by tasks, and the event loop that watches it |
//! | `batches` | records as columns |
//! | `page` | the contents of a page |
//! | `job` | background jobs |
//! | `aggregate` | aggregations with stream functions |
//! | `explain` | how a query would be executed |

#[macro_use]
mod methods;

pub mod aggregate;
pub mod asynchronous;
pub mod batches;
pub mod blocking;
pub mod explain;
pub mod index;
pub mod job;
pub mod on_loop;
pub mod page;
mod plan;
mod reading;
pub mod step;
pub mod stream_driver;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

use crate::bridge::cached::Cached;

pub use plan::{QueryCall, QueryOptions};

/// Calls a function of `spikewire/aerospike/query.py`.
fn call<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: Cached<Py<PyModule>> = Cached::new();
    let module =
        MODULE.get_or_try_init(py, || py.import("spikewire.aerospike.query").map(Bound::unbind))?;
    module.bind(py).getattr(name)?.call1(arguments)
}

/// The error for `page` without a size.
fn no_page_size() -> PyErr {
    crate::errors::value_error("page() needs a page_size: query(page_size=500), for example")
}
