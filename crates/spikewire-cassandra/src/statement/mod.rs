//! Statements: options of an execution, and prepared statements.
//!
//! | file | contents |
//! |---|---|
//! | `options` | consistency, pages, timestamps, limits of one execution |
//! | `prepared` | a prepared statement, its columns, and which nodes know it |
//! | `batch` | several statements in one request |
//! | `routing_key` | the partition of bound values |

mod batch;
mod options;
mod prepared;
mod routing_key;

pub use batch::BatchBuilder;
pub(crate) use batch::borrowed;
pub use options::{SpeculationOptions, StatementOptions};
pub use prepared::{Prepared, Shape};
pub(crate) use prepared::{Preparing, Turn};
pub(crate) use routing_key::token_of;
