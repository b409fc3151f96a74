//! Queries as they are sent and read, for every client.
//!
//! | module | contents |
//! |---|---|
//! | `plan` | the query's options, checked, and the request built from them |
//! | `range` | the index and the range of its values |
//! | `found` | the record of a query |
//! | `records` | a running query: record by record, page by page |

mod found;
mod plan;
mod range;
mod records;

pub use found::Found;
pub use plan::PreparedQuery;
pub(crate) use plan::{QueryRequest, encoded, partitions};
pub use range::{Collection, IndexOn, IndexRange, IndexValue};
pub use records::Page;
pub(crate) use records::{Looked, Reading};
