//! Arrow tables from a batch.
//!
//! | module | what it holds |
//! |---|---|
//! | `fill` | a builder for what the caller asks for, and the rows of a batch into it |
//! | `schema` | the schema that a caller gives |
//! | `table` | what is returned |

mod fill;
mod schema;
mod table;

pub use fill::{fill, fill_keys, table_builder};
pub use table::{ArrowTable, refused};
