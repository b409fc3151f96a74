//! Arrow columns from records.
//!
//! | module | contents |
//! |---|---|
//! | `builder` | all columns of a table |
//! | `column` | the values of one column |
//! | `number` | its numbers |
//! | `finish` | conversion to an array |
//! | `schema` | the column for a field of a schema |
//! | `buffer_pool` | reuse of memory |

mod buffer_pool;
mod builder;
mod column;
mod finish;
mod number;
mod schema;

pub use buffer_pool::BufferPool;
pub use builder::TableBuilder;
pub use column::{Bytes, Column, Depth, Offsets, Store};
pub use number::Numbers;
