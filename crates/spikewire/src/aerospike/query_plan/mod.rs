//! Queries as they are sent and read, for every client.
//!
//! | module | contents |
//! |---|---|
//! | `plan` | the query's options, checked, and the request built from them |
//! | `range` | the index and the range of its values |
//! | `query_record` | the record of a query |
//! | `records` | a running query: record by record, page by page |

mod plan;
mod query_record;
mod range;
mod records;

pub use plan::PreparedQuery;
pub(crate) use plan::{QueryRequest, encoded, partitions};
pub use query_record::QueryRecord;
pub use range::{Collection, IndexOn, IndexRange, IndexValue};
pub use records::Page;
pub(crate) use records::{ReadStep, RunningQuery};
