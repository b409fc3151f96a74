//! Statements: options of an execution, and prepared statements.
//!
//! | file | contents |
//! |---|---|
//! | `options` | consistency, pages, timestamps, limits of one execution |
//! | `prepared` | a prepared statement, its columns, and which nodes know it |
//! | `first` | the first preparation of a text, which requests share |
//! | `lease` | the right to do what others wait for |
//! | `cache` | the prepared statements of a session; changes of the schema |
//! | `batch` | several statements in one request |
//! | `routing_key` | the partition of bound values |

mod batch;
mod cache;
mod first;
mod lease;
mod options;
mod prepared;
mod routing_key;

pub use batch::BatchBuilder;
pub(crate) use batch::borrowed;
pub(crate) use cache::{PrepareContext, StatementCache};
pub use options::{SpeculationOptions, StatementOptions};
pub(crate) use prepared::{Name, Preparing, Turn};
pub use prepared::{Prepared, Shape};
